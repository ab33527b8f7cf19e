/** Folded lines of a diff, which the library opens by a click alone, are buttons for the keyboard too. */

import { EditorView, ViewPlugin } from "@codemirror/view";

const FOLDED = ".cm-collapsedLines";

/** The folds come and go as one scrolls; what is drawn is made a button each time. */
const asButtons = ViewPlugin.define((view) => {
  const mark = (): void => {
    for (const fold of view.contentDOM.querySelectorAll<HTMLElement>(`${FOLDED}:not([role])`)) {
      fold.setAttribute("role", "button");
      fold.tabIndex = 0;
    }
  };
  const soon = (): void => view.requestMeasure({ key: mark, read: () => null, write: mark });
  soon();
  return { update: soon };
});

const openByKey = EditorView.domEventHandlers({
  keydown(event) {
    const fold = event.target instanceof Element ? event.target.closest<HTMLElement>(FOLDED) : null;
    if (fold === null || (event.key !== "Enter" && event.key !== " ")) return false;
    event.preventDefault();
    fold.click();
    return true;
  },
});

export const collapsedByKeys = [asButtons, openByKey];
