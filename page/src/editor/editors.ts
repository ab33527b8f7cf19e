/** The editors of the page: a field for code, a file to read, a diff in one column or two, a conflict to settle. */

import { getChunks, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, StateField, Text, type Extension } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import type { DiffMode } from "../state/ui";
import { findClashes } from "../text/clashes";
import { editorLines } from "../text/lines";
import { reading, signed, writing } from "./base";
import { clashButtons } from "./clashes";
import { collapsedByKeys } from "./collapsed";
import "./line_chunks";
import { goBack, lineOf, placeIn, type Place } from "./place";

export { coloursReady } from "./base";

/** An editor on the page. */
export interface Field {
  focus(): void;
  destroy(): void;
}

/** First and last of some lines, counted from 1, in the text after the change. */
export type Lines = readonly [first: number, last: number];

/** A file or a diff on the page. */
export interface Shown extends Field {
  goTo(lines: Lines): void;
  step(direction: 1 | -1): void;
  place(): Place;
}

export interface FieldOptions {
  readonly label: string;
  readonly path: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A field for code. */
export function codeField(parent: Element, options: FieldOptions): Field {
  const { label, path, value, onChange } = options;
  const view = new EditorView({ parent, doc: documentOf(value), extensions: writing(label, path, onChange) });
  return { focus: () => view.focus(), destroy: () => view.destroy() };
}

/** A text with conflict markers, with buttons at each to take a side; the first one is in view. */
export function conflictField(parent: Element, options: FieldOptions): Field {
  const { label, path, value, onChange } = options;
  const extensions = [writing(label, path, onChange), clashButtons];
  const view = new EditorView({ parent, doc: documentOf(value), extensions });
  const [first] = findClashes(value);
  if (first !== undefined) goTo(view, [first.start, first.start]);
  return { focus: () => view.focus(), destroy: () => view.destroy() };
}

/** What a viewer opens at: lines to point at, else the first change; or where it was read before it was drawn anew. */
export interface Opened {
  readonly lines: Lines | null;
  readonly place: Place | null;
}

export interface FileOptions extends Opened {
  readonly path: string;
  readonly text: string;
  /** It scrolls itself alone, and nothing that it stands in. */
  readonly alone?: boolean;
}

/** A file as it is. */
export function file(parent: Element, { path, text, alone = false, ...at }: FileOptions): Shown {
  const extensions = [reading(`${path}, read only`, path), pointing(at.lines), alone ? scrollsAlone : []];
  const view = new EditorView({ parent, doc: documentOf(text), extensions });
  return opened(view, at, view.scrollDOM, () => view.destroy());
}

export interface DiffOptions extends Opened {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly mode: DiffMode;
}

const COLLAPSED = { margin: 4, minSize: 8 };

/** Two versions of a file. */
export function diff(parent: Element, options: DiffOptions): Shown {
  return options.mode === "split" ? split(parent, options) : unified(parent, options);
}

function unified(parent: Element, { path, before, after, ...at }: DiffOptions): Shown {
  const view = new EditorView({
    parent,
    doc: documentOf(after),
    extensions: [
      reading(`${path}, changes, read only`, path),
      signed,
      collapsedByKeys,
      pointing(at.lines),
      unifiedMergeView({ original: documentOf(before), mergeControls: false, collapseUnchanged: COLLAPSED }),
    ],
  });
  return opened(view, at, view.scrollDOM, () => view.destroy());
}

function split(parent: Element, { path, before, after, ...at }: DiffOptions): Shown {
  const shared = [signed, collapsedByKeys, EditorView.lineWrapping];
  const merge = new MergeView({
    parent,
    a: { doc: documentOf(before), extensions: [reading(`${path}, before, read only`, path), shared] },
    b: { doc: documentOf(after), extensions: [reading(`${path}, after, read only`, path), shared, pointing(at.lines)] },
    collapseUnchanged: COLLAPSED,
  });
  return opened(merge.b, at, merge.dom, () => merge.destroy());
}

/** A text by the lines that the page counts; a lone `\r` is a character among others. */
function documentOf(text: string): Text {
  return Text.of(editorLines(text));
}

/** `scroller` is the element that scrolls, the editor or what both sides stand in. */
function opened(view: EditorView, { lines, place }: Opened, scroller: HTMLElement, destroy: () => void): Shown {
  if (place !== null) goBack(view, scroller, place);
  else if (lines !== null) goTo(view, lines);
  else changes(view).slice(0, 1).forEach(([first]) => show(view, first!));
  return {
    focus: () => view.focus(),
    destroy,
    goTo: (wanted) => goTo(view, wanted),
    place: () => placeIn(view, scroller),
    step: (direction) => step(view, direction),
  };
}

/** Where the changes are, by runs of changed lines: they may be far behind the start of a long line. */
function changes({ state }: EditorView): number[][] {
  const chunks = getChunks(state)?.chunks ?? [];
  return chunks.map((chunk) => chunk.changes.map(({ fromB }) => Math.min(chunk.fromB + fromB, state.doc.length)));
}

/** To the next run of changed lines, and from the last to the first. */
function step(view: EditorView, direction: 1 | -1): void {
  const here = view.state.selection.main.head;
  const runs = changes(view).map(([first]) => first!);
  const next = direction === 1 ? (runs.find((at) => at > here) ?? runs[0]) : (runs.findLast((at) => at < here) ?? runs.at(-1));
  if (next !== undefined) show(view, next);
}

/** To the first change among some lines, else to where they begin. */
function goTo(view: EditorView, [first, last]: Lines): void {
  const [from, to] = [lineOf(view, first).from, lineOf(view, last).to];
  show(view, changes(view).flat().find((at) => at >= from && at <= to) ?? from);
}

/** Bring a character into sight, with what stands around it. */
function show(view: EditorView, at: number): void {
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center", xMargin: AROUND }) });
}

const AROUND = 120; // pixels beside a character that was scrolled to

const scrollsAlone = EditorView.scrollHandler.of((view, { head }) => {
  view.scrollDOM.scrollTop = view.lineBlockAt(head).top - view.scrollDOM.clientHeight / 3;
  return true;
});

/** Marks the lines that the viewer was opened at. */
function pointing(lines: Lines | null): Extension {
  if (lines === null) return [];
  const decorate = (state: EditorState): DecorationSet => {
    const last = Math.min(lines[1], state.doc.lines);
    const marks = [];
    for (let n = Math.max(1, lines[0]); n <= last; n++) {
      marks.push(Decoration.line({ class: "target" }).range(state.doc.line(n).from));
    }
    return Decoration.set(marks);
  };
  return StateField.define<DecorationSet>({
    create: decorate,
    update: (set, transaction) => set.map(transaction.changes),
    provide: (field) => EditorView.decorations.from(field),
  });
}
