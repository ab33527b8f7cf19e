/**
 * Whose the rows of a file's diff are, so that each edit stands in its place with its own lines together.
 *
 * Owns the weaving: the rows of the whole file are the skeleton. Changed rows are given to edits by their text first, and
 * by their line where that does not tell. Edits without rows in the skeleton are put in at the line that they are about:
 * what they would change, or changed, stands in the place of those lines.
 * Invariant: rows keep the order of either side, and no changed row of the skeleton is lost.
 */

import type { Hunk } from "../api/wire";
import type { Row } from "./diff_rows";

/** What is drawn of an edit. `own`: its changes are in the skeleton. */
export interface Spot {
  readonly n: number;
  readonly own: boolean;
  /** Of an edit without rows there: its lines are in the file as it is now (it was written), or would come (left out). */
  readonly written: boolean;
  /** Its lines before and after, from 1, as far as they are known. */
  readonly old: readonly [number, number] | null;
  readonly new: readonly [number, number] | null;
  readonly hunks: readonly Hunk[];
}

/** A row, and the edit that it is of. */
export interface OwnedRow extends Row {
  readonly edit: number | null;
  readonly aside: boolean;
}

export interface Woven {
  readonly rows: readonly OwnedRow[];
  /** The edits whose bars stand above each row; at the number of rows, those behind the last. */
  readonly bars: ReadonlyMap<number, readonly number[]>;
}

/** The rows of a file with all its edits in their places. */
export function weave(skeleton: readonly Row[], spots: readonly Spot[]): Woven {
  const owners = ownersOf(skeleton, spots.filter((spot) => spot.own));
  let rows = grouped(skeleton, owners);
  const anchors = new Map<number, number>(); // by edit: the row that its bar stands above
  const bars = new Map<number, number[]>();
  const asides = spots.filter((spot) => !spot.own || !owners.includes(spot.n));
  for (const spot of asides) rows = putIn(rows, spot);
  rows.forEach((row, at) => {
    if (row.edit !== null && !anchors.has(row.edit)) anchors.set(row.edit, at);
  });
  for (const { n, old } of spots) if (!anchors.has(n)) anchors.set(n, rowAt(rows, old?.[0] ?? 0));
  for (const { n } of spots) bars.set(anchors.get(n)!, [...(bars.get(anchors.get(n)!) ?? []), n]);
  return { rows, bars };
}

/** The first row at an old line, or behind it; of no line, the first row. */
function rowAt(rows: readonly OwnedRow[], line: number): number {
  if (line <= 1) return 0;
  const at = rows.findIndex((row) => row.old !== null && row.old >= line && !row.aside);
  return at < 0 ? rows.length : at;
}

const isChanged = ({ sign }: Row): boolean => sign === "removed" || sign === "added";

/** For each row of the skeleton the edit that it is of; null for one that does not change. */
function ownersOf(skeleton: readonly Row[], spots: readonly Spot[]): (number | null)[] {
  const texts = spots.map((spot) => linesBySide(spot.hunks));
  const owners = skeleton.map((row): number | null => {
    if (!isChanged(row)) return null;
    const line = row.old ?? row.new!;
    const side = row.sign === "removed" ? "old" : "new";
    let best: { n: number; far: number } | null = null;
    spots.forEach((spot, at) => {
      const near = texts[at]![side].get(row.text);
      if (near === undefined) return;
      const far = Math.min(...near.map((other) => Math.abs(other - line)));
      if (best === null || far < best.far) best = { n: spot.n, far };
    });
    return (best as { n: number } | null)?.n ?? inRange(spots, side, line);
  });
  // What neither tells goes with its neighbour in the same run.
  const lend = (from: number, step: 1 | -1): void => {
    for (let at = from; at >= 0 && at < skeleton.length; at += step) {
      const next = at - step;
      if (owners[at] === null && isChanged(skeleton[at]!) && skeleton[next] !== undefined && isChanged(skeleton[next])) owners[at] = owners[next] ?? null;
    }
  };
  lend(0, 1);
  lend(skeleton.length - 1, -1);
  return owners;
}

function inRange(spots: readonly Spot[], side: "old" | "new", line: number): number | null {
  const holds = spots.filter((spot) => spot[side] !== null && line >= spot[side][0] && line <= Math.max(...spot[side]));
  return holds.at(-1)?.n ?? null;
}

/** By text, the lines at which hunks remove it and add it. */
function linesBySide(hunks: readonly Hunk[]): Record<"old" | "new", Map<string, number[]>> {
  const found = { old: new Map<string, number[]>(), new: new Map<string, number[]>() };
  for (const { rows } of runsOf(hunks)) {
    for (const row of rows) {
      const side = row.sign === "removed" ? "old" : "new";
      found[side].set(row.text, [...(found[side].get(row.text) ?? []), row[side]!]);
    }
  }
  return found;
}

/** Within each run of changed rows, those of one edit together: first what goes, then what comes. */
function grouped(skeleton: readonly Row[], owners: readonly (number | null)[]): OwnedRow[] {
  const rows: OwnedRow[] = [];
  for (let from = 0; from < skeleton.length; ) {
    let to = from + 1;
    const changed = isChanged(skeleton[from]!);
    while (to < skeleton.length && isChanged(skeleton[to]!) === changed) to++;
    const run = skeleton.slice(from, to).map((row, n): OwnedRow => ({ ...row, edit: owners[from + n] ?? null, aside: false }));
    rows.push(...(changed ? inTurn(run) : run));
    from = to;
  }
  return rows;
}

/** Both sides of a run in step: as long as one edit's lines come next on both, they come together. */
function inTurn(run: readonly OwnedRow[]): OwnedRow[] {
  const gone = run.filter((row) => row.sign === "removed");
  const come = run.filter((row) => row.sign === "added");
  const rows: OwnedRow[] = [];
  while (gone.length > 0 || come.length > 0) {
    const next = gone[0] !== undefined && !comesFirst(come, gone[0].edit, gone) ? gone[0].edit : (come[0] ?? gone[0]!).edit;
    while (gone[0]?.edit === next) rows.push(gone.shift()!);
    while (come[0]?.edit === next) rows.push(come.shift()!);
  }
  return rows;
}

/** Whether another edit's added lines stand before those of this one, and it removes nothing more itself. */
function comesFirst(come: readonly OwnedRow[], edit: number | null, gone: readonly OwnedRow[]): boolean {
  const first = come[0]?.edit;
  return first !== undefined && first !== edit && come.some((row) => row.edit === edit) && gone.every((row) => row.edit !== first);
}

/** A run of changed rows of a hunk, and the unchanged line before it. */
interface ChangedRun {
  readonly rows: readonly Row[];
  readonly before: string | null;
  /** The lines behind which it stands, on either side. */
  readonly old: number;
  readonly new: number;
}

function runsOf(hunks: readonly Hunk[]): ChangedRun[] {
  const runs: ChangedRun[] = [];
  for (const hunk of hunks) {
    let old = hunk.old_count === 0 ? hunk.old_start + 1 : hunk.old_start;
    let fresh = hunk.new_count === 0 ? hunk.new_start + 1 : hunk.new_start;
    let before: string | null = null;
    let rows: Row[] = [];
    const close = (): void => {
      const gone = rows.filter((row) => row.sign === "removed").length;
      if (rows.length > 0) runs.push({ rows, before, old: old - gone - 1, new: fresh - (rows.length - gone) - 1 });
      rows = [];
    };
    for (const line of hunk.lines) {
      if (line.s === " ") {
        close();
        before = line.t;
        old++;
        fresh++;
      } else if (line.s === "-") rows.push({ sign: "removed", text: line.t, old: old++, new: null, marks: line.m });
      else rows.push({ sign: "added", text: line.t, old: null, new: fresh++, marks: line.m });
    }
    close();
  }
  return runs;
}

/** The rows with those of an edit whose changes are none of the skeleton's, in the place of the lines that it is about. */
function putIn(rows: readonly OwnedRow[], spot: Spot): OwnedRow[] {
  const woven = [...rows];
  for (const run of runsOf(spot.hunks)) {
    const there = spot.written ? "added" : "removed";
    const stand = run.rows.filter((row) => row.sign === there);
    const hint = spot.written ? run.new : run.old;
    const at = placeOf(woven, stand.map((row) => row.text), run.before, hint);
    const owned = run.rows.map((row): OwnedRow => ({ ...row, edit: spot.n, aside: !spot.written }));
    if (at === null) {
      const anchor = rowAt(woven, hint + 1);
      woven.splice(anchor, 0, ...owned.map((row) => ({ ...row, old: null, new: null })));
      continue;
    }
    const known = woven.slice(at, at + stand.length);
    let next = 0;
    const numbered = owned.map((row) => (row.sign === there ? { ...row, old: known[next]!.old, new: known[next++]!.new } : { ...row, old: null, new: null }));
    woven.splice(at, stand.length, ...numbered);
  }
  return woven;
}

/** The row from which on these unchanged lines stand, nearest to a line; of none, the row behind the line before. */
function placeOf(rows: readonly OwnedRow[], lines: readonly string[], before: string | null, hint: number): number | null {
  let best: { at: number; far: number } | null = null;
  const wanted = lines.length > 0 ? lines : before === null ? [] : [before];
  if (wanted.length === 0) return hint <= 0 ? 0 : null;
  for (let at = 0; at + wanted.length <= rows.length; at++) {
    if (!wanted.every((text, n) => rows[at + n]!.sign === "same" && rows[at + n]!.text === text)) continue;
    const far = Math.abs((rows[at]!.old ?? 0) - hint - 1);
    if (best === null || far < best.far) best = { at: lines.length > 0 ? at : at + 1, far };
  }
  return (best as { at: number } | null)?.at ?? null;
}
