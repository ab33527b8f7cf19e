/**
 * The changes between two texts, for the merge views: by lines first, by words within lines that changed.
 *
 * Near linear in the texts, and the same marks as everywhere else on the page.
 */

import { Change } from "@codemirror/merge";
import { changedWords } from "../text/changed_words";
import { compareLines, type Run } from "../text/lines";

const MOST_PAIRED = 200;

/** Changes in order, as offsets into both texts, whose lines end with `\n`. */
export function lineDiff(a: string, b: string): readonly Change[] {
  const [old, fresh] = [lines(a), lines(b)];
  const [oldAt, freshAt] = [offsets(old), offsets(fresh)];
  return compareLines(old, fresh).flatMap((run) => (run.same ? [] : changesOf(run, old, fresh, oldAt, freshAt)));
}

/** Every line with its end. */
function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function offsets(all: readonly string[]): Int32Array {
  const at = new Int32Array(all.length + 1);
  all.forEach((line, n) => (at[n + 1] = at[n]! + line.length));
  return at;
}

type Lines = readonly string[];

function changesOf(run: Run, old: Lines, fresh: Lines, oldAt: Int32Array, freshAt: Int32Array): Change[] {
  const [removed, added] = [run.aTo - run.aFrom, run.bTo - run.bFrom];
  const whole = new Change(oldAt[run.aFrom]!, oldAt[run.aTo]!, freshAt[run.bFrom]!, freshAt[run.bTo]!);
  if (removed !== added || removed > MOST_PAIRED) return [whole];
  const changes: Change[] = [];
  for (let n = 0; n < removed; n++) {
    const [i, k] = [run.aFrom + n, run.bFrom + n];
    const words = changedWords(old[i]!, fresh[k]!);
    if (words === null) changes.push(new Change(oldAt[i]!, oldAt[i + 1]!, freshAt[k]!, freshAt[k + 1]!));
    else changes.push(...paired(words, oldAt[i]!, freshAt[k]!));
  }
  return changes;
}

/** Marks on both sides of a line as changes: what stands between marks is equal, so both sides advance alike. */
function paired(words: NonNullable<ReturnType<typeof changedWords>>, a: number, b: number): Change[] {
  const changes: Change[] = [];
  let [i, k, atA, atB] = [0, 0, 0, 0];
  while (i < words.gone.length || k < words.come.length) {
    const [gone, come] = [words.gone[i], words.come[k]];
    const before = Math.min(gone === undefined ? Infinity : gone[0] - atA, come === undefined ? Infinity : come[0] - atB);
    [atA, atB] = [atA + before, atB + before];
    const toA = gone !== undefined && gone[0] === atA ? (i++, gone[1]) : atA;
    const toB = come !== undefined && come[0] === atB ? (k++, come[1]) : atB;
    changes.push(new Change(a + atA, a + toA, b + atB, b + toB));
    [atA, atB] = [toA, toB];
  }
  return changes;
}
