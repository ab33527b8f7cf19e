/** A sentence of the server's, taken apart: what it quotes in backticks, and the words around that. */

export interface SaidPart {
  readonly text: string;
  readonly code: boolean;
}

const QUOTED = /(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g;

/** The parts in order. Nothing else in it is markup: a path may well hold stars. */
export function saidParts(text: string): SaidPart[] {
  const parts: SaidPart[] = [];
  let from = 0;
  for (const found of text.matchAll(QUOTED)) {
    if (found.index > from) parts.push({ text: text.slice(from, found.index), code: false });
    parts.push({ text: found[2]!, code: true });
    from = found.index + found[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), code: false });
  return parts;
}
