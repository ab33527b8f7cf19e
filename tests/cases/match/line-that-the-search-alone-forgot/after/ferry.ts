function crossing(ferry: Ferry, tide: Tide): number {
  const speed = Math.max(ferry.speed - tide.against, 1);
  log(`speed ${speed}`);
  const way = distance(ferry.from, ferry.to);
  return way / speed;
}
