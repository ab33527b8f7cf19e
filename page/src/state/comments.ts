/**
 * Comments on lines of a reply's changes, which go to the model with the next request.
 *
 * They are this tab's own until they are sent, and survive a reload.
 */

import { effect, signal } from "@preact/signals";

/** A comment on one line; `side` says whether the line is counted in the file before or after the change. */
export interface LineComment {
  readonly turn: string;
  readonly path: string;
  readonly line: number;
  readonly side: "old" | "new";
  /** The line as it stands there. */
  readonly quote: string;
  readonly text: string;
}

const NAME = "dovetail.comments";

export const comments = signal<readonly LineComment[]>(kept());

export function addComment(comment: LineComment): void {
  comments.value = [...comments.value, comment];
}

/** Give a comment another text. */
export function changeComment(comment: LineComment, text: string): void {
  comments.value = comments.value.map((one) => (one === comment ? { ...one, text } : one));
}

export function removeComment(comment: LineComment): void {
  comments.value = comments.value.filter((one) => one !== comment);
}

/** A request with all comments behind it, as the model reads them. */
export function withComments(request: string, all: readonly LineComment[]): string {
  if (all.length === 0) return request;
  const begin = request.trim() === "" ? "Please change your edits as these comments say." : request.trim();
  const lines = all.map(({ path, line, side, quote, text }) => {
    const where = side === "new" ? `line ${line} after the edits` : `line ${line} of the file before the edits`;
    return `- ${path}, ${where}, \`${quote.trim()}\`: ${text.trim()}`;
  });
  return `${begin}\n\nComments on the edits:\n${lines.join("\n")}`;
}

function kept(): readonly LineComment[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? "[]");
    return Array.isArray(found) ? (found as LineComment[]) : [];
  } catch {
    return []; // the browser keeps nothing for this page, or something else is kept
  }
}

effect(() => {
  try {
    if (comments.value.length === 0) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, JSON.stringify(comments.value));
  } catch {
    // they last as long as the page
  }
});
