/** Which edits stand among some items of a reply. */

import type { Edit, Item } from "../api/wire";

type Known = ReadonlyMap<number, Edit>;
const kept = new WeakMap<readonly Item[], readonly Edit[]>();

/** The edits among items as a list that stays the same value while its members do. */
export function editsOf(items: readonly Item[], known: Known): readonly Edit[] {
  const wanted = items.flatMap((item) => {
    const edit = item.k === "edit" ? known.get(item.n) : undefined;
    return edit === undefined ? [] : [edit];
  });
  const before = kept.get(items);
  if (before !== undefined && before.length === wanted.length && before.every((edit, n) => edit === wanted[n])) return before;
  kept.set(items, wanted);
  return wanted;
}
