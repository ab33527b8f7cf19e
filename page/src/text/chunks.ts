/**
 * The changes within one edit, of which each can be taken or left.
 *
 * A change that is left is one that the edit does not make: in its new text the old lines stand there. So what is left
 * can be told from the texts alone, and nothing has to be kept beside them.
 */

import type { Hunk } from "../api/wire";
import { compareLines, editorLines } from "./lines";

/** Lines that go, and what comes in their place. */
export interface Chunk {
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

const MOST = 200;

interface Part extends Chunk {
  readonly same: boolean;
}

function partsOf(before: string, after: string): Part[] {
  const [a, b] = [editorLines(before), editorLines(after)];
  return compareLines(a, b).map(({ same, aFrom, aTo, bFrom, bTo }) => ({ same, gone: a.slice(aFrom, aTo), come: b.slice(bFrom, bTo) }));
}

/** The changes from one text to another, in order. */
export function chunksOf(before: string, after: string): Chunk[] {
  return partsOf(before, after).flatMap(({ same, gone, come }) => (same ? [] : [{ gone, come }]));
}

/** The new text with only these changes made. */
export function withTaken(before: string, after: string, taken: readonly boolean[]): string {
  let n = 0;
  const lines = partsOf(before, after).flatMap((part) => (part.same || taken[n++] === true ? part.come : part.gone));
  return lines.join("\n");
}

/** Which of the changes a text has that was made by leaving some; null where it is another text. */
export function takenOf(before: string, after: string, text: string): readonly boolean[] | null {
  const parts = partsOf(before, after);
  const lines = editorLines(text);
  if (parts.length > MOST) return null;
  const holds = (at: number, wanted: readonly string[]): boolean => wanted.every((line, n) => lines[at + n] === line);
  const dead = new Set<string>(); // from which nothing led to the end
  const find = (n: number, at: number): boolean[] | null => {
    const part = parts[n];
    if (part === undefined) return at === lines.length ? [] : null;
    if (dead.has(`${n} ${at}`)) return null;
    for (const takes of part.same ? [true] : [true, false]) {
      const side = takes ? part.come : part.gone;
      const rest = holds(at, side) ? find(n + 1, at + side.length) : null;
      if (rest !== null) return part.same ? rest : [takes, ...rest];
    }
    dead.add(`${n} ${at}`);
    return null;
  };
  return find(0, 0);
}

/** The runs of changed lines in hunks, in order. */
export function chunksOfHunks(hunks: readonly Hunk[]): Chunk[] {
  const chunks: { gone: string[]; come: string[] }[] = [];
  for (const hunk of hunks) {
    let open = false;
    for (const line of hunk.lines) {
      if (line.s === " ") {
        open = false;
        continue;
      }
      if (!open) chunks.push({ gone: [], come: [] });
      open = true;
      chunks.at(-1)![line.s === "-" ? "gone" : "come"].push(line.t);
    }
  }
  return chunks;
}
