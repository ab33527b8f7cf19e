/**
 * The lines to show around each of several places, so that no two of them look the same.
 *
 * Places that an ambiguous edit fits read alike by themselves, often with their neighbours. More is shown around all of
 * them until they differ, up to a bound.
 */

const LEAST = 2;
const MOST = 48;
const TALLEST = 6; // lines of the place itself

/** For each place the numbers of its lines, from 1; `height` is how many lines a place has. */
export function surroundings(lines: readonly string[], places: readonly number[], height: number): number[][] {
  for (let around = LEAST; ; around *= 2) {
    const found = places.map((line) => {
      const first = Math.max(1, line - around);
      const last = Math.min(lines.length, line + Math.min(height, TALLEST) - 1 + around);
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n);
    });
    const texts = new Set(found.map((numbers) => numbers.map((n) => lines[n - 1]).join("\n")));
    if (texts.size === found.length || around >= MOST) return found;
  }
}
