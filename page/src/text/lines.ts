/**
 * Lines of a text, and which of them two texts share.
 *
 * Owns the comparison of line lists. It refuses to be quadratic: past a bound on differences, lines that each list has
 * once are held on to, and what stands between them is compared; where there is none, all of it counts as replaced.
 * Invariant: the runs cover both lists, in order, without gaps.
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

/**
 * The lines of a text, without their ends. A closing line end opens no further line; "" has no line. As the server has it,
 * a lone `\r` ends a line only where no `\n` does; else it is a character that is not seen.
 */
export function linesOf(text: string): string[] {
  const lines = editorLines(text);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** The same as an editor has them: with an empty one behind a closing line end, and where there is none. */
export function editorLines(text: string): string[] {
  return text.split(endsOf(text));
}

/** How the lines of a text end: `LF`, `CRLF`, `CR`, `mixed line ends`, or "" where none ends. */
export function lineEnds(text: string): string {
  const kinds = new Set(text.match(endsOf(text)));
  if (kinds.size > 1) return "mixed line ends";
  const [only] = kinds;
  return only === undefined ? "" : { "\n": "LF", "\r\n": "CRLF", "\r": "CR" }[only]!;
}

/** The line ends of a text. */
function endsOf(text: string): RegExp {
  return text.includes("\n") ? /\r?\n/g : /\r/g;
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
  const pairs = pairsOf(a.slice(from, aTo), b.slice(from, bTo));
  const runs: Run[] = [];
  let i = from;
  let k = from;
  for (const [x, y] of [...pairs.map(([p, q]): Pair => [p + from, q + from]), [aTo, bTo] as const]) {
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

type Pair = [number, number];

/** Index pairs of equal items, in order: as many as there are, but past the bound. */
function pairsOf(a: readonly string[], b: readonly string[]): Pair[] {
  return shortestPath(a, b) ?? aroundUnique(a, b);
}

/** Pairs of items that each side has once, in an order that both have, and what their gaps share (patience diff). */
function aroundUnique(a: readonly string[], b: readonly string[]): Pair[] {
  const kept = increasing(uniquePairs(a, b));
  if (kept.length === 0) return [];
  const pairs: Pair[] = [];
  let [i, k] = [0, 0];
  for (const [x, y] of [...kept, [a.length, b.length] as const]) {
    for (const [p, q] of pairsOf(a.slice(i, x), b.slice(k, y))) pairs.push([p + i, q + k]);
    if (x < a.length) pairs.push([x, y]);
    [i, k] = [x + 1, y + 1];
  }
  return pairs;
}

/** Items that each side has once, in the order of the first. */
function uniquePairs(a: readonly string[], b: readonly string[]): Pair[] {
  const inB = onlyAt(b);
  return [...onlyAt(a)].flatMap(([item, i]): Pair[] => {
    const k = i < 0 ? undefined : inB.get(item);
    return k === undefined || k < 0 ? [] : [[i, k]];
  });
}

/** Where each item stands; -1 for one that stands in several places. */
function onlyAt(items: readonly string[]): Map<string, number> {
  const at = new Map<string, number>();
  items.forEach((item, n) => at.set(item, at.has(item) ? -1 : n));
  return at;
}

/** The most pairs whose second indexes grow as their first ones do. */
function increasing(pairs: readonly Pair[]): Pair[] {
  const ends: number[] = []; // of the shortest-ending chain of each length, its last pair
  const before: number[] = [];
  pairs.forEach(([, k], n) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]![1] < k) low = middle + 1;
      else high = middle;
    }
    before.push(low > 0 ? ends[low - 1]! : -1);
    ends[low] = n;
  });
  const chain: Pair[] = [];
  for (let n = ends.at(-1) ?? -1; n >= 0; n = before[n]!) chain.push(pairs[n]!);
  return chain.reverse();
}

/** Index pairs of equal items on a shortest edit path; none past the bound. */
export function sharedPairs(a: readonly string[], b: readonly string[]): Pair[] {
  return shortestPath(a, b) ?? [];
}

/** The same by Myers' greedy algorithm; null past the bound. */
function shortestPath(a: readonly string[], b: readonly string[]): Pair[] | null {
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
  return null;
}

function walkBack(trace: readonly Int32Array[], a: readonly string[], b: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
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
