const e = s;
