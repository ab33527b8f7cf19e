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

/** Make the children of `box` these rows. `before` is what they are now; rows that stay as they are are not touched. */
export function drawRows(
  box: HTMLElement,
  rows: readonly Row[],
  colours: readonly (readonly Colour[])[],
  before: readonly DrawnRow[],
): readonly DrawnRow[] {
  const starts = startsOf(rows);
  const after = rows.map((row, n): DrawnRow => ({ row, colours: colours[n] ?? [], start: starts[n]! }));
  after.forEach((fresh, n) => {
    const old = before[n];
    if (old === undefined) box.append(rowElement(fresh));
    else if (!looksSame(old, fresh)) box.children[n]!.replaceWith(rowElement(fresh));
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

function looksSame(a: DrawnRow, b: DrawnRow): boolean {
  if (a.start !== b.start) return false;
  if (a.colours !== b.colours && (a.colours.length > 0 || b.colours.length > 0)) return false;
  if (a.row === b.row) return true;
  const { sign, text, old, new: fresh, marks } = a.row;
  const same =
    sign === b.row.sign && a.row.aside === b.row.aside && text === b.row.text && old === b.row.old && fresh === b.row.new && a.row.end === b.row.end;
  return same && marks.length === 0 && b.row.marks.length === 0;
}

/** As many characters as a line of a narrow page has, about. */
const NARROW = 36;
const START = /^(\s+)\S+/;

/** The length of an indent whose first word may be too long to stand with it in one line; 0 for any other. */
function longStart(text: string): number {
  const found = START.exec(text.slice(0, 2 * NARROW));
  return found === null || found[0].length < NARROW ? 0 : found[1]!.length;
}

/** One row as an element. */
export function rowElement({ row, colours, start }: DrawnRow): HTMLElement {
  const drawn = document.createElement("div");
  drawn.className = row.aside === true ? `row ${row.sign} aside` : `row ${row.sign}`;
  if (row.sign === "gap") {
    drawn.append(withText("span", row.text));
    return drawn;
  }
  if (row.old !== null) drawn.dataset["old"] = String(row.old);
  if (row.new !== null) drawn.dataset["new"] = String(row.new);
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
