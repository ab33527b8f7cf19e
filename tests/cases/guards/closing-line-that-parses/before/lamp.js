if (night) {
  light();
}
if (fog) {
  sound();
}
