	work(n);
// the loop's end, which lib/head.c opens
}
