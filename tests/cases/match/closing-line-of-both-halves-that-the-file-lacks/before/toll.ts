export function settle(toll: Toll, ferry: Ferry): number {
  ferry.moor();
  const fare = toll.fare(ferry.weight);
  toll.close(ferry);
  return fare;
}
