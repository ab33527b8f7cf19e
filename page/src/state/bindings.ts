/**
 * Every key that does something, with the words that the help shows for it.
 *
 * Single keys act only where no field has the focus, and can be switched off. Combinations always act.
 */

import { cancel, apply, redo, retry, skip, undo } from "./actions";
import { focusSoon } from "./focus";
import { running, turnById, turns } from "./store";
import { composing, dialog, diffMode, editing, filesOpen, panel, reviewed, target, type Panel } from "./ui";
import { viewerKeys } from "../panels/viewer_keys";
import type { Edit, Turn } from "../api/wire";
import { openEdit } from "../chat/open_edit";
import { isChoice } from "../chat/takes_part";

export type Group = "Edits" | "Viewer" | "Page";
export const GROUPS: readonly Group[] = ["Edits", "Viewer", "Page"];

export interface Binding {
  /** As shown: names joined by `+`, the last one the key itself. */
  readonly keys: string;
  readonly group: Group;
  readonly text: string;
  readonly act: () => void;
}

export const BINDINGS: readonly Binding[] = [
  { keys: "j", group: "Edits", text: "Next edit", act: () => walk(1) },
  { keys: "k", group: "Edits", text: "Previous edit", act: () => walk(-1) },
  { keys: "o", group: "Edits", text: "Open this edit in the viewer", act: () => withEdit((turn, edit) => openEdit(turn.id, edit)) },
  { keys: "a", group: "Edits", text: "Apply this edit", act: () => withEdit(applyEdit) },
  { keys: "s", group: "Edits", text: "Skip this edit, or include it again", act: () => withEdit(skipEdit) },
  { keys: "e", group: "Edits", text: "Edit this edit by hand", act: () => withEdit(byHand) },
  { keys: "r", group: "Edits", text: "Retry this edit with the model", act: () => withEdit(retryEdit) },
  { keys: "u", group: "Edits", text: "Undo this edit", act: () => withEdit(undoEdit) },
  { keys: "Shift+A", group: "Edits", text: "Apply all that fit", act: applyAll },
  { keys: "m", group: "Edits", text: "Comment on this edit, in the review", act: comment },
  { keys: "[", group: "Viewer", text: "Previous change", act: () => viewerKeys.value?.step(-1) },
  { keys: "]", group: "Viewer", text: "Next change", act: () => viewerKeys.value?.step(1) },
  { keys: "d", group: "Viewer", text: "One column, or side by side", act: switchMode },
  { keys: "/", group: "Page", text: "Write to the model", act: () => compose("ask") },
  { keys: "p", group: "Page", text: "Paste a reply", act: () => compose("paste") },
  { keys: "c", group: "Page", text: "Use another chat page: instructions and files to copy", act: () => void (dialog.value = "prompt") },
  { keys: "x", group: "Page", text: "Conversations: a new one, earlier ones", act: () => void (dialog.value = "conversations") },
  { keys: "n", group: "Page", text: "Start from a template", act: () => void (dialog.value = "templates") },
  { keys: "Ctrl+Enter", group: "Page", text: "Send what is written", act: () => undefined },
  { keys: "Ctrl+.", group: "Page", text: "Stop the model", act: stop },
  { keys: "z", group: "Page", text: "Undo the newest operation", act: () => void undo() },
  { keys: "Shift+Z", group: "Page", text: "Redo", act: () => void redo() },
  { keys: "f", group: "Page", text: "Files", act: toggleFiles },
  { keys: "v", group: "Page", text: "Review", act: () => toggle("review") },
  { keys: "w", group: "Page", text: "Viewer", act: () => toggle("diff") },
  { keys: "h", group: "Page", text: "History", act: () => toggle("history") },
  { keys: "t", group: "Page", text: "Tokens", act: () => toggle("tokens") },
  { keys: ",", group: "Page", text: "Settings", act: () => void (dialog.value = "settings") },
  { keys: "Esc", group: "Page", text: "Close what is open, or leave the field", act: closeOne },
  { keys: "?", group: "Page", text: "These keys", act: () => void (dialog.value = "help") },
];

/** What the keys for edits walk through: the bars of the review where that is open, else the cards of the chat. */
function cards(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(panel.value === "review" ? ".edit-bar" : "article.edit")];
}

/** Go to the next card from the focused one, or from the first one on screen. */
function walk(step: 1 | -1): void {
  const all = cards();
  const here = all.findIndex((card) => card.contains(document.activeElement));
  const seen = all.findIndex((card) => card.getBoundingClientRect().bottom > 80);
  const next = here >= 0 ? here + step : seen >= 0 ? seen : all.length - 1;
  const card = all[Math.max(0, Math.min(next, all.length - 1))];
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: "nearest" });
}

type WithEdit = (turn: Turn, edit: Edit) => void;

function withEdit(act: WithEdit): void {
  const card = document.activeElement?.closest<HTMLElement>("article.edit, .edit-bar");
  const turn = turnById(card?.dataset["turn"] ?? "");
  const edit = turn?.edits.find((one) => one.n === Number(card?.dataset["n"]));
  if (turn !== null && edit !== undefined) act(turn, edit);
}

const applyEdit: WithEdit = (turn, edit) => {
  if (turn.state === "open" && edit.state === "ready") void apply(turn, { edits: [edit.n] });
};

const skipEdit: WithEdit = (turn, edit) => {
  if (isChoice(turn, edit) || (turn.state === "open" && edit.state === "failed")) void skip(turn.id, [edit.n], !edit.skip);
};

const byHand: WithEdit = (turn, edit) => {
  if (turn.state === "open" && (edit.state === "ready" || edit.state === "failed")) editing.value = { turn: turn.id, n: edit.n };
};

const retryEdit: WithEdit = (turn, edit) => {
  if (turn.state === "open" && edit.repairable) void retry(turn.id, [edit.n]);
};

const undoEdit: WithEdit = (_turn, edit) => {
  if (edit.written !== null) void undo(edit.written.operation, [edit.written.edit]);
};

function comment(): void {
  document.activeElement?.closest(".edit-bar")?.querySelector<HTMLElement>('[title$="(m)"]')?.click();
}

function applyAll(): void {
  const open = turns.value.findLast((turn) => turn.state === "open" && (turn.plan?.counts.ready ?? 0) > 0);
  if (open !== undefined) void apply(open);
}

function stop(): void {
  if (running.value !== null) void cancel(running.value);
}

function switchMode(): void {
  diffMode.value = diffMode.value === "split" ? "unified" : "split";
}

function toggle(name: Panel): void {
  reviewed.value = null;
  if (name === "diff" && target.value === null && panel.value !== "diff") panel.value = "review";
  else panel.value = panel.value === name ? null : name;
}

function toggleFiles(): void {
  filesOpen.value = !filesOpen.value;
}

function compose(mode: "ask" | "paste"): void {
  if (panel.value === "review") panel.value = null;
  composing.value = mode;
  focusSoon("#composer-text");
}

function closeOne(): void {
  if (editing.value !== null) editing.value = null;
  else if (panel.value !== null) panel.value = null;
  else if (filesOpen.value) filesOpen.value = false;
  else if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // single keys act again
}
