/**
 * What differs between two texts, for the merge views: runs of lines, and words within lines that pair off.
 *
 * Near linear in the texts, and the same lines and marks as everywhere else on the page. The library's own way from a
 * comparison to its chunks takes lines that are blank or a single sign for changed where they stand between changed ones.
 * Its views ask `Chunk.build` alone for them, as what they show here never changes: so that is what is replaced.
 */

import { Change, Chunk } from "@codemirror/merge";
import type { Text } from "@codemirror/state";
import { changedWords } from "../text/changed_words";
import { compareLines, type Run } from "../text/lines";

const MOST_PAIRED = 200;

Chunk.build = (a: Text, b: Text) => lineChunks(a.toString(), b.toString());

/** The runs of lines that differ, in order, as offsets into both texts, whose lines end with `\n`. */
export function lineChunks(a: string, b: string): readonly Chunk[] {
  const [old, fresh] = [lines(a), lines(b)];
  const [oldAt, freshAt] = [offsets(old), offsets(fresh)];
  return compareLines(old, fresh).flatMap((run) => {
    if (run.same) return [];
    const [fromA, fromB] = [oldAt[run.aFrom]!, freshAt[run.bFrom]!];
    const changes = changesOf(run, old, fresh, oldAt, freshAt).map(
      (at) => new Change(at.fromA - fromA, at.toA - fromA, at.fromB - fromB, at.toB - fromB),
    );
    return [new Chunk(changes, fromA, behind(oldAt, run.aFrom, run.aTo, a), fromB, behind(freshAt, run.bFrom, run.bTo, b))];
  });
}

/** Where lines end, their last line's end included; a last line without one counts as if it had it, as the library wants. */
function behind(at: Int32Array, from: number, to: number, text: string): number {
  const end = at[to]!;
  return to > from && end === text.length && !text.endsWith("\n") ? end + 1 : end;
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
