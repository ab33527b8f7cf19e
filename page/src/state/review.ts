/**
 * The review in this tab: the edit that it is at, what is filtered, folded and marked as viewed, and decisions by key.
 *
 * A decision leads on to the next edit that is undecided. Writes go to the server one after the other, and each only if
 * its edit still is what was on the screen when its key was pressed; those that wait together are written together.
 */

import { effect, signal } from "@preact/signals";
import type { Edit } from "../api/wire";
import type { ReviewedFile } from "../text/review_files";
import { apply, skip } from "./actions";
import { settled } from "./by_hand";
import { notify } from "./notices";
import { turnById } from "./store";

export interface At {
  readonly turn: string;
  readonly n: number;
}

/** The edit that the review is at: what is drawn anew gets its focus back. */
export const at = signal<At | null>(null);
/** The states of which edits are shown, as `Shown` or `noted`; none for all. */
export const wantedStates = signal<ReadonlySet<string>>(new Set());
export const wantedPath = signal("");
/** The edit whose lines are chosen. */
export const choosing = signal<At | null>(null);
/** The edit that a comment is wanted on: its file is drawn, and takes it from here. */
export const commenting = signal<At | null>(null);
/** By turn and path: what of the file was looked at, so that the mark goes when that changes. */
export const viewed = signal<Readonly<Record<string, string>>>(kept());
export const folded = signal<ReadonlySet<string>>(new Set());

const NAME = "dovetail.viewed";
const MOST = 500;

export const fileKey = (turn: string, path: string | null): string => `${turn} ${path ?? ""}`;

export function isViewed(turn: string, file: ReviewedFile): boolean {
  return viewed.value[fileKey(turn, file.path)] === file.text;
}

/** Mark a file as viewed, which folds it, or take the mark back. */
export function setViewed(turn: string, file: ReviewedFile, on: boolean): void {
  const key = fileKey(turn, file.path);
  const { [key]: _, ...others } = viewed.value;
  viewed.value = on ? { ...others, [key]: file.text } : others;
  setFolded(key, on);
}

export function setFolded(key: string, on: boolean): void {
  const next = new Set(folded.value);
  if (on) next.add(key);
  else next.delete(key);
  folded.value = next;
}

function kept(): Record<string, string> {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem("dovetail.viewed") ?? "{}");
    return found !== null && typeof found === "object" ? (found as Record<string, string>) : {};
  } catch {
    return {}; // the browser keeps nothing for this page, or something else is kept
  }
}

effect(() => {
  try {
    sessionStorage.setItem(NAME, JSON.stringify(Object.fromEntries(Object.entries(viewed.value).slice(-MOST))));
  } catch {
    // the marks last as long as the page
  }
});

// --- The edits as they stand in the page

const bars = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(".review .edit-bar")];

export const barId = (turn: string, n: number): string => `review-${turn}-edit-${n}`;

/** The bar that has the focus, or had it last. */
export function currentBar(): HTMLElement | null {
  const focused = document.activeElement?.closest<HTMLElement>(".review-edit")?.querySelector<HTMLElement>(".edit-bar");
  if (focused != null) return focused;
  return at.value === null ? null : document.getElementById(barId(at.value.turn, at.value.n));
}

/** Give a bar the focus, and bring it to where its lines below it are seen. */
export function goToBar(bar: HTMLElement): void {
  enter(bar);
  focusBar(bar);
}

function focusBar(bar: HTMLElement): void {
  at.value = { turn: bar.dataset["turn"] ?? "", n: Number(bar.dataset["n"]) };
  held = bar.id;
  bar.focus({ preventScroll: true });
  bringBar(bar);
}

/** The bar that was gone to, until somebody scrolls: files that are drawn above it do not push it out of sight. */
let held: string | null = null;
const SCROLLING = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown", " "]);

const letGo = (): void => void (held = null);
for (const name of ["wheel", "touchmove", "pointerdown"]) document.addEventListener(name, letGo, { capture: true, passive: true });
document.addEventListener("keydown", (event) => SCROLLING.has(event.key) && letGo(), true);

/** The files below or above have another height now. */
export function holdBar(): void {
  const bar = held === null ? null : document.getElementById(held);
  if (bar !== null && bar === document.activeElement) bringBar(bar);
}

const HEAD = 130; // pixels that stay covered at the upper edge: the bar of the review, the file's name
const BELOW = 220; // pixels below a bar that are to be seen with it

export function bringBar(bar: HTMLElement): void {
  const box = bar.closest<HTMLElement>(".panel-body");
  if (box === null) return;
  const [outer, inner] = [box.getBoundingClientRect(), bar.getBoundingClientRect()];
  const top = inner.top - outer.top;
  if (top < HEAD || top > outer.height - Math.min(BELOW, outer.height / 2)) box.scrollTop += top - Math.max(HEAD, outer.height * 0.25);
}

/** Of the file that the keys walk through: the bars that are behind, and the one that they came to last. */
const walked = { behind: new Set<string>(), last: "" };

const withIt = (bar: HTMLElement): HTMLElement[] => bars().filter((one) => one.closest(".file-group") === bar.closest(".file-group"));

function enter(bar: HTMLElement): void {
  const mine = withIt(bar);
  walked.behind = new Set(mine.slice(0, mine.indexOf(bar) + 1).map((one) => one.id));
  walked.last = bar.id;
}

/** The bar before this one, or the next that was not walked over: places are found when a file is drawn, and order changes. */
export function walkBars(step: 1 | -1): void {
  const all = bars();
  const here = currentBar();
  if (here === null || step === -1) {
    const before = all[Math.max(0, here === null ? 0 : all.indexOf(here) - 1)];
    if (before !== undefined) goToBar(before);
    return;
  }
  if (here.id !== walked.last) enter(here);
  const mine = withIt(here);
  const left = mine.filter((one) => !walked.behind.has(one.id));
  const next = left.find((one) => all.indexOf(one) > all.indexOf(here)) ?? left[0];
  if (next === undefined) return goToBar(all[all.indexOf(mine.at(-1)!) + 1] ?? here);
  walked.behind.add(next.id);
  walked.last = next.id;
  focusBar(next);
}

/** Go on to the next edit that is undecided; where none is left, stay. */
function leadOn(from: At): void {
  const all = bars();
  const index = all.findIndex((bar) => bar.id === barId(from.turn, from.n));
  const order = [...all.slice(index + 1), ...all.slice(0, Math.max(index, 0))];
  const next = order.find((bar) => ["fits", "failed"].includes(bar.dataset["state"] ?? "") && !decided.has(bar.id));
  if (next !== undefined) goToBar(next);
}

// --- Decisions

/** Edits that a key has decided and the server has not answered about. */
const decided = new Set<string>();

interface Wanted extends At {
  readonly seen: string;
}

let waiting: Wanted[] = [];
let writes: Promise<void> | null = null;

/** What an edit does, wherever its lines stand by then. */
export function doing({ path, kind, destination, hunks }: Edit): string {
  return JSON.stringify([path, kind, destination, hunks?.map((hunk) => hunk.lines.map((line) => line.s + line.t + line.e))]);
}

const editAt = ({ turn, n }: At): Edit | undefined => turnById(turn)?.edits.find((one) => one.n === n);

/** Write an edit, and go on. */
export function writeEdit(one: At): void {
  const edit = editAt(one);
  if (edit === undefined) return;
  decided.add(barId(one.turn, one.n));
  waiting.push({ ...one, seen: doing(edit) });
  writes ??= drain().finally(() => (writes = null));
  leadOn(one);
}

async function drain(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve)); // what is pressed in one go is written in one go
  while (waiting.length > 0) {
    const id = waiting[0]!.turn;
    const mine = waiting.filter((one) => one.turn === id);
    waiting = waiting.filter((one) => one.turn !== id);
    await settled(id);
    const turn = turnById(id);
    const [same, other] = [mine.filter(isStill), mine.filter((one) => !isStill(one))];
    for (const { n } of other) notify("note", `Edit ${n} is another one by now; it was not written.`, "Look at it again.");
    if (turn !== null && same.length > 0) await apply(turn, { edits: same.map((one) => one.n) });
    for (const { n } of mine) decided.delete(barId(id, n));
  }
}

function isStill(one: Wanted): boolean {
  const edit = editAt(one);
  return edit?.state === "fits" && doing(edit) === one.seen;
}

/** Leave an edit out and go on, or take it back in and stay. */
export function leaveOut(one: At, out: boolean): void {
  const id = barId(one.turn, one.n);
  if (out) decided.add(id);
  void skip(one.turn, [one.n], out).then(() => decided.delete(id));
  if (out) leadOn(one);
}
