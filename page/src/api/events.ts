/** What the server says as things happen, by the names of its events; `reduce` tells what each does. */

import type {
  Edit,
  Fate,
  Held,
  Item,
  Journal,
  Ledger,
  LineComment,
  Note,
  Operation,
  Plan,
  Question,
  Round,
  Settings,
  Spent,
  Turn,
} from "./wire";

export type PieceEvent =
  | { readonly k: "opened"; readonly n: number; readonly format: string; readonly path: string | null; readonly line: number }
  | { readonly k: "lines"; readonly n: number; readonly part: "search" | "replace"; readonly text: string }
  | { readonly k: "closed"; readonly edit: Edit }
  | Exclude<Item, { readonly k: "edit" }>;

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
  note: Note & { turn: string };
  comments: { turn: string; comments: readonly LineComment[] };
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
  "forgotten", "comments",
];
