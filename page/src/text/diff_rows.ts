/**
 * The rows of a unified diff between two texts, ready to be drawn.
 *
 * Owns which removed line is shown as the former state of which added one. While the new text still arrives, old
 * lines behind the last shared one are `pending`: nothing says yet whether they go.
 */

import { changedWords, type Mark } from "./changed_words";
import { compareLines, linesOf, type Run } from "./lines";

export type Sign = "same" | "removed" | "added" | "pending" | "gap";

/** One row. `old` and `new` are line numbers from 1, where the row has them; of a gap, `text` says how long it is. */
export interface Row {
  readonly sign: Sign;
  readonly text: string;
  readonly old: number | null;
  readonly new: number | null;
  readonly marks: readonly Mark[];
  /** How the line ends, where that is what changes. */
  readonly end?: string | undefined;
  /** It does not count now: the edit that it is of was left out. */
  readonly aside?: boolean | undefined;
}

export interface RowOptions {
  /** Number of the first line on either side. */
  readonly oldStart?: number;
  readonly newStart?: number;
  /** The new text is still arriving. */
  readonly arriving?: boolean;
  /** Unchanged lines kept around a change; all of them where it is left out. */
  readonly context?: number;
}

/** The rows of a whole comparison. */
export function diffRows(before: string, after: string, options: RowOptions = {}): Row[] {
  const a = linesOf(before);
  const b = linesOf(after);
  const rows: Row[] = [];
  const runs = compareLines(a, b);
  const shift = { old: options.oldStart ?? 1, new: options.newStart ?? 1 };
  runs.forEach((run, index) => {
    const last = index === runs.length - 1;
    if (run.same) rows.push(...sameRows(a, run, shift));
    else rows.push(...changedRows(a, b, run, shift, last && options.arriving === true));
  });
  return options.context === undefined ? rows : withGaps(rows, options.context);
}

interface Shift {
  readonly old: number;
  readonly new: number;
}

function sameRows(a: readonly string[], run: Run, shift: Shift): Row[] {
  return a.slice(run.aFrom, run.aTo).map((text, n) => ({
    sign: "same",
    text,
    old: run.aFrom + n + shift.old,
    new: run.bFrom + n + shift.new,
    marks: [],
  }));
}

function changedRows(a: readonly string[], b: readonly string[], run: Run, shift: Shift, arriving: boolean): Row[] {
  const removed = a.slice(run.aFrom, run.aTo).map((text, n): Row => {
    const pending = arriving && n >= run.bTo - run.bFrom;
    return { sign: pending ? "pending" : "removed", text, old: run.aFrom + n + shift.old, new: null, marks: [] };
  });
  const added = b.slice(run.bFrom, run.bTo).map((text, n): Row => {
    return { sign: "added", text, old: null, new: run.bFrom + n + shift.new, marks: [] };
  });
  if (!arriving) markPairs(removed, added);
  const firstPending = removed.findIndex((row) => row.sign === "pending");
  if (firstPending < 0) return [...removed, ...added];
  return [...removed.slice(0, firstPending), ...added, ...removed.slice(firstPending)];
}

/** Lines that pair off in order carry the marks of what changed within them. */
function markPairs(removed: Row[], added: Row[]): void {
  let next = 0;
  for (let i = 0; i < removed.length && next < added.length; i++) {
    for (let k = next; k < Math.min(added.length, next + 3); k++) {
      const words = changedWords(removed[i]!.text, added[k]!.text);
      if (words === null) continue;
      removed[i] = { ...removed[i]!, marks: words.gone };
      added[k] = { ...added[k]!, marks: words.come };
      next = k + 1;
      break;
    }
  }
}

/** The same rows with long unchanged stretches folded into one gap row each. */
export function withGaps(rows: readonly Row[], context: number): Row[] {
  const keep = new Uint8Array(rows.length);
  rows.forEach((row, n) => {
    if (row.sign === "same") return;
    keep.fill(1, Math.max(0, n - context), Math.min(rows.length, n + context + 1));
  });
  const kept: Row[] = [];
  let skipped = 0;
  rows.forEach((row, n) => {
    if (keep[n]) {
      if (skipped > 0) kept.push(gapRow(skipped));
      skipped = 0;
      kept.push(row);
    } else skipped++;
  });
  if (skipped > 0) kept.push(gapRow(skipped));
  return kept;
}

function gapRow(count: number): Row {
  return { sign: "gap", text: `${count} unchanged ${count === 1 ? "line" : "lines"}`, old: null, new: null, marks: [] };
}
