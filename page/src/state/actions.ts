/**
 * What a person can do, each as one request. What it changes comes back as events, in every tab.
 *
 * A refusal becomes a notice with the server's own words and next step; no action throws.
 */

import { ApiError, get, part, post } from "../api/client";
import type { Conflict, FileView, OperationView, Undone } from "../api/answers";
import type { Edit, Held, Plan, Settings, Turn } from "../api/wire";
import { announce } from "./announce";
import { settled } from "./by_hand";
import { loadTree, turnById } from "./store";
import { notify } from "./ui";

/** Run a request; null where it was refused. */
export async function attempt<T>(request: () => Promise<T>): Promise<T | null> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    notify("error", error.problem.message, error.problem.hint);
    return null;
  }
}

function turnPath(turn: string, act: string): string {
  return `turns/${part(turn)}/${act}`;
}

export const ask = (request: string): Promise<{ turn: string } | null> =>
  attempt(() => post("turns", { kind: "ask", request }));

export const paste = (reply: string, format: string): Promise<{ turn: string } | null> =>
  attempt(() => post("turns", { kind: "paste", reply, format }));

export const cancel = (turn: string): Promise<unknown> => attempt(() => post(turnPath(turn, "cancel")));

/** Write edits of the plan that is shown: all that land, or those chosen by number or by file. */
export async function apply(turn: Turn, choice: { edits?: readonly number[]; paths?: readonly string[] } = {}): Promise<void> {
  const plan = (await settled(turn.id)) ? turnById(turn.id)?.plan : turn.plan;
  if (plan == null) return;
  const body = { plan: plan.version, edits: choice.edits ?? null, paths: choice.paths ?? null };
  type Answer = { operation: string | null; edits: readonly number[] };
  const answer = await attempt(() => post<Answer>(turnPath(turn.id, "apply"), body));
  if (answer === null) return;
  const count = answer.edits.length;
  announce(`Wrote ${count} ${count === 1 ? "edit" : "edits"}.`);
}

export const skip = (turn: string, edits: readonly number[], value: boolean): Promise<unknown> =>
  attempt(() => post(turnPath(turn, "skip"), { edits, skip: value }));

export const place = (turn: string, edit: number, line: number | null): Promise<unknown> =>
  attempt(() => post(turnPath(turn, "place"), { edit, line }));

export type Rewritten = { edit: Edit; plan: Plan };

export const rewrite = (
  turn: string,
  edit: number,
  text: { path: string; search: string; replace: string },
): Promise<Rewritten | null> => attempt(() => post(turnPath(turn, "edit"), { edit, ...text }));

export const restore = (turn: string, edit: number): Promise<Rewritten | null> =>
  attempt(() => post(turnPath(turn, "edit"), { edit, original: true }));

export const retry = (turn: string, edits: readonly number[] | null): Promise<unknown> =>
  attempt(() => post(turnPath(turn, "retry"), { edits }));

export const resolve = (
  turn: string,
  path: string,
  choice: "file" | "reply" | "markers" | "text" | null,
  digest: string,
  text: string | null = null,
): Promise<unknown> => attempt(() => post(turnPath(turn, "resolve"), { path, choice, text, digest }));

export const replan = (turn: string): Promise<unknown> => attempt(() => post(turnPath(turn, "replan")));
export const decline = (turn: string): Promise<unknown> => attempt(() => post(turnPath(turn, "decline")));
export const reopen = (turn: string): Promise<unknown> => attempt(() => post(turnPath(turn, "reopen")));

export const answer = (question: string, value: unknown): Promise<unknown> =>
  attempt(() => post(`questions/${part(question)}`, { answer: value }));

/** Take back an operation, or some of its edits; by default the newest. */
export async function undo(operation: string | null = null, edits: readonly number[] | null = null): Promise<void> {
  say("Took back", await attempt(() => post<Undone>("undo", { operation, edits, dry_run: false })));
}

/** Bring back what the last undo took. */
export async function redo(): Promise<void> {
  say("Brought back", await attempt(() => post<Undone>("redo", { dry_run: false })));
}

function say(what: string, done: Undone | null): void {
  if (done === null) return;
  announce(`${what}: ${done.changes.map((change) => change.path).join(", ")}.`);
  for (const note of done.notes) notify("note", note);
}

export const hold = (change: { add?: string[]; read_only?: string[]; drop?: string[] }): Promise<Held | null> =>
  attempt(() => post("held", change));

export const configure = (change: Partial<Settings>): Promise<Settings | null> =>
  attempt(() => post("settings", change));

export const fileOfTurn = (turn: string, path: string): Promise<FileView | null> =>
  attempt(() => get(turnPath(turn, "file"), { path }));

export const conflictOf = (turn: string, path: string): Promise<Conflict | null> =>
  attempt(() => get(turnPath(turn, "conflict"), { path }));

export const operationView = (id: string): Promise<OperationView | null> =>
  attempt(() => get(`operations/${part(id)}`));

export type Made = { readonly files: readonly string[]; readonly begin: readonly string[] };

/** Make a project from a template; null where that was refused. */
export async function useTemplate(name: string, variables: Readonly<Record<string, string>>): Promise<Made | null> {
  const made = await attempt(() => post<Made>(`templates/${part(name)}`, { variables }));
  if (made !== null) await loadTree();
  return made;
}

/** Put a text on the clipboard, and say so. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(`Copied ${what}.`);
  } catch {
    notify("error", "The browser does not let this page write to the clipboard.", "Select the text and copy it.");
  }
}
