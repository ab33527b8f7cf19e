/** Whether what an edit changes in its file reads otherwise than what the reply says. */

import type { Hunk } from "../api/wire";

/**
 * `inFile` are the edit's hunks in the file, `said` those between the reply's own texts. A search that was found as it
 * is quotes the file; then only the changed lines can differ, where other edits or a merge changed them too.
 */
export function readsDifferently(inFile: readonly Hunk[] | null, said: readonly Hunk[] | null, tier: string | null): boolean {
  if (inFile === null || inFile.length === 0 || said === null) return false;
  if (tier !== null && tier !== "exact") return true;
  const [a, b] = [changedLines(inFile), changedLines(said)];
  return a.length !== b.length || a.some((line, n) => line !== b[n]);
}

function changedLines(hunks: readonly Hunk[]): string[] {
  return hunks.flatMap((hunk) => hunk.lines.flatMap((line) => (line.s === " " ? [] : [line.s + line.t])));
}
