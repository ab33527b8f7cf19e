/** The words for what things are: states, tiers, steps, amounts, times. */

import type { Confidence, Edit, EditKind, EditState, PlanFile, Result, Step } from "../api/wire";

const STATES: Readonly<Record<Shown, string>> = {
  arriving: "Arriving",
  ready: "Ready",
  failed: "Failed",
  skipped: "Skipped",
  already: "Already applied",
  applied: "Applied",
  superseded: "Sent again",
  draft: "Draft",
  waits: "Waits",
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
  repair: "Repair",
  wider: "Repair with more context",
  whole: "Repair by the whole file",
  retry: "Retry",
};

const DIFFERENCES: Readonly<Record<string, string>> = {
  whitespace: "only blanks differ",
  indentation: "the indentation differs",
  stale: "the file has changed since",
  misremembered: "the model misremembers it",
  elided: "the reply leaves lines out",
  "wrong-file": "it stands in another file",
  "already-applied": "it looks applied already",
  absent: "nothing like it is there",
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

/** What the card says of an edit: one whose file is not in the chat waits, it has not failed. */
export type Shown = EditState | "waits";

/** The state to show. */
export function shownState(edit: Edit): Shown {
  return edit.state === "failed" && edit.result?.code === "not-in-chat" ? "waits" : edit.state;
}

/** Whether it makes a file where none is. */
export function makesFile(edit: Edit): boolean {
  if (edit.kind === "create") return true;
  const appends = edit.result?.warnings.some((warning) => warning.code === "appended") ?? false;
  return edit.kind === "edit" && edit.search === "" && edit.state !== "arriving" && !appends;
}

export const stateLabel = (state: Shown): string => STATES[state];
export const stepLabel = (step: Step): string => STEPS[step];
export const kindLabel = (kind: EditKind): string => KINDS[kind];
export const changeLabel = (change: PlanFile["change"]): string => CHANGES[change];
export const differenceLabel = (difference: string): string => DIFFERENCES[difference] ?? difference;

/** `Fuzzy match 91 %`. */
export function tierLabel(result: Pick<Result, "tier" | "score">): string {
  if (result.tier === null) return "";
  const name = TIERS[result.tier] ?? result.tier;
  return result.score !== null && result.score < 1 ? `${name} ${Math.floor(result.score * 100)} %` : name;
}

/** Dots out of three, for a confidence. */
export function confidenceDots(confidence: Confidence): number {
  return { high: 3, medium: 2, low: 1 }[confidence];
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

/** Where the edit goes, in the file as it will be once it is written. */
export function targetLine(edit: Edit): number | null {
  return edit.result?.new_start ?? edit.result?.start ?? edit.result?.nearest?.start ?? null;
}
