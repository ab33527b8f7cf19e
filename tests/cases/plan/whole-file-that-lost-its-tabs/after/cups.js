function wash() {
  return 2;
}
