/**
 * Lines of a text, and which of them two texts share.
 *
 * Owns the comparison of line lists. It refuses to be quadratic: past a bound on differences, the part between the
 * common ends counts as wholly replaced. Invariant: the runs cover both lists, in order, without gaps.
 */

/** Lines `a[aFrom..aTo)` stand where `b[bFrom..bTo)` stand; `same` says that they are equal. */
export interface Run {
  readonly same: boolean;
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

const MOST_DIFFERENCES = 1500;

/** The lines of a text, without their ends. A closing line end opens no further line; "" has no line. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** What two lists of lines share and where they differ. */
export function compareLines(a: readonly string[], b: readonly string[]): Run[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;

  const runs: Run[] = [];
  if (head > 0) runs.push({ same: true, aFrom: 0, aTo: head, bFrom: 0, bTo: head });
  runs.push(...middleRuns(a, b, head, a.length - tail, b.length - tail));
  if (tail > 0) {
    runs.push({ same: true, aFrom: a.length - tail, aTo: a.length, bFrom: b.length - tail, bTo: b.length });
  }
  return runs;
}

function middleRuns(a: readonly string[], b: readonly string[], from: number, aTo: number, bTo: number): Run[] {
  const pairs = sharedPairs(a.slice(from, aTo), b.slice(from, bTo));
  const runs: Run[] = [];
  let i = from;
  let k = from;
  for (const [x, y] of [...pairs.map(([p, q]): [number, number] => [p + from, q + from]), [aTo, bTo] as const]) {
    if (x > i || y > k) runs.push({ same: false, aFrom: i, aTo: x, bFrom: k, bTo: y });
    if (x === aTo && y === bTo) break;
    const last = runs.at(-1);
    if (last?.same && last.aTo === x && last.bTo === y) {
      runs[runs.length - 1] = { ...last, aTo: x + 1, bTo: y + 1 };
    } else {
      runs.push({ same: true, aFrom: x, aTo: x + 1, bFrom: y, bTo: y + 1 });
    }
    i = x + 1;
    k = y + 1;
  }
  return runs;
}

/** Index pairs of equal items on a shortest edit path (Myers' greedy algorithm); none past the bound. */
export function sharedPairs(a: readonly string[], b: readonly string[]): [number, number][] {
  const bound = Math.min(a.length + b.length, MOST_DIFFERENCES);
  const furthest = new Int32Array(2 * bound + 3);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= bound; d++) {
    trace.push(furthest.slice(bound - d, bound + d + 3));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(furthest, bound + k) < at(furthest, bound + k + 2));
      let x = down ? at(furthest, bound + k + 2) : at(furthest, bound + k) + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      furthest[bound + k + 1] = x;
      if (x >= a.length && y >= b.length) return walkBack(trace, a, b);
    }
  }
  return [];
}

function walkBack(trace: readonly Int32Array[], a: readonly string[], b: readonly string[]): [number, number][] {
  const pairs: [number, number][] = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const row = trace[d]!; // row[i] holds diagonal i - d - 1
    const k = x - y;
    const down = k === -d || (k !== d && at(row, k + d) < at(row, k + d + 2));
    const fromK = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(row, fromK + d + 1);
    const fromY = d === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY && x > 0 && y > 0 && a[x - 1] === b[y - 1]) pairs.push([--x, --y]);
    x = fromX;
    y = fromY;
  }
  return pairs.reverse();
}

function at(row: Int32Array, index: number): number {
  return row[index] ?? 0;
}
