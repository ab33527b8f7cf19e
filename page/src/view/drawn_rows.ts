/**
 * Rows of a diff as elements of the page, made by hand: a reply has thousands, and most are drawn more than once.
 *
 * Numbers and signs are no elements; the styles draw them from a row's class and attributes. Invariant: text goes in
 * as text nodes only, with what cannot be seen made visible.
 */

import type { Row } from "../text/diff_rows";
import type { Colour } from "../text/highlight";
import { segmentsOf, shownFrom, type Segment } from "../text/segments";
import { codePoint, mayHaveUnseen, visiblePieces } from "../text/visible";
import { count } from "../text/words";

/** A row and its colours, as they stand in the page. `start` is the character that it is shown from. */
export interface DrawnRow {
  readonly row: Row;
  readonly colours: readonly Colour[];
  readonly start: number;
}

/** Two rows beside each other; a side may have none. */
export type DrawnPair = readonly [DrawnRow | null, DrawnRow | null];

/** Make the children of `box` these rows. `before` is what they are now; rows that stay as they are are not touched. */
export function drawRows(
  box: HTMLElement,
  rows: readonly Row[],
  colours: readonly (readonly Colour[])[],
  before: readonly DrawnRow[],
): readonly DrawnRow[] {
  const starts = startsOf(rows);
  const after = rows.map((row, n): DrawnRow => ({ row, colours: colours[n] ?? [], start: starts[n]! }));
  return draw(box, after, before, rowElement, keepsRow);
}

/** The same with rows side by side. */
export function drawPairs(box: HTMLElement, after: readonly DrawnPair[], before: readonly DrawnPair[]): readonly DrawnPair[] {
  return draw(box, after, before, pairElement, (drawn, old, fresh) =>
    fresh.every((row, side) => (row === null ? old[side] === null : old[side] !== null && keepsRow(drawn.children[side]!, old[side]!, row))),
  );
}

/** `keeps` makes the element of the one that of the other, and says false where it has to be made anew. */
function draw<T>(
  box: HTMLElement,
  after: readonly T[],
  before: readonly T[],
  make: (fresh: T) => HTMLElement,
  keeps: (drawn: Element, old: T, fresh: T) => boolean,
): readonly T[] {
  after.forEach((fresh, n) => {
    const old = before[n];
    if (old === undefined) box.append(make(fresh));
    else if (!keeps(box.children[n]!, old, fresh)) box.children[n]!.replaceWith(make(fresh));
  });
  while (box.children.length > after.length) box.lastElementChild!.remove();
  return after;
}

/** From where each row is shown: long lines that changed far behind their start from there, both sides alike. */
function startsOf(rows: readonly Row[]): readonly number[] {
  const starts: number[] = [];
  let first = 0;
  rows.forEach((row, n) => {
    if (!isChanged(row)) return starts.push(0);
    if (n === 0 || !isChanged(rows[n - 1]!)) first = firstMark(rows, n);
    return starts.push(shownFrom(row.text, row.marks[0]?.[0] ?? first));
  });
  return starts;
}

const isChanged = (row: Row): boolean => row.sign === "removed" || row.sign === "added";

/** Where the first mark is of the changed rows from one on; 0 where none has any. */
function firstMark(rows: readonly Row[], from: number): number {
  for (let n = from; n < rows.length && isChanged(rows[n]!); n++) {
    const [mark] = rows[n]!.marks;
    if (mark !== undefined) return mark[0];
  }
  return 0;
}

/** Numbers alone are set anew: they change where lines above come or go. */
function keepsRow(drawn: Element, old: DrawnRow, fresh: DrawnRow): boolean {
  if (!looksSame(old, fresh)) return false;
  setNumbers(drawn, old.row, fresh.row);
  return true;
}

/** Numbers aside. */
function looksSame(a: DrawnRow, b: DrawnRow): boolean {
  if (a.start !== b.start || !allSame(a.colours, b.colours, (one, other) => one.from === other.from && one.to === other.to && one.name === other.name)) return false;
  if (a.row === b.row) return true;
  const { sign, aside, text, end, marks } = a.row;
  const same = sign === b.row.sign && aside === b.row.aside && text === b.row.text && (end ?? "") === (b.row.end ?? "");
  return same && allSame(marks, b.row.marks, (one, other) => one[0] === other[0] && one[1] === other[1]);
}

function allSame<T>(a: readonly T[], b: readonly T[], same: (one: T, other: T) => boolean): boolean {
  return a === b || (a.length === b.length && a.every((one, n) => same(one, b[n]!)));
}

/** As many characters as a line of a narrow page has, about. */
const NARROW = 36;
const START = /^(\s+)\S+/;

/** The length of an indent whose first word may be too long to stand with it in one line; 0 for any other. */
function longStart(text: string): number {
  const found = START.exec(text.slice(0, 2 * NARROW));
  return found === null || found[0].length < NARROW ? 0 : found[1]!.length;
}

function pairElement(pair: DrawnPair): HTMLElement {
  const drawn = document.createElement("div");
  drawn.className = "pair";
  drawn.append(...pair.map((row) => (row === null ? withText("div", "", "row none") : rowElement(row))));
  return drawn;
}

/** One row as an element. */
function rowElement({ row, colours, start }: DrawnRow): HTMLElement {
  const drawn = document.createElement("div");
  drawn.className = row.aside === true ? `row ${row.sign} aside` : `row ${row.sign}`;
  if (row.sign === "gap") {
    drawn.append(withText("span", row.text));
    return drawn;
  }
  setNumbers(drawn, null, row);
  const code = document.createElement("code");
  code.dir = "ltr";
  if (start > 0) code.append(withText("span", `${count(start, "character")} … `, "rest"));
  const { segments, rest } = segmentsOf(row.text, colours, row.marks, start);
  let indent = start === 0 ? longStart(row.text) : 0;
  for (const segment of segments) {
    const { text } = segment;
    const holds = indent > 0 && text.length >= indent;
    if (holds) {
      // Between the two the line does not break: the indent would stand alone above its word.
      const joined = withText("span", "", "joined");
      addSegment(joined, { ...segment, text: text.slice(0, indent) });
      code.append(joined);
      if (text.length > indent) addSegment(code, { ...segment, text: text.slice(indent) });
    } else addSegment(code, segment);
    indent = holds ? 0 : Math.max(0, indent - text.length);
  }
  if (rest > 0) code.append(withText("span", `… ${count(rest, "more character")}`, "rest"));
  if (row.end) code.append(withText("span", ` ${row.end}`, "line-end"));
  code.append("\n");
  drawn.append(code);
  return drawn;
}

function setNumbers(drawn: Element, before: Row | null, row: Row): void {
  for (const side of ["old", "new"] as const) {
    if (row[side] === (before?.[side] ?? null)) continue;
    if (row[side] === null) drawn.removeAttribute(`data-${side}`);
    else drawn.setAttribute(`data-${side}`, String(row[side]));
  }
}

function addSegment(code: HTMLElement, { text, colour, marked }: Segment): void {
  const at = marked || colour !== "" ? withText("span", "", marked ? `${colour} mark` : colour) : code;
  if (at !== code) code.append(at);
  if (!mayHaveUnseen(text)) at.append(text);
  else for (const piece of visiblePieces(text)) at.append(piece.hidden === undefined ? piece.text : unseen(piece.text, piece.hidden));
}

function unseen(character: string, name: string): HTMLElement {
  const drawn = withText("span", codePoint(character), "unseen");
  drawn.title = name;
  return drawn;
}

function withText(tag: string, text: string, names = ""): HTMLElement {
  const drawn = document.createElement(tag);
  if (names !== "") drawn.className = names;
  drawn.textContent = text;
  return drawn;
}
