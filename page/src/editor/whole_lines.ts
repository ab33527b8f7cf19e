/**
 * Takes the marks off lines that changed as a whole: marks tell what changed inside a line, and there they tell nothing.
 *
 * Looks at the lines that are drawn, after each drawing; the merge view offers no other way to know its marks.
 */

import { ViewPlugin, type EditorView } from "@codemirror/view";

const LINES = ".cm-changedLine, .cm-deletedChunk .cm-deletedLine";
const MARKS = ".cm-changedText, .cm-deletedText";

export const wholeLines = ViewPlugin.define((view) => {
  schedule(view);
  return { update: (update) => schedule(update.view) };
});

function schedule(view: EditorView): void {
  view.requestMeasure({
    key: wholeLines,
    read: () => [...view.contentDOM.querySelectorAll(LINES)].map((line) => [line, isWhole(line)] as const),
    write: (lines) => lines.forEach(([line, whole]) => line.classList.toggle("whole", whole)),
  });
}

function isWhole(line: Element): boolean {
  const marked = [...line.querySelectorAll(MARKS)].reduce((sum, mark) => sum + signs(mark), 0);
  return marked >= signs(line);
}

/** How many characters there are to see. */
function signs(element: Element): number {
  return (element.textContent ?? "").replace(/\s/g, "").length;
}
