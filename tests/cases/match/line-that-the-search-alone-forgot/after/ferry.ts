function crossing(ferry: Ferry, tide: Tide): number {
  const speed = ferry.speed - tide.against;
  log(`speed ${speed}`);
  const way = distance(ferry.from, ferry.to);
  return way / speed;
}
