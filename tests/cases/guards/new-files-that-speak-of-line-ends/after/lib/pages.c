/* maps \r to \r\n on output */
int mapped = 1;

/* the next page */
int pages = 2;
