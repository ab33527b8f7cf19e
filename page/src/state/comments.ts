/**
 * Comments on lines of a reply's changes. They belong to the turn: the server keeps them, and all tabs have the same.
 *
 * What is sent to the model is marked with the reply that came of it, and stays where it stands.
 */

import { computed } from "@preact/signals";
import type { LineComment } from "../api/wire";
import { removeComment, saveComment } from "./actions";
import { turns } from "./store";

export type { LineComment };

export interface TurnComment extends LineComment {
  readonly turn: string;
}

/** All that were not sent yet. */
export const comments = computed<readonly TurnComment[]>(() =>
  turns.value.flatMap((turn) => turn.comments.flatMap((one) => (one.round === null ? [{ ...one, turn: turn.id }] : []))),
);

export const addComment = (turn: string, comment: Omit<LineComment, "id" | "round">): void => void saveComment(turn, comment);

/** Give a comment another text. */
export const changeComment = (turn: string, comment: LineComment, text: string): void =>
  void saveComment(turn, { ...comment, text }, comment);

export const dropComment = (turn: string, comment: LineComment): void => void removeComment(turn, comment);

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
