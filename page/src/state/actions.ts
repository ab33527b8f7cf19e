/**
 * What a person can do, each as one request. What it changes comes back as events, in every tab.
 *
 * A refusal becomes a notice with the server's own words and the next act, unless a form shows it; no action throws.
 */

import { ApiError, get, part, post } from "../api/client";
import type { AgentSession, Conflict, Conversation, FileView, OperationView, PlainFile, RecordedFile, TakenBack, Undone } from "../api/answers";
import type { Edit, Held, LineComment, Plan, Problem, Settings, Turn } from "../api/wire";
import { announce } from "./announce";
import { inTurn, settled } from "./by_hand";
import { complain, newestNotice, notify, succeeded, type Cause } from "./notices";
import { turnById } from "./store";
import { target, type Target } from "./ui";

/** Run a request; null where it was refused. */
export async function attempt<T>(request: () => Promise<T>, cause: Cause = "act"): Promise<T | null> {
  const begun = newestNotice();
  try {
    const answer = await request();
    succeeded(cause, begun);
    return answer;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    complain(error.problem, error.status === 0 ? "server" : cause);
    return null;
  }
}

/** Run a request for a form, which says itself what was wrong; null where nothing was. */
export async function refusal(request: () => Promise<unknown>): Promise<Problem | null> {
  const begun = newestNotice();
  try {
    await request();
    succeeded("act", begun);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.problem;
  }
}

function turnPath(turn: string, act: string): string {
  return `turns/${part(turn)}/${act}`;
}

export const ask = (request: string): Promise<{ turn: string } | null> =>
  attempt(() => post("turns", { kind: "ask", request }));

/** What the composer sends; why it was refused is said there. */
export const sendRequest = (request: string): Promise<Problem | null> =>
  refusal(() => post("turns", { kind: "ask", request }));

export const sendReply = (reply: string, format: string): Promise<Problem | null> =>
  refusal(() => post("turns", { kind: "paste", reply, format }));

export const cancel = (turn: string): Promise<unknown> => attempt(() => post(turnPath(turn, "cancel")));

/** What an apply wrote, and the number of the plan that is left. */
export type Applied = { readonly operation: string | null; readonly edits: readonly number[]; readonly plan: number | null };

/** Write edits of the plan that is shown: all that land, or those chosen by number or by file; null where that was refused. */
export async function apply(turn: Turn, choice: { edits?: readonly number[]; paths?: readonly string[] } = {}): Promise<Applied | null> {
  const before = await settled(turn.id);
  const answer = await inTurn(turn.id, () => {
    const { plan, state } = before ? (turnById(turn.id) ?? turn) : turn;
    if (plan === null && state !== "running") return Promise.resolve(null);
    const body = { plan: plan?.version ?? null, edits: choice.edits ?? null, paths: choice.paths ?? null };
    return attempt(() => post<Applied>(turnPath(turn.id, "apply"), body));
  });
  if (answer === null) return null;
  const count = answer.edits.length;
  announce(`Wrote ${count} ${count === 1 ? "edit" : "edits"}.`);
  return answer;
}

type Replanned = { readonly plan: number | null };

export const skip = (turn: string, edits: readonly number[], value: boolean): Promise<unknown> =>
  inTurn(turn, () => attempt(() => post<Replanned>(turnPath(turn, "skip"), { edits, skip: value })));

export const place = (turn: string, edit: number, line: number | null): Promise<unknown> =>
  inTurn(turn, () => attempt(() => post<Replanned>(turnPath(turn, "place"), { edit, line })));

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

/** Keep a comment: a new one, or another text in place of one that stands as it was seen. */
export const saveComment = (turn: string, now: Omit<LineComment, "id" | "round">, before?: LineComment): Promise<unknown> => {
  const { path, line, side, quote, text } = now;
  return attempt(() => post(turnPath(turn, "comment"), { path, line, side, quote, text, id: before?.id ?? null, before: before?.text ?? null }));
};

export const removeComment = (turn: string, comment: LineComment): Promise<unknown> =>
  attempt(() => post(turnPath(turn, "comment"), { id: comment.id, before: comment.text, text: null }));

/** Have the model answer the comments on a turn that were not sent. */
export const sendComments = (turn: string): Promise<unknown> => attempt(() => post(turnPath(turn, "comments")));

/** Have a listing be an edit of a file. */
export const useListing = (turn: string, line: number, path: string): Promise<unknown> =>
  attempt(() => post<{ edit: number }>(turnPath(turn, "listing"), { line, path }));

/** Write what the commands of a turn would change; none is run. */
export const writeCommands = (turn: Turn): Promise<unknown> =>
  inTurn(turn.id, () => attempt(() => post<Applied>(turnPath(turn.id, "commands"), { plan: turn.plan?.version ?? 0 })));

/** Plan what came of a turn that broke off. */
export const useArrived = (turn: string): Promise<unknown> => attempt(() => post(turnPath(turn, "arrived")));

export const resolve = (
  turn: string,
  path: string,
  choice: "file" | "reply" | "markers" | "text" | null,
  digest: string,
  text: string | null = null,
): Promise<unknown> => attempt(() => post(turnPath(turn, "resolve"), { path, choice, text, digest }));

/** Notice what others did meanwhile with the files and the journal. */
export const lookAround = (): Promise<unknown> => attempt(() => post("look"), "view");
export const decline = (turn: string): Promise<unknown> => attempt(() => post(turnPath(turn, "decline")));
export const reopen = (turn: string): Promise<unknown> => attempt(() => post(turnPath(turn, "reopen")));

export const answer = (question: string, value: boolean): Promise<unknown> =>
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
  const [first, ...rest] = done.changes.map((change) => change.path);
  const files = first === undefined ? "no file had to change" : rest.length > 0 ? `${first} and ${rest.length} more` : first;
  notify("note", [`${what}: ${files}.`, ...done.notes].join(" "));
}

export const hold = (change: { add?: string[]; read_only?: string[]; drop?: string[] }): Promise<Held | null> =>
  attempt(() => post("held", change));

export const configure = (change: Partial<Settings>): Promise<Problem | null> =>
  refusal(() => post("settings", change));

/** A file of a turn; where the turn has none of that name any more, what is on disk is shown instead. */
export const fileOfTurn = (target: Of<"turn">): Promise<FileView | null> =>
  viewed(target, "file", { kind: "file", path: target.path, line: null });

/** Both sides of a file; where there is nothing to settle any more, what becomes of the file is shown instead. */
export const conflictOf = (target: Of<"conflict">): Promise<Conflict | null> =>
  viewed(target, "conflict", { kind: "turn", turn: target.turn, path: target.path, n: null });

type Of<K extends Target["kind"]> = Extract<Target, { kind: K }>;

function viewed<T>(from: Of<"turn" | "conflict">, what: string, otherwise: Target): Promise<T | null> {
  const { turn, path } = from;
  return attempt(async () => {
    try {
      return await get<T>(turnPath(turn, what), { path });
    } catch (error) {
      if (!(error instanceof ApiError) || ![404, 422].includes(error.status)) throw error;
      if (target.peek() === from) target.value = otherwise;
      return null;
    }
  }, "view");
}

/** A file as it is on disk; one that cannot be shown says why in its place. */
export const plainFile = (path: string): Promise<PlainFile | null> => attempt(() => readable(path), "view");

async function readable(path: string): Promise<PlainFile> {
  try {
    return await get<PlainFile>("file", { path });
  } catch (error) {
    if (!(error instanceof ApiError) || ![403, 404].includes(error.status)) throw error;
    const { code, message } = error.problem;
    return { path, text: null, digest: null, problem: code, detail: message, language: null, lines: 0 };
  }
}

export const operationView = (id: string): Promise<OperationView | null> =>
  attempt(() => get(`operations/${part(id)}`), "view");

/** `folder`: where the files are, where that is another folder. */
export type Made = { readonly files: readonly string[]; readonly begin: readonly string[]; readonly folder: string | null };

/** Make a project from a template, here or in another folder; null where that was refused. */
export const useTemplate = (name: string, variables: Readonly<Record<string, string>>, folder: string): Promise<Made | null> =>
  attempt(() => post(`templates/${part(name)}`, { variables, folder: folder.trim() === "" ? null : folder }));

// --- Conversations

export const listConversations = (): Promise<readonly Conversation[] | null> =>
  attempt(async () => (await get<{ conversations: readonly Conversation[] }>("conversations")).conversations, "view");

export const beginAnew = (): Promise<unknown> => attempt(() => post("conversations"));

/** Go on with a kept conversation. */
export async function goOn(id: string): Promise<boolean> {
  const done = await attempt(() => post<{ warnings: readonly string[] }>(`conversations/${part(id)}`));
  done?.warnings.forEach((warning) => notify("note", warning));
  return done !== null;
}

export const trySample = (): Promise<unknown> => attempt(() => post("sample"));
export const leaveSample = (): Promise<unknown> => attempt(() => post("sample/leave"));

/** Read a pasted reply in another format, as a new turn. */
export const readAgain = (turn: string, format: string): Promise<unknown> =>
  attempt(() => post(turnPath(turn, "read"), { format }));

// --- Where models are asked

/** Use a key, an address or both until the server ends. */
export const connect = (given: { provider: string; key?: string; address?: string }): Promise<Problem | null> =>
  refusal(() => post("provider", given));

export const listModels = (provider: string): Promise<readonly string[] | null> =>
  attempt(async () => (await get<{ models: readonly string[] }>("models", { provider })).models);

/** Keep the settings in the user's own file; where that is. */
export const keepSettings = (): Promise<string | null> =>
  attempt(async () => (await post<{ path: string }>("settings/save")).path);

/**
 * Put a text on the clipboard, and say so; false where the browser forbids it, or where there is none.
 *
 * One that is still to come is promised at once: a browser lets a page write while it answers a press, and to some of
 * them the wait for a server is the end of that.
 */
export async function copy(text: string | null | Promise<string | null>, what: string): Promise<boolean> {
  const coming = Promise.resolve(text);
  try {
    await write(coming.then((taken) => taken ?? Promise.reject(new Error("nothing to copy"))));
    announce(`Copied ${what}.`);
    return true;
  } catch {
    if ((await coming) === null) return false;
    notify("error", "The browser does not let this page write to the clipboard.", "Select the text and copy it.");
    return false;
  }
}

function write(text: Promise<string>): Promise<void> {
  const { clipboard } = navigator;
  if (!("ClipboardItem" in window)) return text.then((taken) => clipboard.writeText(taken));
  const type = "text/plain";
  return clipboard.write([new ClipboardItem({ [type]: text.then((taken) => new Blob([taken], { type })) })]);
}

// --- What agents did

export const agentSessions = (): Promise<readonly AgentSession[] | null> =>
  attempt(async () => (await get<{ sessions: readonly AgentSession[] }>("agents")).sessions, "view");

/** Which recorded changes: of a session, one of its requests, since a time. */
export interface Recorded {
  readonly session: string | null;
  readonly prompt: number | null;
  readonly since: string | null;
  /** A range of commits instead, which git takes back. */
  readonly commits?: string | null;
}

export const recordedFiles = ({ session, prompt, since, commits = null }: Recorded): Promise<readonly RecordedFile[] | null> => {
  const asked = { ...(session === null ? {} : { session }), ...(prompt === null ? {} : { prompt: String(prompt) }), ...(since === null ? {} : { since }), ...(commits === null ? {} : { commits }) };
  return attempt(async () => (await get<{ files: readonly RecordedFile[] }>("recorded", asked)).files, "view");
};

/** What is taken back: all of some operations, or what they did to some paths. */
export interface Back {
  readonly operations: readonly string[];
  readonly paths: readonly string[] | null;
}

const ALL_SESSIONS = { session: null, prompt: null, since: null };

/** What taking something back would do; files that cannot be merged are among what is left. */
export const wouldTakeBack = (back: Back): Promise<TakenBack | null> =>
  attempt(() => post<TakenBack>("recorded/undo", { ...back, ...ALL_SESSIONS, dry_run: true, except_conflicts: true }));

/** `leaves`: somebody has agreed that such files stay as they are. */
export const takeBack = (back: Back, leaves: boolean): Promise<TakenBack | null> =>
  attempt(() => post<TakenBack>("recorded/undo", { ...back, ...ALL_SESSIONS, dry_run: false, except_conflicts: leaves }));

export const takeBackLines = (operation: string, path: string, chunks: readonly number[]): Promise<unknown> =>
  attempt(() => post("recorded/lines", { operation, path, chunks }));
