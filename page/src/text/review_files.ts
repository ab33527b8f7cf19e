/** The files of a reply in the order of their tree, each with its edits; the same value as long as nothing of it changes. */

import type { Edit, Plan, PlanFile, Turn } from "../api/wire";
import { fileOf, nameAfter } from "./renames";
import { buildTree, foldersOf, visibleRows } from "./tree";
import { isOver, shownState } from "./words";

export interface ReviewedFile {
  readonly path: string | null;
  readonly file: PlanFile | null;
  readonly edits: readonly Edit[];
  /** Changes whenever something of the file does that is drawn. */
  readonly key: string;
  /** The same, decisions aside: what there is to look at. */
  readonly text: string;
}

/** Files as they were drawn last, by path: those that did not change are handed out again. */
export type Known = Map<string | null, ReviewedFile>;

export function filesOf(turn: Turn, plan: Plan | null, known: Known): ReviewedFile[] {
  const byPath = new Map<string | null, Edit[]>();
  for (const edit of turn.edits) {
    if (edit.state === "superseded") continue;
    const path = edit.path === null ? null : nameAfter(turn, edit.path);
    const others = byPath.get(path);
    if (others === undefined) byPath.set(path, [edit]);
    else others.push(edit);
  }
  const files = inTreeOrder([...byPath.keys()]).map((path): ReviewedFile => {
    const edits = byPath.get(path)!;
    const file = plan === null ? null : fileOf(plan, path);
    const key = `${turn.id} ${turn.state} ${JSON.stringify(file)} ${edits.map(numberOf).join()}`;
    const before = known.get(path);
    if (before?.key === key) return before;
    return { path, file, edits, key, text: edits.map((edit) => `${edit.n} ${edit.search.length} ${edit.replace.length} ${edit.result?.code ?? ""}`).join() };
  });
  known.clear();
  for (const file of files) known.set(file.path, file);
  return files;
}

/** As the tree of files lists them; edits without a file first, as they need one. */
export function inTreeOrder(paths: readonly (string | null)[]): (string | null)[] {
  const named = paths.filter((path) => path !== null).sort();
  const listed = visibleRows(buildTree(named), foldersOf(named), "").flatMap((row) => (row.folder ? [] : [row.path]));
  const rest = named.filter((path) => !listed.includes(path));
  return [...(paths.includes(null) ? [null] : []), ...listed, ...rest];
}

const numbers = new WeakMap<Edit, number>();
let last = 0;

/** A number of this very value: an edit that changed is another value. */
function numberOf(edit: Edit): number {
  const known = numbers.get(edit) ?? ++last;
  numbers.set(edit, known);
  return known;
}

/** Whether there is something to say of an edit that fits. */
export function isNoted(edit: Edit): boolean {
  return (edit.result?.warnings.length ?? 0) > 0 || (edit.state === "fits" && (edit.result?.place_count ?? 0) > 1);
}

/** The edits of a file that are wanted: all, or those in some states (`noted` is one that has a note). */
export function wantedOf(file: ReviewedFile, state: Turn["state"], states: ReadonlySet<string>): readonly Edit[] {
  if (states.size === 0) return file.edits;
  return file.edits.filter((edit) => states.has(shownState(edit, isOver(state))) || (states.has("noted") && isNoted(edit)));
}
