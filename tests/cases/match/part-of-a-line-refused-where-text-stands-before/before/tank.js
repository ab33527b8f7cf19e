function drain(tank) {
  if (tank.empty) return 0;
  return tank.drain();
}
