let ok = a;
