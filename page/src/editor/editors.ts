/** The editors of the page: a field for code, a file to read, a diff in one column or two, a conflict to settle. */

import { goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import type { DiffMode } from "../state/ui";
import { findClashes } from "../text/clashes";
import { reading, signed, writing } from "./base";
import { clashButtons } from "./clashes";
import { collapsedByKeys } from "./collapsed";
import { lineDiff } from "./line_diff";

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

/** A file as it is. `from..to` are the lines to point at. */
export function file(parent: Element, path: string, text: string, lines: readonly [number, number] | null): Shown {
  const extensions = [reading(`${path}, read only`, path), pointing(lines)];
  const view = new EditorView({ parent, doc: text, extensions });
  if (lines !== null) scrollTo(view, lines[0]);
  return shown(view, () => view.destroy());
}

export interface DiffOptions {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly mode: DiffMode;
  readonly lines: readonly [number, number] | null;
}

const COLLAPSED = { margin: 4, minSize: 8 };
const DIFF = { override: lineDiff };

/** Two versions of a file. */
export function diff(parent: Element, options: DiffOptions): Shown {
  return options.mode === "split" ? split(parent, options) : unified(parent, options);
}

function unified(parent: Element, { path, before, after, lines }: DiffOptions): Shown {
  const view = new EditorView({
    parent,
    doc: after,
    extensions: [
      reading(`${path}, changes, read only`, path),
      signed,
      collapsedByKeys,
      pointing(lines),
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: COLLAPSED, diffConfig: DIFF }),
    ],
  });
  if (lines !== null) scrollTo(view, lines[0]);
  return shown(view, () => view.destroy());
}

function split(parent: Element, { path, before, after, lines }: DiffOptions): Shown {
  const shared = [signed, collapsedByKeys, EditorView.lineWrapping];
  const merge = new MergeView({
    parent,
    a: { doc: before, extensions: [reading(`${path}, before, read only`, path), shared] },
    b: { doc: after, extensions: [reading(`${path}, after, read only`, path), shared, pointing(lines)] },
    collapseUnchanged: COLLAPSED,
    diffConfig: DIFF,
  });
  if (lines !== null) scrollTo(merge.b, lines[0]);
  return shown(merge.b, () => merge.destroy());
}

function shown(view: EditorView, destroy: () => void): Shown {
  return {
    focus: () => view.focus(),
    destroy,
    goTo: (line) => scrollTo(view, line),
    step(direction) {
      (direction === 1 ? goToNextChunk : goToPreviousChunk)(view);
    },
  };
}

function scrollTo(view: EditorView, line: number): void {
  const at = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
  view.dispatch({ selection: { anchor: at.from }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
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
