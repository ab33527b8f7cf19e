/**
 * What of a reply's prose is left to read beside its edits.
 *
 * A block's path line and fence lines say what the edit's own card says; they are left out of the prose next to it. So is
 * a listing of a whole file: until it ended it was an example like any other, and then its card shows what it changes.
 */

import type { Edit, Item } from "../api/wire";

const FENCE = /^\s*(`{3,}|~{3,})[^\n]*$/;
const DECORATION = /^[\s#>*_`~'"-]*(?:\d+[.)]\s*)?(?:\/\/|#|file:)?\s*|[\s*_`:'"]*$/gi;

/**
 * The same items, with what the cards say cut from the texts next to edits; empty texts are left out.
 *
 * Where the items are a run out of a reply, `behindEdit` says that an edit stands before them.
 */
export function aroundEdits(items: readonly Item[], edits: ReadonlyMap<number, Edit>, behindEdit = false): readonly Item[] {
  return items.flatMap((item, n): readonly Item[] => {
    if (item.k === "diagnostic") return saidByCard(items, n, edits) ? [] : [item];
    if (item.k !== "text") return [item];
    const behind = n === 0 ? behindEdit : standsBehindEdit(items, n);
    return cut(item, behind, commandsBehind(items, n), editAhead(items, n, edits));
  });
}

/** Items cut into runs of at least `least`. Runs end behind edits, so each shows what is left of it without the others. */
export function runsOf(items: readonly Item[], least: number): (readonly Item[])[] {
  const cuts: (readonly Item[])[] = [];
  let from = 0;
  for (let at = least; at < items.length; at++) {
    if (at - from < least || items[at]!.k === "diagnostic" || !standsBehindEdit(items, at)) continue;
    cuts.push(items.slice(from, at));
    from = at;
  }
  if (from < items.length) cuts.push(items.slice(from));
  return cuts;
}

type TextItem = Extract<Item, { k: "text" }>;
interface Cut {
  readonly for: string;
  readonly left: readonly Item[];
}
const cuts = new WeakMap<Item, Cut>();

/** What is left of a text: the same value as long as what stands beside it is the same, so that it is not drawn again. */
function cut(item: TextItem, behindEdit: boolean, commands: ReadonlySet<string>, edit: Edit | null): readonly Item[] {
  const path = edit === null ? null : (edit.original?.path ?? edit.path);
  const beside = [behindEdit, edit === null ? "" : `to ${listed(edit).length} of ${path}`, ...commands].join("\n");
  const known = cuts.get(item);
  if (known?.for === beside) return known.left;
  let text = behindEdit ? withoutClosing(item.text) : item.text;
  text = withoutCommands(text, commands);
  if (edit !== null) {
    const rest = item.code ? withoutListing(text, edit) : text;
    text = rest === text ? withoutOpening(text, path) : rest;
  }
  const left = text.trim() === "" ? [] : [text === item.text ? item : { ...item, text }];
  cuts.set(item, { for: beside, left });
  return left;
}

function standsBehindEdit(items: readonly Item[], n: number): boolean {
  return editBefore(items, n) !== null;
}

/** The number of the edit right before, findings about it left aside. */
function editBefore(items: readonly Item[], n: number): number | null {
  let at = n - 1;
  while (items[at]?.k === "diagnostic") at--;
  const before = items[at];
  return before?.k === "edit" ? before.n : null;
}

/** Whether the card before a finding gives it as the reason why its edit failed. */
function saidByCard(items: readonly Item[], n: number, edits: ReadonlyMap<number, Edit>): boolean {
  const item = items[n];
  const before = editBefore(items, n);
  const reason = before === null ? null : edits.get(before)?.result?.reason;
  return item?.k === "diagnostic" && reason != null && reason.endsWith(item.message);
}

/** The edit that this text leads to: at once, or behind a text that holds fences or the edit's listing alone. */
function editAhead(items: readonly Item[], n: number, edits: ReadonlyMap<number, Edit>): Edit | null {
  let at = n + 1;
  for (let item = items[at]; item?.k === "text" && onlyFences(item.text); item = items[at]) at++;
  const item = items[at];
  if (item?.k !== "text" || !item.code) return editAt(items, at, edits);
  const edit = editAt(items, at + 1, edits);
  return edit !== null && withoutListing(item.text, edit).trim() === "" ? edit : null;
}

function editAt(items: readonly Item[], at: number, edits: ReadonlyMap<number, Edit>): Edit | null {
  const item = items[at];
  return item?.k === "edit" ? (edits.get(item.n) ?? null) : null;
}

/** The commands that cards right behind this text will show. */
function commandsBehind(items: readonly Item[], n: number): ReadonlySet<string> {
  const commands = new Set<string>();
  for (let at = n + 1; ; at++) {
    const item = items[at];
    if (item?.k === "shell" && item.origin === "fence") item.command.split("\n").forEach((line) => commands.add(line.trim()));
    else if (item?.k !== "text" || !onlyFences(item.text)) return commands;
  }
}

/** Without the fenced block at its end, where all its lines are commands that are shown anyway. */
function withoutCommands(text: string, commands: ReadonlySet<string>): string {
  if (commands.size === 0) return text;
  const lines = text.replace(/\s+$/, "").split("\n");
  const closed = FENCE.test(lines.at(-1) ?? "");
  const open = lines.findLastIndex((line, at) => FENCE.test(line) && !(closed && at === lines.length - 1));
  if (open < 0) return text;
  const inside = lines.slice(open + 1, closed ? -1 : undefined).map((line) => line.trim().replace(/^[$>] /, ""));
  const shown = inside.every((line) => line === "" || line.startsWith("#") || commands.has(line));
  return shown ? lines.slice(0, open).join("\n") : text;
}

/** Without the fenced block at its end, where that is all that the edit says. */
function withoutListing(text: string, edit: Edit): string {
  const raw = listed(edit);
  if (raw === "") return text;
  const lines = text.trimEnd().split("\n");
  if (FENCE.test(lines.at(-1) ?? "")) lines.pop();
  while (lines.at(-1)?.trim() === "") lines.pop();
  const own = raw.trimEnd().split("\n");
  const open = lines.length - own.length - 1;
  const same = open >= 0 && FENCE.test(lines[open]!) && own.every((line, n) => line === lines[open + 1 + n]);
  return same ? lines.slice(0, open).join("\n") : text;
}

/** What an edit's block says, once its card shows that. */
function listed({ raw, diff }: Edit): string {
  return diff === null ? "" : raw;
}

function onlyFences(text: string): boolean {
  return text.split("\n").every((line) => line.trim() === "" || FENCE.test(line));
}

function withoutClosing(text: string): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  const closes = first >= 0 && /^\s*(`{3,}|~{3,})\s*$/.test(lines[first]!);
  return closes ? lines.slice(first + 1).join("\n") : text;
}

function withoutOpening(text: string, path: string | null): string {
  const lines = text.split("\n");
  const drop = (matches: (line: string) => boolean): void => {
    let last = lines.length - 1;
    while (last >= 0 && lines[last]!.trim() === "") last--;
    if (last >= 0 && matches(lines[last]!)) lines.length = last;
  };
  drop((line) => FENCE.test(line));
  drop((line) => path !== null && names(line, path));
  return lines.length === text.split("\n").length ? text : lines.join("\n");
}

/** Whether a line holds this path, or an end of it, and nothing else. */
function names(line: string, path: string): boolean {
  const named = line.replace(DECORATION, "").replace(/^\.\//, "");
  return named !== "" && (named === path || path.endsWith(`/${named}`) || named.endsWith(`/${path}`));
}
