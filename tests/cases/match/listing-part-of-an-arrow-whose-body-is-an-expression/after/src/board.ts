import { fare } from "./fare";

export function board(trips: Trip[]): string[] {
  const sums = (wanted: Kind[]): string[] =>
    wanted.flatMap((kind) => {
      const n = trips.filter((trip) => trip.kind === kind).length;
      return n === 0 ? [] : [`${kind}: ${n * fare(kind)}`];
    });
  return sums(["day", "night"]);
}

export function empty(): string[] {
  return ["no trips today"];
}
