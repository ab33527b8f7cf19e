/** What the server answers when it is asked for one thing: a file, a conflict, an operation, a template. */

import type { Change, Hunk, Operation, Result } from "./wire";

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

export interface LoggedOperation extends Operation {
  /** New names → old ones; both are among the paths. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Edits that were taken back by themselves. */
  readonly undone: readonly number[];
  /** How many operations behind it, before the next, cannot be read. */
  readonly lost: number;
}

export interface Log {
  /** Newest first. */
  readonly operations: readonly LoggedOperation[];
  /** How many operations cannot be read. */
  readonly lost: number;
}

export interface OperationView {
  readonly operation: LoggedOperation;
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

export interface Conversation {
  readonly id: string;
  /** What was asked first. */
  readonly title: string;
  readonly turns: number;
  /** It is the one that is gone on with here. */
  readonly open: boolean;
}

export interface Template {
  readonly name: string;
  readonly summary: string;
  readonly variables: readonly { readonly name: string; readonly default: string | null; readonly summary: string | null }[];
}

/** A session of an agent whose changes were recorded. */
export interface AgentSession {
  readonly agent: string;
  readonly session: string;
  readonly first: string;
  readonly last: string;
  readonly paths: readonly string[];
  readonly requests: readonly {
    readonly number: number | null;
    readonly words: string;
    readonly operations: readonly string[];
    /** Changes whose call is not known. */
    readonly untold: number;
    readonly taken_back: number;
  }[];
}

/** What one operation did to one file. */
export interface RecordedEdit {
  readonly n: number;
  readonly operation: string;
  readonly time: string;
  /** It is known which call made it. */
  readonly told: boolean;
  /** The operation that took it back; null where it is in force. */
  readonly taken_by: string | null;
  readonly agent: string;
  readonly session: string;
  readonly prompt: number | null;
  readonly words: string;
  readonly tool: string | null;
  readonly change: Change;
  readonly hunks: readonly Hunk[];
}

export interface RecordedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly change: Change;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  readonly edits: readonly RecordedEdit[];
}

/** What taking back does to the files; `own` is what others changed there, which stays. */
export interface TakenBack {
  readonly operation: Operation;
  readonly files: readonly (FileChange & {
    readonly added: number;
    readonly removed: number;
    readonly own: { readonly added: number; readonly removed: number } | null;
  })[];
  /** Files that stay as they are, each with a sentence that says why. */
  readonly left: readonly { readonly path: string; readonly text: string }[];
  readonly notes: readonly string[];
}
