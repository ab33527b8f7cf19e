if (night) {
  light();
}
if (storm) {
  lock();
}
if (fog) {
  sound();
}
