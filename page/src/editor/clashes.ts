/**
 * Buttons at each conflict of a merged text: take the file's lines, the reply's, or both.
 *
 * Owns how markers are read: `<<<<<<<`, `=======`, `>>>>>>>`, each of seven signs, in this order.
 */

import { StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import { findClashes, sideOf, type Clash, type Side } from "../text/clashes";

const SIDES: readonly (readonly [Side, string])[] = [
  ["file", "Take the file’s"],
  ["reply", "Take the reply’s"],
  ["both", "Take both"],
];

class ClashWidget extends WidgetType {
  constructor(readonly index: number, readonly total: number) {
    super();
  }

  override eq(other: ClashWidget): boolean {
    return other.index === this.index && other.total === this.total;
  }

  override toDOM(view: EditorView): HTMLElement {
    const bar = document.createElement("div");
    bar.className = "clash-bar";
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", `Conflict ${this.index + 1} of ${this.total}`);
    const title = document.createElement("span");
    title.textContent = `Conflict ${this.index + 1} of ${this.total}`;
    bar.append(title, ...SIDES.map(([side, text]) => this.button(view, side, text)));
    return bar;
  }

  override ignoreEvent(): boolean {
    return true;
  }

  private button(view: EditorView, side: Side, text: string): HTMLElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = text;
    button.addEventListener("click", () => settle(view, this.index, side));
    return button;
  }
}

function settle(view: EditorView, index: number, side: Side): void {
  const clash = clashesOf(view.state)[index];
  if (clash === undefined) return;
  const { doc } = view.state;
  const from = doc.line(clash.start).from;
  const to = Math.min(doc.line(clash.end).to + 1, doc.length);
  view.dispatch({ changes: { from, to, insert: sideOf(doc.toString(), clash, side) } });
  view.focus();
}

function clashesOf(state: EditorState): Clash[] {
  return findClashes(state.doc.toString());
}

function decorations(state: EditorState): DecorationSet {
  const clashes = clashesOf(state);
  return Decoration.set(
    clashes.flatMap((clash, index) => {
      const at = (line: number): number => state.doc.line(line).from;
      const lines = [];
      for (let n = clash.start; n <= clash.end; n++) {
        const part = n < clash.divider ? "ours" : n > clash.divider ? "theirs" : "divider";
        const edge = n === clash.start || n === clash.end ? " edge" : "";
        lines.push(Decoration.line({ class: `clash-line ${part}${edge}` }).range(at(n)));
      }
      const widget = new ClashWidget(index, clashes.length);
      return [Decoration.widget({ widget, block: true, side: -1 }).range(at(clash.start)), ...lines];
    }),
    true,
  );
}

export const clashButtons: Extension = StateField.define<DecorationSet>({
  create: decorations,
  update: (set, transaction) => (transaction.docChanged ? decorations(transaction.state) : set),
  provide: (field) => EditorView.decorations.from(field),
});
