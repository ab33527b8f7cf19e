/**
 * Every key that does something, with the words that the help shows for it.
 *
 * Single keys act only where no field has the focus, and can be switched off. Combinations always act.
 */

import { cancel, apply, place, redo, retry, skip, undo } from "./actions";
import { focusSoon } from "./focus";
import { at, choosing, commenting, currentBar, leaveOut, walkBars, writeEdit } from "./review";
import { recordedKeys, recordedOf, type RecordedKeys } from "./recorded";
import { running, turnById, turns } from "./store";
import { composing, dialog, diffMode, editing, filesOpen, panel, reviewed, reviewMode, show, target, type Panel } from "./ui";
import { viewerKeys } from "../panels/viewer_keys";
import type { Edit, Turn } from "../api/wire";
import { placesOf } from "../text/words";
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
  /** Another binding's words tell of it. */
  readonly untold?: true;
}

export const BINDINGS: readonly Binding[] = [
  { keys: "j", group: "Edits", text: "Next edit", act: () => walk(1) },
  { keys: "k", group: "Edits", text: "Previous edit", act: () => walk(-1) },
  { keys: "o", group: "Edits", text: "Open this edit in the viewer", act: () => withEdit(openOne, (recorded, n) => recorded.open(n)) },
  { keys: "a", group: "Edits", text: "Apply this edit", act: () => withEdit(applyEdit) },
  { keys: "s", group: "Edits", text: "Skip this edit, or include it again", act: () => withEdit(skipEdit, (recorded, n) => recorded.back(n)) },
  { keys: "e", group: "Edits", text: "Edit this edit by hand", act: () => withEdit(byHand, (recorded, n) => recorded.open(n)) },
  { keys: "r", group: "Edits", text: "Retry this edit with the model", act: () => withEdit(retryEdit) },
  { keys: "u", group: "Edits", text: "Undo this edit", act: () => withEdit(undoEdit, (recorded, n) => recorded.again(n)) },
  { keys: "Shift+A", group: "Edits", text: "Apply all that fit", act: applyAll },
  { keys: "m", group: "Edits", text: "Comment on this edit, in the review", act: comment },
  { keys: "l", group: "Edits", text: "Choose which lines of this edit are taken, in the review", act: chooseLines },
  { keys: "1", group: "Edits", text: "Choose the first of the places that this edit fits; 2 to 9 the others", act: () => choosePlace(1) },
  ...[2, 3, 4, 5, 6, 7, 8, 9].map((nth): Binding => ({ keys: String(nth), group: "Edits", text: "", act: () => choosePlace(nth), untold: true })),
  { keys: "y", group: "Edits", text: "Mark this file as viewed, in the review", act: markViewed },
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

/** Go to the next card of the chat from the focused one, or from the first one on screen; in the review to the next edit. */
function walk(step: 1 | -1): void {
  if (panel.value === "review") return walkBars(step);
  const all = [...document.querySelectorAll<HTMLElement>("article.edit")];
  const here = all.findIndex((card) => card.contains(document.activeElement));
  const seen = all.findIndex((card) => card.getBoundingClientRect().bottom > 80);
  const next = here >= 0 ? here + step : seen >= 0 ? seen : all.length - 1;
  const card = all[Math.max(0, Math.min(next, all.length - 1))];
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: "nearest" });
}

type WithEdit = (turn: Turn, edit: Edit) => void;

function withEdit(act: WithEdit, recorded?: (keys: RecordedKeys, n: number) => void): void {
  const bar = panel.value === "review" && recordedKeys.value !== null ? currentBar() : null;
  if (bar !== null) return recorded?.(recordedKeys.value!, Number(bar.dataset["n"]));
  const card = panel.value === "review" ? currentBar() : document.activeElement?.closest<HTMLElement>("article.edit");
  const turn = turnById(card?.dataset["turn"] ?? "");
  const edit = turn?.edits.find((one) => one.n === Number(card?.dataset["n"]));
  if (turn !== null && edit !== undefined) act(turn, edit);
}

/** Both sides, where they clash; else its lines in the file. */
const openOne: WithEdit = (turn, edit) => {
  if (edit.state === "failed" && edit.path !== null && turn.plan?.conflicts.includes(edit.path) === true) show({ kind: "conflict", turn: turn.id, path: edit.path });
  else openEdit(turn.id, edit);
};

/** Edits can be decided on: all have come, or those that have. */
const isLive = ({ state }: Turn): boolean => state === "open" || state === "running";

const applyEdit: WithEdit = (turn, edit) => {
  if (!isLive(turn) || edit.state !== "fits") return;
  if (panel.value === "review") writeEdit({ turn: turn.id, n: edit.n });
  else void apply(turn, { edits: [edit.n] });
};

const skipEdit: WithEdit = (turn, edit) => {
  if (!isChoice(turn, edit) && (!isLive(turn) || edit.state !== "failed")) return;
  if (panel.value === "review") leaveOut({ turn: turn.id, n: edit.n }, !edit.skip);
  else void skip(turn.id, [edit.n], !edit.skip);
};

const byHand: WithEdit = (turn, edit) => {
  if (turn.state === "open" && (edit.state === "fits" || edit.state === "failed")) editing.value = { turn: turn.id, n: edit.n };
};

const retryEdit: WithEdit = (turn, edit) => {
  if (turn.state === "open" && edit.repairable) void retry(turn.id, [edit.n]);
};

const undoEdit: WithEdit = (_turn, edit) => {
  if (edit.written !== null) void undo(edit.written.operation, [edit.written.edit]);
};

function comment(): void {
  if (panel.value !== "review") return;
  withEdit((turn, edit) => {
    if (turn.state !== "running" && edit.path !== null) commenting.value = { turn: turn.id, n: edit.n };
  });
}

function chooseLines(): void {
  if (panel.value !== "review") return;
  withEdit((turn, edit) => {
    const same = choosing.value?.turn === turn.id && choosing.value.n === edit.n;
    if (turn.state === "open" && edit.state === "fits") choosing.value = same ? null : { turn: turn.id, n: edit.n };
  }, (recorded, n) => recorded.lines(n));
}

function choosePlace(nth: number): void {
  withEdit((turn, edit) => {
    const line = placesOf(edit)[nth - 1];
    const open = edit.state === "failed" || (edit.place !== null && edit.state !== "written");
    if (isLive(turn) && open && line !== undefined) void place(turn.id, edit.n, line);
  });
}

function markViewed(): void {
  currentBar()?.closest(".file-group")?.querySelector<HTMLInputElement>(".viewed input")?.click();
}

function applyAll(): void {
  const open = turns.value.findLast((turn) => turn.state === "open" && (turn.plan?.counts.fits ?? 0) > 0);
  if (open !== undefined) void apply(open);
}

function stop(): void {
  if (running.value !== null) void cancel(running.value);
}

function switchMode(): void {
  if (panel.value === "review") {
    reviewMode.value = reviewMode.value === "split" ? "unified" : "split";
    return;
  }
  diffMode.value = diffMode.value === "split" ? "unified" : "split";
}

function toggle(name: Panel): void {
  reviewed.value = null;
  recordedOf.value = null;
  const card = document.activeElement?.closest<HTMLElement>("article.edit");
  if (name === "review" && card != null) at.value = { turn: card.dataset["turn"] ?? "", n: Number(card.dataset["n"]) };
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
  else if (panel.value === "review" && choosing.value !== null) choosing.value = null;
  else if (panel.value !== null) panel.value = null;
  else if (filesOpen.value) filesOpen.value = false;
  else if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // single keys act again
}
