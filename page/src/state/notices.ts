/**
 * What needs attention and belongs to nothing that is drawn: refusals, and notes on what was done.
 *
 * A notice stands until it is closed, until what it was about succeeds, or until the dialog that it came up in closes.
 */

import { effect, signal } from "@preact/signals";
import type { Problem } from "../api/wire";
import { announce } from "./announce";
import { connection } from "./store";
import { dialog, type Dialog } from "./ui";

/** What a notice is about: something that was done, something that was looked at, the server itself. */
export type Cause = "act" | "view" | "server";

export interface Notice {
  readonly id: number;
  readonly tone: "error" | "note";
  readonly problem: Problem;
  readonly cause: Cause;
  /** The dialog that was open. */
  readonly within: Dialog | null;
}

export const notices = signal<readonly Notice[]>([]);

const MOST = 3;
let lastNotice = 0;

/** Say what is wrong. */
export function complain(problem: Problem, cause: Cause = "act"): void {
  add("error", problem, cause);
}

/** Say something that needs attention; a note is read out politely, as all that is no fault. */
export function notify(tone: Notice["tone"], message: string, hint: string | null = null): void {
  if (tone === "note") announce([message, hint ?? ""].join(" ").trim());
  add(tone, { code: "", message, hint }, "act");
}

/** Take a notice away. */
export function dismiss(id: number): void {
  keep((notice) => notice.id !== id);
}

/**
 * The newest notice, for `succeeded`: an answer may come late, and what was refused since then is not past by it.
 */
export const newestNotice = (): number => lastNotice;

/** Something like that succeeded: what was said about such until it was begun is past, and the server is there. */
export function succeeded(cause: Cause, until = lastNotice): void {
  keep((notice) => (notice.cause !== cause || notice.id > until) && notice.cause !== "server");
}

function add(tone: Notice["tone"], problem: Problem, cause: Cause): void {
  const others = notices.peek().filter((notice) => notice.problem.message !== problem.message);
  notices.value = [...others.slice(1 - MOST), { id: ++lastNotice, tone, problem, cause, within: dialog.peek() }];
}

function keep(wanted: (notice: Notice) => boolean): void {
  const left = notices.peek().filter(wanted);
  if (left.length < notices.peek().length) notices.value = left;
}

effect(() => {
  if (connection.value === "live" || connection.value === "refused") succeeded("server");
});
effect(() => {
  const open = dialog.value;
  keep((notice) => notice.within === null || notice.within === open);
});
