/** How the lines of a text end: `LF`, `CRLF`, `CR`, `mixed`, or "" where none ends. */
export function lineEnds(text: string): string {
  const kinds = new Set(text.match(/\r\n|\n|\r/g));
  if (kinds.size > 1) return "mixed line ends";
  const [only] = kinds;
  return only === undefined ? "" : { "\n": "LF", "\r\n": "CRLF", "\r": "CR" }[only]!;
}
