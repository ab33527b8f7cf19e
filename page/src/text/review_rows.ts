/**
 * A file's rows in the review: which of them are shown, and what stands between them.
 *
 * Owns the folding: unchanged lines away from every change are a fold, which is opened step by step from either end.
 * Invariant: rows and folds cover all rows, in order.
 */

import type { Row } from "./diff_rows";

/** How many lines of a fold are shown: so many at its beginning, so many at its end. */
export interface Opened {
  readonly first: number;
  readonly last: number;
}

/** Rows `from` to `to`, `to` excluded; `fold` is the row that their fold begins at as long as nothing of it is open. */
export type Stretch =
  | { readonly kind: "rows"; readonly from: number; readonly to: number }
  | { readonly kind: "fold"; readonly from: number; readonly to: number; readonly fold: number };

export const STEP = 20;
const CONTEXT = 3;
const SHORTEST = 4; // a fold of fewer lines would hide less than it takes

/** The stretches of a file; `needed` rows are always shown, and `cuts` are rows before which something is put in. */
export function stretchesOf(
  rows: readonly Row[],
  opened: ReadonlyMap<number, Opened>,
  needed: readonly number[],
  cuts: ReadonlySet<number>,
): Stretch[] {
  const shown = new Uint8Array(rows.length);
  const show = (at: number): void => void shown.fill(1, Math.max(0, at - CONTEXT), Math.min(rows.length, at + CONTEXT + 1));
  rows.forEach((row, n) => {
    if (row.sign !== "same") show(n);
  });
  needed.forEach(show);
  const stretches: Stretch[] = [];
  for (let from = 0; from < rows.length; ) {
    let to = from + 1;
    while (to < rows.length && shown[to] === shown[from]) to++;
    const { first, last } = shown[from] === 1 || to - from < SHORTEST ? ALL : (opened.get(from) ?? NONE);
    if (first + last >= to - from) stretches.push({ kind: "rows", from, to });
    else {
      if (first > 0) stretches.push({ kind: "rows", from, to: from + first });
      stretches.push({ kind: "fold", from: from + first, to: to - last, fold: from });
      if (last > 0) stretches.push({ kind: "rows", from: to - last, to });
    }
    from = to;
  }
  return cut(joined(stretches), cuts);
}

const NONE: Opened = { first: 0, last: 0 };
const ALL: Opened = { first: Infinity, last: 0 };

/** Stretches of rows that follow each other become one. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  const all: Stretch[] = [];
  for (const next of stretches) {
    const last = all.at(-1);
    if (last?.kind === "rows" && next.kind === "rows") all[all.length - 1] = { ...last, to: next.to };
    else all.push(next);
  }
  return all;
}

function cut(stretches: readonly Stretch[], cuts: ReadonlySet<number>): Stretch[] {
  return stretches.flatMap((stretch): Stretch[] => {
    if (stretch.kind === "fold") return [stretch];
    const at = [...cuts].filter((row) => row > stretch.from && row < stretch.to).sort((a, b) => a - b);
    return [stretch.from, ...at].map((from, n) => ({ kind: "rows", from, to: at[n] ?? stretch.to }));
  });
}

/** The row that an edit begins at, whose new lines are `first` to `last`: its first changed row, else its first line. */
export function rowOfEdit(rows: readonly Row[], first: number, last: number): number {
  let next = Infinity; // a row that goes stands where the next line is
  let changed = -1;
  let begins = Math.max(rows.length - 1, 0);
  for (let n = rows.length - 1; n >= 0; n--) {
    next = rows[n]!.new ?? next;
    if (next >= first) begins = n;
    if (rows[n]!.sign !== "same" && next >= first && (next <= Math.max(first, last) || last < first)) changed = n;
  }
  return changed >= 0 ? changed : begins;
}

/** Rows side by side: what goes on the left, what comes on the right, in pairs as far as there are. */
export function pairsOf(rows: readonly Row[]): (readonly [Row | null, Row | null])[] {
  const pairs: (readonly [Row | null, Row | null])[] = [];
  for (let n = 0; n < rows.length; ) {
    if (!isChanged(rows[n]!)) {
      pairs.push([rows[n]!, rows[n]!]);
      n++;
      continue;
    }
    const run: Row[] = [];
    for (; n < rows.length && isChanged(rows[n]!); n++) run.push(rows[n]!);
    const gone = run.filter((row) => row.sign === "removed");
    const come = run.filter((row) => row.sign === "added");
    for (let at = 0; at < Math.max(gone.length, come.length); at++) pairs.push([gone[at] ?? null, come[at] ?? null]);
  }
  return pairs;
}

const isChanged = (row: Row): boolean => row.sign === "removed" || row.sign === "added";
