/** Where somebody reads in an editor, and how one that is made anew is brought there. */

import type { Line } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/**
 * The line of the cursor, how many pixels below the upper edge a line begins, and how many are out of sight on the left.
 * Lines count from 1.
 */
export interface Place {
  readonly cursor: number;
  readonly line: number;
  readonly below: number;
  readonly left: number;
}

/** The first line in sight; above where it begins, lines that are gone may stand. `scroller` is what scrolls. */
export function placeIn(view: EditorView, scroller: HTMLElement): Place {
  const { doc, selection } = view.state;
  const edge = scroller.getBoundingClientRect().top;
  const first = view.lineBlockAtHeight(edge - view.documentTop).from;
  const below = (view.coordsAtPos(first)?.top ?? edge) - edge;
  return { cursor: doc.lineAt(selection.main.head).number, line: doc.lineAt(first).number, below, left: view.scrollDOM.scrollLeft };
}

/** A line, the nearest where there is none of that number. */
export function lineOf(view: EditorView, line: number): Line {
  return view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
}

const MOST_FRAMES = 60;
const STILL = 5;

/**
 * Bring a line back to where it stood. Two sides side by side go on for some frames to learn how high their lines are,
 * and move what is below; that is made up for until it stands still, or somebody scrolls.
 */
export function goBack(view: EditorView, scroller: HTMLElement, { cursor, line, below, left: beside }: Place): void {
  const at = lineOf(view, line).from;
  const effects = EditorView.scrollIntoView(at, { y: "start", yMargin: below });
  view.dispatch({ selection: { anchor: lineOf(view, cursor).from }, effects });
  let left = MOST_FRAMES;
  let still = 0;
  const stop = (): void => void (left = 0);
  for (const act of ["wheel", "pointerdown", "keydown"]) addEventListener(act, stop, { once: true, passive: true });
  const correct = (): void => {
    if (left === MOST_FRAMES) view.scrollDOM.scrollLeft = beside;
    if (left-- <= 0 || still > STILL || !scroller.isConnected) return;
    const top = view.coordsAtPos(at)?.top;
    const off = top === undefined ? 0 : top - scroller.getBoundingClientRect().top - below;
    still = Math.abs(off) < 1 ? still + 1 : 0;
    if (still === 0) scroller.scrollTop += off;
    requestAnimationFrame(correct);
  };
  requestAnimationFrame(correct);
}
