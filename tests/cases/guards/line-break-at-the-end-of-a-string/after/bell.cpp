void ring(int n) {
    log("one");
}
