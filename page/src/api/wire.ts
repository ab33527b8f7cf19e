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
  readonly status: "fits" | "written" | "failed" | "left-out" | "stands-already";
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
  /** The first of its places, and how many there are. */
  readonly places: readonly number[];
  readonly place_count: number;
  /** For each place the definition that it stands in. */
  readonly enclosing: readonly (string | null)[];
  readonly nearest: Nearest | null;
  readonly warnings: readonly Diagnostic[];
}

export type EditState =
  | "arriving" | "fits" | "failed" | "left-out" | "stands-already" | "written" | "superseded" | "draft";

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
  /** What it changes in the file, as it will be, was, or would have been written; null where nothing of it would stand there. */
  readonly hunks: readonly Hunk[] | null;
  /** How alike the nearest code and its search are, and in what they differ, in clauses. */
  readonly differs: string | null;
  /** How a failed edit reads on the nearest code; null where its change clashes with it, or is there already. */
  readonly carried: { readonly search: string; readonly replace: string } | null;
  /** There is no file before it. */
  readonly creates: boolean;
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
  /** The reply's own search against its replacement. */
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

export type Step = "paste" | "request" | "plan" | "edits" | "added" | "calls" | "form" | "repair" | "wider" | "whole" | "retry";

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
  /** Of the file before; null where there is none. */
  readonly digest: string | null;
}

/** What commands would do to a file. None of them is run. */
export interface CommandFile {
  readonly path: string;
  readonly change: Change;
  readonly source: string | null;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
}

/** A listing that begins at a line of the replies, and the file that it could be used as. */
export interface UsableListing {
  readonly line: number;
  readonly path: string;
  readonly reason: string;
  readonly change: Change | "edit";
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
}

export type Counts = Readonly<
  Record<"fits" | "failed" | "left-out" | "stands-already" | "written" | "superseded" | "draft", number>
>;

export interface Plan {
  readonly version: number;
  readonly files: readonly PlanFile[];
  readonly counts: Counts;
  readonly conflicts: readonly string[];
  readonly waiting: readonly string[];
  /** Listings that are no edits, and could be used as files. */
  readonly listings: readonly UsableListing[];
  readonly shell_suggestions: readonly Shell[];
  /** What the commands would change; null where that is not known, or they are edits already. */
  readonly commands: { readonly files: readonly CommandFile[] } | null;
  readonly database_actions: readonly Database[];
  readonly diagnostics: readonly Diagnostic[];
  readonly retry: string | null;
}

export type TurnState = "running" | "open" | "done" | "declined" | "cancelled" | "failed";

export interface Stopped {
  readonly why: string;
  readonly said: string;
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
  readonly comments: readonly LineComment[];
}

/** A comment on one line; `side` says whether the line is counted in the file before or after the change. */
export interface LineComment {
  readonly id: number;
  readonly path: string;
  readonly line: number;
  readonly side: "old" | "new";
  /** The line as it stands there. */
  readonly quote: string;
  readonly text: string;
  /** The reply that the model answered it with; null as long as it was not sent. */
  readonly round: number | null;
}

/** About a file that a turn waits for. */
export interface Question {
  readonly id: string;
  readonly turn: string;
  readonly kind: "add-file";
  readonly path: string;
  readonly why: "asked" | "edited" | "whole";
}

export interface Held {
  readonly editable: readonly string[];
  readonly read_only: readonly string[];
}

export interface Settings {
  readonly model: string | null;
  readonly editor_model: string | null;
  readonly format: string;
  readonly formats: readonly string[];
  readonly edits_by: "text" | "tools";
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
  /** Of a change that an agent made: its short name, its session, the request and how it began, and the tool. */
  readonly agent?: string | null;
  readonly session?: string | null;
  readonly prompt?: number | null;
  readonly request?: string | null;
  readonly tool?: string | null;
}

export interface State {
  readonly seq: number;
  readonly session: string;
  readonly version: string;
  readonly root: string;
  readonly name: string;
  readonly git: boolean;
  /** What is to be shown first: what agents did, as `dovetail review` was asked for it. */
  readonly opens: { readonly session: string | null; readonly since: string | null; readonly commits: string | null } | null;
  /** The folder is the sample's. */
  readonly sample: boolean;
  readonly settings: Settings;
  readonly held: Held;
  readonly turns: readonly Turn[];
  readonly running: string | null;
  readonly questions: readonly Question[];
  readonly ledger: Ledger;
  readonly journal: Journal;
}
