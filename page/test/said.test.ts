import { describe, expect, it } from "vitest";
import { editHint, pageHint } from "../src/text/page_hints";
import { saidParts } from "../src/text/said";

describe("saidParts", () => {
  it.each([
    ["plain", ["plain"]],
    ["`a.py` does not exist.", ["<a.py>", " does not exist."]],
    ["Is it `a*b*.py`, or ``b`c``?", ["Is it ", "<a*b*.py>", ", or ", "<b`c>", "?"]],
    ["one ` alone **stays** as it is", ["one ` alone **stays** as it is"]],
    ["", []],
  ])("%j", (text, parts) => {
    expect(saidParts(text).map((part) => (part.code ? `<${part.text}>` : part.text))).toEqual(parts);
  });
});

describe("pageHint", () => {
  it.each([
    ["changed", "Run it again.", "Look at the edits as they are now, then apply them again."],
    ["journal", "Change it by hand; `dovetail show 2026` has both versions.", "History shows what each operation wrote."],
    ["no-such-model", "Check the model's name: --model NAME", "Check its name in the settings."],
    ["bad-request", "See docs/reference/http.md", "Load the page again."],
    ["stale", "Show the model the file, or choose a side with --conflicts ours", "Resolve the conflict by hand, or skip the edit."],
    ["no-blocks", "If it is all of it, read the reply with --format whole.", "If it is all of it, read it as `whole`, at the top of the reply."],
    ["unknown", "Run `git reset -- a`", ""],
    ["file-missing", "Is it one of these: `a.py`?", "Is it one of these: `a.py`?"],
    [null, null, ""],
  ])("%s: %s", (code, hint, said) => expect(pageHint(code, hint)).toBe(said));
});

describe("editHint", () => {
  const copied = "Copy the search text from the file as it is now.";
  it.each([
    ["no-match", copied, true, "Make its change at the nearest code, or edit it by hand."],
    ["no-match", copied, false, "Edit it by hand, or skip it."],
    ["no-match", "Is this the right file?", false, "Is this the right file?"],
    ["file-missing", "Is it one of these: `a.py`?", false, "Is it one of these: `a.py`?"],
    ["file-missing", "Name a file that exists, or send all of its text as a new file.", false, "Edit it by hand: name a file that exists."],
    ["malformed", "Send it again, whole.", false, "Edit it by hand, or have it sent again."],
    ["stale", "Show the model the file, or choose a side with --conflicts ours", false, "Resolve the conflict by hand, or skip the edit."],
    ["no-match", null, true, ""],
  ])("%s: %s", (code, hint, carried, said) => expect(editHint(code, hint, carried)).toBe(said));
});
