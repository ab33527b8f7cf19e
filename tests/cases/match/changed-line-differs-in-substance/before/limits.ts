const retries_b = 1;
const pause = 20;
