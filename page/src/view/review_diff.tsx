/** Rows of a file in the review, in one column or side by side; long lines wrap, and a number takes a comment. */

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Row } from "../text/diff_rows";
import type { Colour } from "../text/highlight";
import { pairsOf } from "../text/review_rows";
import { drawPairs, drawRows, type DrawnPair, type DrawnRow } from "./drawn_rows";
import { memo } from "./memo";

interface Properties {
  readonly rows: readonly Row[];
  readonly colours: readonly (readonly Colour[])[];
  /** As it is from the first drawing on. */
  readonly split: boolean;
  readonly digits: number;
  /** A number was pressed: of the row, on its old or its new side. Without it, numbers are no buttons. */
  readonly onNumber?: (row: Row, side: "old" | "new") => void;
}

export const ReviewDiff = memo(function ReviewDiff({ rows, colours, split, digits, onNumber }: Properties): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const inRows = useRef<readonly DrawnRow[]>([]);
  const inPairs = useRef<readonly DrawnPair[]>([]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    if (split) inPairs.current = drawPairs(element, pairsToDraw(rows, colours), inPairs.current);
    else inRows.current = drawRows(element, rows, colours, inRows.current);
  }, [rows, colours]);
  const press = (event: MouseEvent): void => {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>(".row") : null;
    if (element === null || (event.target as Element).closest("code") !== null) return;
    const { old, new: fresh } = element.dataset;
    const row = rows.find((one) => (fresh === undefined ? one.old === Number(old) : one.new === Number(fresh)));
    if (row !== undefined) onNumber?.(row, fresh === undefined ? "old" : "new");
  };
  return (
    <div
      class={`diff-rows digits-${Math.min(digits, 6)} ${split ? "pairs" : ""}`}
      ref={box}
      title={onNumber === undefined ? undefined : "Press a line’s number to comment on it"}
      onClick={onNumber === undefined ? undefined : press}
    />
  );
});

/** Each side has its own number alone. */
function pairsToDraw(rows: readonly Row[], colours: Properties["colours"]): DrawnPair[] {
  const coloured = new Map(rows.map((row, n) => [row, colours[n] ?? []]));
  const toDraw = (row: Row | null, other: "old" | "new"): DrawnRow | null =>
    row && { row: row.sign === "same" ? { ...row, [other]: null } : row, colours: coloured.get(row)!, start: 0 };
  return pairsOf(rows).map(([left, right]): DrawnPair => [toDraw(left, "new"), toDraw(right, "old")]);
}
