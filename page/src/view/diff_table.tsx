/**
 * A table of a diff's rows: numbers, signs, colours of the language, marks inside changed lines.
 *
 * Owns the bounds on what is drawn: so many rows, so many characters of a line. What is left out is said, and shown
 * when asked for.
 */

import type { JSX, RefObject } from "preact";
import type { Parser } from "@lezer/common";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DiffLine, Hunk } from "../api/wire";
import type { Row, Sign } from "../text/diff_rows";
import { lineColours, type Colour } from "../text/highlight";
import { endsToTell } from "../text/hunk_ends";
import { count } from "../text/words";
import { drawRows, type DrawnRow } from "./drawn_rows";
import { memo } from "./memo";
import { useParser } from "./use_parser";
import { whenIdle } from "./when_idle";

const FIRST = 80;
const STEP = 1000;

interface Properties {
  readonly rows: readonly Row[];
  readonly path: string | null;
  readonly label: string;
  /** While a text arrives its end is what is looked at. */
  readonly tail?: boolean;
  /** Line numbers mean something. */
  readonly numbered?: boolean;
}

export const DiffTable = memo(function DiffTable({ rows, path, label, tail = false, numbered = true }: Properties): JSX.Element {
  const [most, setMost] = useState(FIRST);
  const from = tail ? Math.max(0, rows.length - most) : 0;
  const shown = useMemo(() => rows.slice(from, from + most), [rows, from, most]);
  const colours = useColours(shown, path);
  const box = useRows(shown, colours);
  const left = rows.length - shown.length;
  const digits = String(rows.reduce((top, row) => Math.max(top, row.old ?? 0, row.new ?? 0), 0)).length;
  return (
    <div class={`diff ${numbered ? `digits-${Math.min(digits, 6)}` : "no-numbers"}`}>
      {from > 0 && <p class="diff-more">{count(from, "line")} above</p>}
      <div class="diff-scroll" tabIndex={0} role="group" aria-label={label}>
        <div class="diff-rows" ref={box} />
      </div>
      {!tail && left > 0 && (
        <p class="diff-more">
          <button type="button" class="button quiet" onClick={() => setMost(most + STEP)}>
            Show {left > STEP ? `${STEP.toLocaleString("en")} more of ${count(left, "line")}` : count(left, "more line", "more lines")}
          </button>
        </p>
      )}
    </div>
  );
});

/** The element that holds the rows, kept equal to them. */
function useRows(rows: readonly Row[], colours: Colours): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<readonly DrawnRow[]>([]);
  useLayoutEffect(() => {
    if (box.current !== null) drawn.current = drawRows(box.current, rows, colours, drawn.current);
  }, [rows, colours]);
  return box;
}

const NONE: readonly Colour[] = [];
export type Colours = readonly (readonly Colour[])[];
const PLAIN = { rows: [] as readonly Row[], colours: [] as Colours };

/** Colours of each row, none at first: they are found when nothing more urgent is left to draw. */
export function useColours(rows: readonly Row[], path: string | null): Colours {
  const parser = useParser(path);
  const [found, setFound] = useState(PLAIN);
  useEffect(
    () => (parser === null ? undefined : whenIdle(() => setFound({ rows, colours: coloursOf(rows, parser) }))),
    [rows, parser],
  );
  return useMemo(() => (found.rows === rows ? found.colours : carriedOver(found, rows)), [found, rows]);
}

/** A text that arrives, or is decided on, keeps the colours of the lines that it has had before. */
function carriedOver(found: typeof PLAIN, rows: readonly Row[]): Colours {
  const same = (row: Row, n: number): boolean => found.rows[n]?.text === row.text && found.rows[n]?.sign === row.sign;
  return rows.map((row, n) => (same(row, n) ? (found.colours[n] ?? NONE) : NONE));
}

/** The old text's colours for what goes, the new text's for what stays and comes. */
export function coloursOf(rows: readonly Row[], parser: Parser): Colours {
  const side = (other: Sign): ReadonlyMap<number, readonly Colour[]> => {
    const indexes = rows.flatMap((row, n) => (row.sign !== "gap" && row.sign !== other ? [n] : []));
    const colours = lineColours(indexes.map((n) => rows[n]!.text), parser);
    return new Map(indexes.map((n, at) => [n, colours[at]!]));
  };
  const [fresh, old] = [side("removed"), side("added")];
  return rows.map((row, n) => (row.sign === "removed" || row.sign === "pending" ? old : fresh).get(n) ?? NONE);
}

/** The marks of a line, unless they cover most of it: then the whole line is what changed. */
function worthMarking(text: string, marks: DiffLine["m"]): DiffLine["m"] {
  if (marks.length === 0 || text.length > 2000) return marks;
  let marked = "";
  for (const [from, to] of marks) marked += text.slice(from, to);
  const [all, changed] = [text.replace(/\s/g, "").length, marked.replace(/\s/g, "").length];
  return changed > all * 0.5 ? [] : marks;
}

/** Rows of hunks, with a gap between two of them. */
export function rowsOfHunks(hunks: readonly Hunk[]): Row[] {
  const rows: Row[] = [];
  let oldEnd = 1;
  hunks.forEach((hunk, index) => {
    const skipped = hunk.old_start - oldEnd;
    if (index > 0 && skipped > 0) {
      rows.push({ sign: "gap", text: `${count(skipped, "line")} between`, old: null, new: null, marks: [] });
    }
    let old = hunk.old_count === 0 ? hunk.old_start + 1 : hunk.old_start;
    let fresh = hunk.new_count === 0 ? hunk.new_start + 1 : hunk.new_start;
    const ends = endsToTell(hunk);
    hunk.lines.forEach((line, n) => {
      const sign: Sign = line.s === " " ? "same" : line.s === "-" ? "removed" : "added";
      rows.push({
        sign,
        text: line.t,
        old: sign === "added" ? null : old++,
        new: sign === "removed" ? null : fresh++,
        marks: worthMarking(line.t, line.m),
        end: ends[n],
      });
    });
    oldEnd = old;
  });
  return rows;
}
