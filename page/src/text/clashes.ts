/** The conflicts in a merged text, by its markers. Lines count from 1. */

export interface Clash {
  readonly start: number;
  readonly divider: number;
  readonly end: number;
}

export type Side = "file" | "reply" | "both";

/** Every whole conflict, in order; a marker out of place is text. */
export function findClashes(text: string): Clash[] {
  const clashes: Clash[] = [];
  let start = 0;
  let divider = 0;
  text.split("\n").forEach((line, index) => {
    const n = index + 1;
    if (/^<{7}( |$)/.test(line)) [start, divider] = [n, 0];
    else if (/^={7}$/.test(line.trimEnd()) && start > 0 && divider === 0) divider = n;
    else if (/^>{7}( |$)/.test(line) && divider > 0) {
      clashes.push({ start, divider, end: n });
      [start, divider] = [0, 0];
    }
  });
  return clashes;
}

/** The lines that a side puts in a conflict's place, each with its end. */
export function sideOf(text: string, clash: Clash, side: Side): string {
  const lines = text.split("\n");
  const ours = lines.slice(clash.start, clash.divider - 1);
  const theirs = lines.slice(clash.divider, clash.end - 1);
  const taken = side === "file" ? ours : side === "reply" ? theirs : [...ours, ...theirs];
  return taken.map((line) => `${line}\n`).join("");
}
