/**
 * The next act, as it is said on the page.
 *
 * The engine's hints speak to whoever asks: some name a command, a flag or a document. On the page those stand for
 * something else to do, by the code of what is wrong; where the table has nothing, no hint is better than a wrong one.
 */

const FOR_A_TERMINAL = /`(?:dovetail|git|python)\b|(?:^|\s)--[a-z]|\bdocs\/|^Run\b|python -m/;

/** A pasted reply has a choice of format where the terminal has an option. */
const READ_AS = /\bread the reply with --format ([\w-]+)\.$/;

const HINTS: Readonly<Record<string, string>> = {
  "bad-request": "Load the page again.",
  changed: "Look at the edits as they are now, then apply them again.",
  conflict: "Resolve the conflict by hand, or skip the edit.",
  journal: "History shows what each operation wrote.",
  "model-configuration": "Name one in the settings.",
  "no-such-model": "Check its name in the settings.",
  "outside-root": "History shows what was written, and can undo it.",
  stale: "Resolve the conflict by hand, or skip the edit.",
};

/** Of edits: the engine's hints tell a model how to write one, and here somebody decides on it. */
const FOR_EDITS: Readonly<Record<string, string>> = {
  ambiguous: "Edit it by hand: quote a neighbouring line that only the right place has.",
  elided: "Edit it by hand: write every line out.",
  "file-missing": "Edit it by hand: name a file that exists.",
  malformed: "Edit it by hand, or have it sent again.",
  "too-large": "Send it in a reply of its own, with a shorter search.",
  "other-failed": "Correct the failed edit, or skip it.",
};

/**
 * What to do about an edit that failed. A question that names files is one to the reader as well, and is kept.
 * `carried`: its change can be made at the nearest code.
 */
export function editHint(code: string | null, hint: string | null, carried: boolean): string {
  const said = pageHint(code, hint);
  if (said === "" || said !== hint || said.includes("`")) return said;
  if (carried) return "Make its change at the nearest code, or edit it by hand.";
  if (said.endsWith("?")) return said;
  return FOR_EDITS[code ?? ""] ?? "Edit it by hand, or skip it.";
}

/** What to do about a problem here; "" where nothing is known. */
export function pageHint(code: string | null, hint: string | null): string {
  if (hint === null || !FOR_A_TERMINAL.test(hint)) return hint ?? "";
  if (READ_AS.test(hint)) return hint.replace(READ_AS, "read it as `$1`, at the top of the reply.");
  return HINTS[code ?? ""] ?? "";
}
