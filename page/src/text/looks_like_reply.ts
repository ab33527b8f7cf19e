/** Whether a text reads like a model's reply with edits in it; only a guess that offers another way to send it. */

const MARKS = [
  /^<{5,9} ?(SEARCH|EDIT|NEW_FILE)\b/m,
  /^«{3} EDIT/m,
  /^🟧{3} EDIT/mu,
  /^\*\*\* Begin Patch/m,
  /^--- [^\n]+\n\+\+\+ [^\n]+\n@@/m,
  /<boltAction\b/,
  /^-{5,9} SEARCH/m,
];

export function looksLikeReply(text: string): boolean {
  return MARKS.some((mark) => mark.test(text));
}
