/**
 * Colours of a text, line by line, as class names for spans.
 *
 * Owns the bound on how much is coloured: what is longer than it is drawn plainly, never slowly.
 */

import { classHighlighter, highlightTree } from "@lezer/highlight";
import type { Parser } from "@lezer/common";

/** Characters `from..to` of a line carry class names. */
export interface Colour {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

const LONGEST = 60_000;
const LONGEST_LINE = 2000;

/** The colours of each line of a text that was split at `\n`. */
export function lineColours(lines: readonly string[], parser: Parser | null): readonly (readonly Colour[])[] {
  const plain = lines.map((): Colour[] => []);
  if (parser === null) return plain;
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (length > LONGEST || lines.some((line) => line.length > LONGEST_LINE)) return plain;
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  let n = 0;
  highlightTree(parser.parse(lines.join("\n")), classHighlighter, (from, to, name) => {
    while (n + 1 < starts.length && starts[n + 1]! <= from) n++;
    for (let line = n; line < lines.length && starts[line]! < to; line++) {
      const begin = Math.max(from - starts[line]!, 0);
      const end = Math.min(to - starts[line]!, lines[line]!.length);
      if (end > begin) plain[line]!.push({ from: begin, to: end, name });
    }
  });
  return plain;
}
