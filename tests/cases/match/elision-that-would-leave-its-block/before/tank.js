function fill(tank) {
  tank.open();
}
function drain(tank) {
  tank.level = 0;
}
