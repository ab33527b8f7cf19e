/** Rows of a file in the review, in one column or side by side; long lines wrap, and a number takes a comment. */

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Row } from "../text/diff_rows";
import type { Colour } from "../text/highlight";
import { pairsOf } from "../text/review_rows";
import { drawRows, rowElement, type DrawnRow } from "./drawn_rows";
import { memo } from "./memo";

interface Properties {
  readonly rows: readonly Row[];
  readonly colours: readonly (readonly Colour[])[];
  readonly split: boolean;
  readonly digits: number;
  /** A number was pressed: of the row, on its old or its new side. Without it, numbers are no buttons. */
  readonly onNumber?: (row: Row, side: "old" | "new") => void;
}

export const ReviewDiff = memo(function ReviewDiff({ rows, colours, split, digits, onNumber }: Properties): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<readonly DrawnRow[]>([]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    if (split) {
      drawn.current = [];
      const coloured = new Map(rows.map((row, n) => [row, colours[n] ?? []]));
      element.replaceChildren(...pairsOf(rows).map((pair) => pairElement(pair, coloured)));
    } else {
      if (drawn.current.length === 0) element.replaceChildren();
      drawn.current = drawRows(element, rows, colours, drawn.current);
    }
  }, [rows, colours, split]);
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

/** Two rows beside each other; a side that has none is empty. */
function pairElement(pair: readonly [Row | null, Row | null], colours: ReadonlyMap<Row, readonly Colour[]>): HTMLElement {
  const element = document.createElement("div");
  element.className = "pair";
  pair.forEach((row, side) => {
    if (row === null) {
      element.append(Object.assign(document.createElement("div"), { className: "row none" }));
      return;
    }
    const shown = row.sign !== "same" ? row : side === 0 ? { ...row, new: null } : { ...row, old: null };
    element.append(rowElement({ row: shown, colours: colours.get(row) ?? [], start: 0 }));
  });
  return element;
}
