/** The editors of the page: a field for code, a file to read, a diff in one column or two, a conflict to settle. */

import { getChunks, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import type { DiffMode } from "../state/ui";
import { findClashes } from "../text/clashes";
import { reading, signed, writing } from "./base";
import { clashButtons } from "./clashes";
import { collapsedByKeys } from "./collapsed";
import { lineDiff } from "./line_diff";
import { goBack, placeIn, startOf, type Place } from "./place";

export { coloursReady } from "./base";

/** An editor on the page. */
export interface Field {
  focus(): void;
  destroy(): void;
}

/** A file or a diff on the page. Lines count from 1, in the text after the change. */
export interface Shown extends Field {
  goTo(line: number): void;
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
  const view = new EditorView({ parent, doc: value, extensions: writing(label, path, onChange) });
  return { focus: () => view.focus(), destroy: () => view.destroy() };
}

/** A text with conflict markers, with buttons at each to take a side; the first one is in view. */
export function conflictField(parent: Element, options: FieldOptions): Field {
  const { label, path, value, onChange } = options;
  const extensions = [writing(label, path, onChange), clashButtons];
  const view = new EditorView({ parent, doc: value, extensions });
  const [first] = findClashes(value);
  if (first !== undefined) scrollTo(view, first.start);
  return { focus: () => view.focus(), destroy: () => view.destroy() };
}

/** What a viewer opens at: lines to point at, else the first change; or where it was read before it was drawn anew. */
export interface Opened {
  readonly lines: readonly [number, number] | null;
  readonly place: Place | null;
}

export interface FileOptions extends Opened {
  readonly path: string;
  readonly text: string;
}

/** A file as it is. */
export function file(parent: Element, { path, text, ...at }: FileOptions): Shown {
  const extensions = [reading(`${path}, read only`, path), pointing(at.lines)];
  const view = new EditorView({ parent, doc: text, extensions });
  return opened(view, at, view.scrollDOM, () => view.destroy());
}

export interface DiffOptions extends Opened {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly mode: DiffMode;
}

const COLLAPSED = { margin: 4, minSize: 8 };
const DIFF = { override: lineDiff };

/** Two versions of a file. */
export function diff(parent: Element, options: DiffOptions): Shown {
  return options.mode === "split" ? split(parent, options) : unified(parent, options);
}

function unified(parent: Element, { path, before, after, ...at }: DiffOptions): Shown {
  const view = new EditorView({
    parent,
    doc: after,
    extensions: [
      reading(`${path}, changes, read only`, path),
      signed,
      collapsedByKeys,
      pointing(at.lines),
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: COLLAPSED, diffConfig: DIFF }),
    ],
  });
  return opened(view, at, view.scrollDOM, () => view.destroy());
}

function split(parent: Element, { path, before, after, ...at }: DiffOptions): Shown {
  const shared = [signed, collapsedByKeys, EditorView.lineWrapping];
  const merge = new MergeView({
    parent,
    a: { doc: before, extensions: [reading(`${path}, before, read only`, path), shared] },
    b: { doc: after, extensions: [reading(`${path}, after, read only`, path), shared, pointing(at.lines)] },
    collapseUnchanged: COLLAPSED,
    diffConfig: DIFF,
  });
  return opened(merge.b, at, merge.dom, () => merge.destroy());
}

/** `scroller` is the element that scrolls, the editor or what both sides stand in. */
function opened(view: EditorView, { lines, place }: Opened, scroller: HTMLElement, destroy: () => void): Shown {
  if (place !== null) goBack(view, scroller, place);
  else if (lines !== null) scrollTo(view, lines[0]);
  else goToFirst(view);
  return {
    focus: () => view.focus(),
    destroy,
    goTo: (line) => scrollTo(view, line),
    place: () => placeIn(view, scroller),
    step(direction) {
      (direction === 1 ? goToNextChunk : goToPreviousChunk)(view);
    },
  };
}

/** To the first change, also where it stands in the first line. */
function goToFirst(view: EditorView): void {
  const first = getChunks(view.state)?.chunks[0];
  if (first !== undefined) scrollTo(view, view.state.doc.lineAt(Math.min(first.fromB, view.state.doc.length)).number);
}

function scrollTo(view: EditorView, line: number): void {
  const at = startOf(view, line);
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
}

/** Marks the lines that the viewer was opened at. */
function pointing(lines: readonly [number, number] | null): Extension {
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
