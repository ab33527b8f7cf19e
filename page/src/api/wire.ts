/**
 * What the server says, as types. The names are the wire's own; nothing here decides anything.
 *
 * Lines count from 1. All text is plain text.
 */

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}

export interface DiffLine {
  readonly s: " " | "-" | "+";
  readonly t: string;
  readonly m: readonly (readonly [number, number])[];
  readonly e: string;
}

export interface Hunk {
  readonly header: string;
  readonly old_start: number;
  readonly old_count: number;
  readonly new_start: number;
  readonly new_count: number;
  readonly lines: readonly DiffLine[];
}

export interface Diagnostic {
  readonly code: string;
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly hint: string | null;
}

export interface Nearest {
  readonly start: number;
  readonly end: number;
  readonly similarity: number;
  readonly difference: string;
  readonly line: number | null;
  readonly expected: string | null;
  readonly found: string | null;
  readonly corrected: string;
}

export type Confidence = "high" | "medium" | "low";

export interface Result {
  readonly n: number;
  readonly path: string | null;
  readonly status: "applied" | "failed" | "skipped" | "already-applied";
  readonly code: string | null;
  readonly reason: string | null;
  readonly hint: string | null;
  readonly tier: string | null;
  readonly score: number | null;
  readonly confidence: Confidence | null;
  readonly start: number | null;
  readonly end: number | null;
  readonly new_start: number | null;
  readonly new_end: number | null;
  readonly places: readonly number[];
  readonly nearest: Nearest | null;
  readonly warnings: readonly Diagnostic[];
}

export type EditState =
  | "arriving" | "ready" | "failed" | "skipped" | "already" | "applied" | "superseded" | "draft";

export type EditKind = "edit" | "rewrite" | "create" | "delete" | "rename";

/** The part of an edit that planning decides. */
export interface Fate {
  readonly n: number;
  readonly state: EditState;
  readonly path: string | null;
  readonly result: Result | null;
  readonly skip: boolean;
  readonly place: number | null;
  readonly written: { readonly operation: string; readonly edit: number } | null;
  readonly repairable: boolean;
}

export interface Edit extends Fate {
  readonly round: number;
  readonly format: string;
  readonly kind: EditKind;
  readonly destination: string | null;
  readonly line: number;
  readonly search: string;
  readonly replace: string;
  readonly original: { readonly path: string | null; readonly search: string; readonly replace: string } | null;
  readonly raw: string;
  readonly preview: string;
  readonly diff: readonly Hunk[] | null;
}

export interface Shell {
  readonly command: string;
  readonly line: number;
  readonly origin: string;
}

export interface Database {
  readonly operation: string;
  readonly sql: string;
  readonly line: number;
  readonly path: string | null;
}

export type Item =
  | { readonly k: "text"; readonly text: string; readonly code: boolean; readonly line: number }
  | { readonly k: "edit"; readonly n: number }
  | ({ readonly k: "shell" } & Shell)
  | ({ readonly k: "database" } & Database)
  | ({ readonly k: "diagnostic" } & Diagnostic)
  | { readonly k: "artifact"; readonly id: string; readonly title: string; readonly line: number };

export type Step = "paste" | "request" | "plan" | "edits" | "added" | "repair" | "wider" | "whole" | "retry";

export interface Round {
  readonly index: number;
  readonly step: Step;
  readonly model: string | null;
  readonly tokens: number;
  readonly message: string | null;
  readonly repairs: readonly number[];
  readonly reasoning: string;
  readonly items: readonly Item[];
  readonly tail: string;
  readonly answered: boolean;
  readonly truncated: boolean;
  readonly mentions: Readonly<Record<string, string>>;
}

export type Change = "created" | "modified" | "deleted" | "renamed";

export interface PlanFile {
  readonly path: string;
  readonly change: Change;
  readonly source: string | null;
  readonly added: number;
  readonly removed: number;
  readonly edits: readonly number[];
  readonly resolved: boolean;
}

export type Counts = Readonly<
  Record<"ready" | "failed" | "skipped" | "already" | "applied" | "superseded" | "draft", number>
>;

export interface Plan {
  readonly version: number;
  readonly files: readonly PlanFile[];
  readonly counts: Counts;
  readonly conflicts: readonly string[];
  readonly waiting: readonly string[];
  readonly shell_suggestions: readonly Shell[];
  readonly database_actions: readonly Database[];
  readonly diagnostics: readonly Diagnostic[];
  readonly retry: string | null;
}

export type TurnState = "running" | "open" | "done" | "declined" | "cancelled" | "failed";

export interface Stopped {
  readonly why: string;
  readonly detail: string;
  readonly edits: readonly number[];
}

export interface Note {
  readonly text: string;
  readonly hint: string | null;
}

export interface Turn {
  readonly id: string;
  readonly kind: "paste" | "ask";
  readonly time: string;
  readonly request: string | null;
  readonly state: TurnState;
  readonly error: Problem | null;
  readonly rounds: readonly Round[];
  readonly edits: readonly Edit[];
  readonly plan: Plan | null;
  readonly stopped: Stopped | null;
  readonly wanted: readonly string[];
  readonly notes: readonly Note[];
}

export type Question =
  | { readonly id: string; readonly turn: string; readonly kind: "add-file"; readonly path: string; readonly why: "asked" | "edited" }
  | { readonly id: string; readonly turn: string; readonly kind: "places"; readonly edits: readonly number[] };

export interface Held {
  readonly editable: readonly string[];
  readonly read_only: readonly string[];
}

export interface Settings {
  readonly model: string | null;
  readonly editor_model: string | null;
  readonly format: string;
  readonly formats: readonly string[];
  readonly reading: string;
  readonly readings: readonly string[];
  readonly architect: boolean;
  readonly shell: boolean;
  readonly max_rounds: number;
  readonly map_tokens: number;
  readonly occurrence: "unique" | "first";
  readonly conflicts: "refuse" | "markers" | "ours" | "theirs";
  readonly ready: boolean;
  readonly problem: Problem | null;
}

export interface Spent {
  readonly turn: string;
  readonly step: Step;
  readonly model: string;
  readonly sent: number;
  readonly received: number;
  readonly input: number;
  readonly output: number;
  readonly counted: boolean;
  readonly message: number;
  readonly again: number;
  readonly saved: number;
}

export interface Total {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly repairs: number;
  readonly messages: number;
  readonly again: number;
  readonly saved: number;
}

export interface Ledger {
  readonly requests: readonly Spent[];
  readonly total: Total;
  readonly by_step: Readonly<Record<string, Total>>;
}

export interface Journal {
  readonly undo: string | null;
  readonly redo: boolean;
  readonly count: number;
}

export interface Operation {
  readonly id: string;
  readonly time: string;
  readonly label: string;
  readonly state: string;
  readonly paths: readonly string[];
  readonly undoes: string | null;
  readonly edits: readonly number[] | number | null;
  readonly left: unknown;
}

export interface State {
  readonly seq: number;
  readonly session: string;
  readonly version: string;
  readonly root: string;
  readonly name: string;
  readonly git: boolean;
  readonly settings: Settings;
  readonly held: Held;
  readonly turns: readonly Turn[];
  readonly running: string | null;
  readonly questions: readonly Question[];
  readonly ledger: Ledger;
  readonly journal: Journal;
}

export type PieceEvent =
  | { readonly k: "opened"; readonly n: number; readonly format: string; readonly path: string | null; readonly line: number }
  | { readonly k: "lines"; readonly n: number; readonly part: "search" | "replace"; readonly text: string }
  | { readonly k: "closed"; readonly edit: Edit }
  | Exclude<Item, { readonly k: "edit" }>;

/** Events by name; see `reduce` for what each does. */
export interface Events {
  reset: Record<string, never>;
  turn: { turn: Turn };
  "turn-state": Pick<Turn, "state" | "error" | "stopped" | "wanted"> & { turn: string };
  round: { turn: string; round: Round };
  piece: { turn: string; round: number; events: readonly PieceEvent[]; tail: string; reasoning: string };
  edits: { turn: string; edits: readonly Edit[] };
  fates: { turn: string; fates: readonly Fate[] };
  answered: { turn: string; round: number; stop: string; truncated: boolean; mentions: Readonly<Record<string, string>> };
  plan: { turn: string; plan: Plan | null; fates: readonly Fate[] };
  written: { turn: string; operation: string; edits: readonly number[]; paths: readonly string[] };
  note: Note & { turn: string | null };
  waiting: { turn: string; n: number; limit: number; seconds: number; message: string };
  question: { question: Question };
  "question-closed": { id: string };
  journal: Journal & { operation: Operation | null };
  held: Held;
  settings: Settings;
  ledger: Omit<Ledger, "requests"> & { request: Spent };
  tree: Record<string, never>;
  running: { turn: string | null };
  forgotten: { turns: readonly string[] };
}

export type EventName = keyof Events;
export type WireEvent = { [N in EventName]: { readonly name: N; readonly data: Events[N] } }[EventName];

export const EVENT_NAMES: readonly EventName[] = [
  "reset", "turn", "turn-state", "round", "piece", "edits", "fates", "answered", "plan", "written", "note", "waiting",
  "question", "question-closed", "journal", "held", "settings", "ledger", "tree", "running",
  "forgotten",
];

export interface FileView {
  readonly path: string;
  readonly plan: number | null;
  readonly change: Change | null;
  readonly source: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly digest: string | null;
  readonly hunks: readonly Hunk[];
  readonly edits: readonly {
    readonly n: number;
    readonly start: number | null;
    readonly end: number | null;
    readonly new_start: number | null;
    readonly new_end: number | null;
  }[];
  readonly written?: boolean;
}

export interface Conflict {
  readonly path: string;
  readonly digest: string;
  readonly base: string | null;
  readonly file: string | null;
  readonly reply: string | null;
  readonly merged: string;
  readonly clean: string | null;
  readonly edits: readonly number[];
  readonly clashes: readonly { readonly start: number; readonly end: number }[];
}

export interface PlainFile {
  readonly path: string;
  readonly text: string | null;
  readonly digest: string | null;
  readonly problem: string | null;
  readonly detail: string | null;
  readonly language: string | null;
  readonly lines: number;
}

export interface FileChange {
  readonly path: string;
  readonly change: Change;
  readonly source: string | null;
  readonly hunks: readonly Hunk[];
}

export interface OperationView {
  readonly operation: Operation;
  readonly reply: string | null;
  readonly results: readonly Result[];
  readonly changes: readonly FileChange[];
  readonly turn: string | null;
}

export interface Undone {
  readonly operation: Operation;
  readonly changes: readonly FileChange[];
  readonly notes: readonly string[];
}

export interface Template {
  readonly name: string;
  readonly summary: string;
  readonly variables: readonly { readonly name: string; readonly default: string | null; readonly summary: string | null }[];
}
