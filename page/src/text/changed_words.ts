/**
 * Which characters changed between two versions of a line.
 *
 * Compares words, runs of blanks and single signs, so that marks fall where a reader would put them. Very long lines
 * are compared at their two ends alone, which keeps the cost flat.
 */

import { sharedPairs } from "./lines";

/** Characters `from..to` of a line. */
export type Mark = readonly [from: number, to: number];

const LONGEST = 2000;
/** Scripts that put no blanks between words: a line of theirs would be one word. */
const UNSPACED = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Mymr}\\p{scx=Khmr}";
/** What is seen as one with the sign before it: accents, colours of skin, joined pictures. */
const WITH_IT = "[\\p{M}\\p{EMod}]*(?:\\u200d.[\\p{M}\\p{EMod}]*)*";
const WORDS = new RegExp(`\\s+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}_]\\p{M}*)+|\\p{RI}\\p{RI}|[^]${WITH_IT}`, "gu");
const PAIRED = 0.4;

/** The marks on the old and on the new version; null where the lines have too little in common to be one line. */
export function changedWords(was: string, now: string): { gone: Mark[]; come: Mark[] } | null {
  if (was.length > LONGEST || now.length > LONGEST) return changedEnds(was, now);
  const old = was.match(WORDS) ?? [];
  const fresh = now.match(WORDS) ?? [];
  const pairs = sharedPairs(old, fresh);
  const shared = pairs.reduce((sum, [i]) => sum + (old[i]!.trim() === "" ? 0 : old[i]!.length), 0);
  const longer = Math.max(was.replace(/\s/g, "").length, now.replace(/\s/g, "").length);
  if (longer === 0 || shared / longer < PAIRED) return null;
  const [mine, theirs] = [new Set(pairs.map(([i]) => i)), new Set(pairs.map(([, k]) => k))];
  const read = pairs.filter(([i, k]) => old[i]!.trim() !== "" || !(isLone(i, old, mine) || isLone(k, fresh, theirs)));
  return { gone: outside(old, read.map(([i]) => i)), come: outside(fresh, read.map(([, k]) => k)) };
}

/** Whether a blank stands between two words that changed: a mark that it cut in two would read as two changes. */
function isLone(n: number, words: readonly string[], shared: ReadonlySet<number>): boolean {
  return n > 0 && n < words.length - 1 && !shared.has(n - 1) && !shared.has(n + 1);
}

function outside(words: readonly string[], kept: readonly number[]): Mark[] {
  const keep = new Set(kept);
  const marks: [number, number][] = [];
  let at = 0;
  words.forEach((word, n) => {
    const end = at + word.length;
    if (!keep.has(n)) {
      const last = marks.at(-1);
      if (last && last[1] === at) last[1] = end;
      else marks.push([at, end]);
    }
    at = end;
  });
  return marks;
}

function changedEnds(was: string, now: string): { gone: Mark[]; come: Mark[] } | null {
  const least = Math.min(was.length, now.length);
  let head = 0;
  while (head < least && was[head] === now[head]) head++;
  let tail = 0;
  while (tail < least - head && was[was.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  if ((head + tail) / Math.max(was.length, now.length) < PAIRED) return null;
  const mark = (length: number): Mark[] => (length - tail > head ? [[head, length - tail]] : []);
  return { gone: mark(was.length), come: mark(now.length) };
}
