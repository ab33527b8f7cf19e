/** Cuts a line where its colours and its marks begin and end, so that each cut can be one element. */

import type { Mark } from "./changed_words";
import type { Colour } from "./highlight";

export interface Segment {
  readonly text: string;
  readonly colour: string;
  readonly marked: boolean;
}

const LONGEST = 4000;

/** The segments of a line, in order; joined they are the line, or its head where `rest` counts what was left out. */
export function segmentsOf(
  line: string,
  colours: readonly Colour[],
  marks: readonly Mark[],
): { readonly segments: Segment[]; readonly rest: number } {
  const text = line.length > LONGEST ? line.slice(0, LONGEST) : line;
  const cuts = new Set([0, text.length]);
  for (const { from, to } of colours) cuts.add(from).add(to);
  for (const [from, to] of marks) cuts.add(from).add(to);
  const sorted = [...cuts].filter((cut) => cut <= text.length).sort((a, b) => a - b);
  const segments: Segment[] = [];
  for (let n = 0; n + 1 < sorted.length; n++) {
    const from = sorted[n]!;
    const colour = colours.find((c) => c.from <= from && from < c.to)?.name ?? "";
    const marked = marks.some(([start, end]) => start <= from && from < end);
    segments.push({ text: text.slice(from, sorted[n + 1]), colour, marked });
  }
  return { segments, rest: line.length - text.length };
}
