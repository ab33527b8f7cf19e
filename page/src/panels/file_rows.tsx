/** The rows of a whole file in a review: drawn in stretches with folds between them, when they come near. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FileView } from "../api/answers";
import type { Row } from "../text/diff_rows";
import { linesOf } from "../text/lines";
import type { Woven } from "../text/owned_rows";
import { STEP, type Opened } from "../text/review_rows";
import { count } from "../text/words";
import { rowsOfHunks, useColours, type Colours } from "../view/diff_table";
import { ReviewDiff } from "../view/review_diff";

/**
 * Whether an element has come near the part that is seen, or is `wanted`: what is far below is not asked for before.
 * What was seen once stays so.
 */
export function useSeen(element: { readonly current: HTMLElement | null }, wanted = false): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (wanted) setSeen(true);
  }, [wanted]);
  useEffect(() => {
    if (element.current === null) return;
    const watch = new IntersectionObserver((all) => all.some((one) => one.isIntersecting) && setSeen(true), { rootMargin: "600px" });
    watch.observe(element.current);
    return () => watch.disconnect();
  }, [element]);
  return seen || wanted;
}

interface StretchProperties {
  readonly rows: Woven["rows"];
  readonly from: number;
  readonly to: number;
  readonly colours: Colours;
  readonly digits: number;
  readonly split: boolean;
  readonly onNumber?: (line: number, side: "old" | "new") => void;
}

/** Rows without anything between them; the same values as before as long as nothing of them changes. */
export function Stretch({ rows, from, to, colours, digits, split, onNumber }: StretchProperties): JSX.Element {
  const shown = useMemo(() => rows.slice(from, to), [rows, from, to]);
  const coloured = useMemo(() => colours.slice(from, to), [colours, from, to]);
  const latest = useRef(onNumber);
  latest.current = onNumber;
  const press = useRef((row: Row, side: "old" | "new"): void => latest.current?.(row[side]!, side));
  return <ReviewDiff key={String(split)} rows={shown} colours={coloured} split={split} digits={digits} {...(onNumber === undefined ? {} : { onNumber: press.current })} />;
}

interface FoldProperties {
  readonly from: number;
  readonly to: number;
  /** It begins, or ends, with the file. */
  readonly start: boolean;
  readonly end: boolean;
  readonly onOpen: (more: Partial<Opened>) => void;
}

/** Unchanged lines that are not shown, with buttons for some of them. */
export function Fold({ from, to, start, end, onOpen }: FoldProperties): JSX.Element {
  const left = to - from;
  if (left <= STEP) {
    return (
      <div class="fold">
        <button type="button" onClick={() => onOpen({ first: left })}>
          Show {count(left, "unchanged line")}
        </button>
      </div>
    );
  }
  return (
    <div class="fold">
      {!start && (
        <button type="button" onClick={() => onOpen({ first: STEP })}>
          {STEP} lines below
        </button>
      )}
      <span>{count(left, "unchanged line")}</span>
      {!end && (
        <button type="button" onClick={() => onOpen({ last: STEP })}>
          {STEP} lines above
        </button>
      )}
    </div>
  );
}

/** All lines of a file: those of its hunks, and the unchanged ones between them. */
export function wholeRows({ after, hunks }: Pick<FileView, "after" | "hunks">): Row[] {
  const lines = linesOf(after ?? "");
  const rows: Row[] = [];
  let [old, fresh] = [1, 1];
  const same = (end: number): void => {
    while (fresh < end) rows.push({ sign: "same", text: lines[fresh - 1] ?? "", old: old++, new: fresh++, marks: [] });
  };
  for (const hunk of hunks) {
    same(hunk.new_count === 0 ? hunk.new_start + 1 : hunk.new_start);
    rows.push(...rowsOfHunks([hunk]));
    [old, fresh] = [old + hunk.old_count, fresh + hunk.new_count];
  }
  same(lines.length + 1);
  return rows;
}

const MOST_COLOURED = 4000;

/** Colours of all rows; none of a file that is too long. */
export function useFileColours(rows: readonly Row[], path: string): Colours {
  return useColours(rows, rows.length > MOST_COLOURED ? null : path);
}
