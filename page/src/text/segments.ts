/**
 * Cuts a line where its colours and its marks begin and end, so that each cut can be one element; of a very long line
 * the part that is looked at.
 */

import type { Mark } from "./changed_words";
import type { Colour } from "./highlight";

export interface Segment {
  readonly text: string;
  readonly colour: string;
  readonly marked: boolean;
}

const LONGEST = 4000;
const FAR = 160; // characters before a change, above which most of them are left out
const LEAD = 24; // of which so many stay

/** From where on a line is shown whose first change is at `change`: its start, unless the change would be out of sight. */
export function shownFrom(line: string, change: number): number {
  if (change <= FAR) return 0;
  const from = Math.max(0, Math.min(change, line.length) - LEAD);
  return isLowSurrogate(line, from) ? from - 1 : from;
}

function isLowSurrogate(line: string, at: number): boolean {
  const unit = line.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The segments of a line from `start` on, in order; joined they are all of it, or `rest` counts what was left out. */
export function segmentsOf(
  line: string,
  colours: readonly Colour[],
  marks: readonly Mark[],
  start = 0,
): { readonly segments: Segment[]; readonly rest: number } {
  const end = Math.min(line.length, start + LONGEST);
  const cuts = new Set([start, end]);
  for (const { from, to } of colours) cuts.add(from).add(to);
  for (const [from, to] of marks) cuts.add(from).add(to);
  const sorted = [...cuts].filter((cut) => cut >= start && cut <= end).sort((a, b) => a - b);
  const segments: Segment[] = [];
  for (let n = 0; n + 1 < sorted.length; n++) {
    const from = sorted[n]!;
    const colour = colours.find((c) => c.from <= from && from < c.to)?.name ?? "";
    const marked = marks.some(([begin, behind]) => begin <= from && from < behind);
    segments.push({ text: line.slice(from, sorted[n + 1]), colour, marked });
  }
  return { segments, rest: line.length - end };
}
