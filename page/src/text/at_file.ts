/** Files named by `@` while one writes: what is typed of a name, and which files it may mean. */

/** The word behind an `@` that ends at the cursor, and where the `@` stands; null where there is none. */
export function wordAt(text: string, cursor: number): { readonly from: number; readonly word: string } | null {
  const found = /(?:^|\s)@([^\s@]{0,200})$/.exec(text.slice(0, cursor));
  return found === null ? null : { from: cursor - found[1]!.length - 1, word: found[1]! };
}

const MOST = 8;

/** The files that a word may mean: first those whose name begins with it, then those that have it in their path. */
export function filesLike(paths: readonly string[], word: string): string[] {
  const wanted = word.toLowerCase();
  const begins: string[] = [];
  const holds: string[] = [];
  for (const path of paths) {
    const lower = path.toLowerCase();
    if (lower.startsWith(wanted, lower.lastIndexOf("/") + 1) || lower.startsWith(wanted)) begins.push(path);
    else if (holds.length < MOST && lower.includes(wanted)) holds.push(path);
    if (begins.length === MOST) break;
  }
  return [...begins, ...holds].slice(0, MOST);
}
