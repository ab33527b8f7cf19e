/** The words for what things are: states, tiers, steps, amounts, times. */

import type { Edit, EditKind, EditState, PlanFile, Result, Step, Turn, TurnState } from "../api/wire";

const STATES: Readonly<Record<Shown, string>> = {
  arriving: "Arriving",
  fits: "Fits",
  failed: "Failed",
  "left-out": "Left out",
  "stands-already": "Stands already",
  written: "Written",
  superseded: "Sent again",
  draft: "Draft",
  waits: "Waits",
  "not-taken": "Not taken",
  "cut-off": "Cut off",
};

/** The states whose word is another one for several edits. */
const PLURALS: Partial<Readonly<Record<Shown, string>>> = {
  fits: "fit",
  "stands-already": "stand already",
  draft: "drafts",
  waits: "wait",
};

const TIERS: Readonly<Record<string, string>> = {
  exact: "Exact match",
  "part-line": "Part of a line",
  "trailing-space": "Trailing space ignored",
  indentation: "Indentation adjusted",
  whitespace: "Whitespace adjusted",
  form: "Wrapping undone",
  elision: "Elided lines filled in",
  syntax: "Same code, other layout",
  fuzzy: "Fuzzy match",
};

const STEPS: Readonly<Record<Step, string>> = {
  paste: "Pasted reply",
  request: "Answer",
  plan: "Plan",
  edits: "Edits of the plan",
  added: "Answer with the added files",
  calls: "After its calls",
  repair: "Repair",
  form: "Asked for edits",
  wider: "Repair with more context",
  whole: "Repair by the whole file",
  retry: "Retry",
};

const KINDS: Readonly<Record<EditKind, string>> = {
  edit: "",
  rewrite: "whole file",
  create: "new file",
  delete: "delete",
  rename: "rename",
};

const CHANGES: Readonly<Record<PlanFile["change"], string>> = {
  created: "new",
  modified: "modified",
  deleted: "deleted",
  renamed: "renamed",
};

/**
 * The state to show: an edit whose file is not in the chat waits, it does not fail; and once its turn is over, edits that
 * fitted, failed or were still arriving are not taken.
 */
export type Shown = EditState | "waits" | "not-taken" | "cut-off";

/** Whether a turn ended without its edits: it was stopped or broke off, or they were discarded. */
export function isOver(state: TurnState): boolean {
  return state === "declined" || state === "cancelled" || state === "failed";
}

/** The state to show; `over` says that the turn is. */
export function shownState(edit: Edit, over: boolean): Shown {
  if (over && (edit.state === "fits" || edit.state === "failed" || edit.state === "arriving")) {
    return edit.diff === null ? "cut-off" : "not-taken";
  }
  return edit.state === "failed" && edit.result?.code === "not-in-chat" ? "waits" : edit.state;
}

const COUNTED: readonly Shown[] = ["written", "fits", "failed", "waits", "not-taken", "left-out", "stands-already", "draft"];

/** How many edits of a turn are in which state: `3 fit`, `1 waits`. */
export function countStates(turn: Pick<Turn, "edits" | "state">): { readonly state: Shown; readonly text: string }[] {
  const all = turn.edits.map((edit) => shownState(edit, isOver(turn.state)));
  return COUNTED.flatMap((state) => {
    const n = all.filter((other) => other === state).length;
    const words = n === 1 ? stateLabel(state).toLowerCase() : (PLURALS[state] ?? stateLabel(state).toLowerCase());
    return n === 0 ? [] : [{ state, text: `${NUMBER.format(n)} ${words}` }];
  });
}

/** Whether its file is as somebody resolved it: written without lines of this edit, or kept as it is. */
export function isSettled({ state, hunks, result, skip }: Pick<Edit, "state" | "hunks" | "result" | "skip">): boolean {
  if (state === "left-out") return !skip && result?.code === "not-selected";
  return (state === "fits" || state === "written") && hunks === null && result?.reason != null;
}

/** Whether it makes a file where none is, or wants to. */
export function makesFile(edit: Pick<Edit, "kind" | "state" | "creates">): boolean {
  return edit.creates || (edit.kind === "create" && edit.state !== "fits" && edit.state !== "written");
}

/** The kind of edit, in a word; "" for one that changes some lines. Filling an empty file does not create it. */
export function kindOf(edit: Pick<Edit, "kind" | "state" | "creates">): string {
  if (makesFile(edit)) return KINDS.create;
  return edit.kind === "create" ? KINDS.rewrite : KINDS[edit.kind];
}

export const stateLabel = (state: Shown): string => STATES[state];
export const stepLabel = (step: Step): string => STEPS[step];
export const changeLabel = (change: PlanFile["change"]): string => CHANGES[change];

/** `Fuzzy match 91 %`. */
export function tierLabel(result: Pick<Result, "tier" | "score">): string {
  if (result.tier === null) return "";
  const name = TIERS[result.tier] ?? result.tier;
  return result.score !== null && result.score < 1 ? `${name} ${Math.floor(result.score * 100)} %` : name;
}

/** `line 4`, `lines 4–9`, `before line 4`. */
export function placeLabel(start: number, end: number): string {
  if (end < start) return `before line ${start}`;
  return start === end ? `line ${start}` : `lines ${start}–${end}`;
}

/** `1 edit`, `3 edits`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(n)} ${n === 1 ? one : many}`;
}

/** Tokens, short: `940`, `12.3k`. */
export function tokens(n: number): string {
  if (Math.abs(n) < 1000) return String(n);
  return `${(n / 1000).toFixed(Math.abs(n) < 10_000 ? 1 : 0)}k`;
}

const NUMBER = new Intl.NumberFormat("en");
const HOURS = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** `14:05` today, else with the day. */
export function clock(time: string, now: Date = new Date()): string {
  const at = new Date(time);
  if (Number.isNaN(at.valueOf())) return time;
  const hours = HOURS.format(at);
  if (at.toDateString() === now.toDateString()) return hours;
  return `${DAY.format(at)} ${hours}`;
}

/** First lines of all places that the edit fits, in the file's order, also once one of them is chosen. */
export function placesOf(edit: Pick<Edit, "result" | "place">): number[] {
  const chosen = edit.place === null ? [] : [edit.place];
  return [...new Set([...(edit.result?.places ?? []), ...chosen])].sort((one, other) => one - other);
}

/** Where the edit goes, in the file as it will be once it is written. */
export function targetLine(edit: Edit): number | null {
  return edit.result?.new_start ?? edit.result?.start ?? edit.result?.nearest?.start ?? null;
}
