import { describe, expect, it } from "vitest";
import type { DiffLine } from "../src/api/wire";
import { endsToTell } from "../src/text/hunk_ends";

const line = (s: DiffLine["s"], t: string, e = "\n"): DiffLine => ({ s, t, m: [], e });

describe("endsToTell", () => {
  it.each<[string, DiffLine[], string[]]>([
    ["nothing of lines that end alike", [line(" ", "a"), line("-", "b"), line("+", "c")], ["", "", ""]],
    ["a last line that gets its end", [line("-", "b", ""), line("+", "b")], ["no line end", ""]],
    ["one that gets another text and its end", [line("-", "b", ""), line("+", "c")], ["no line end", ""]],
    ["one that loses it", [line("-", "b"), line("+", "b", "")], ["", "no line end"]],
    ["nothing where both ends lack it", [line("-", "b", ""), line("+", "c", "")], ["", ""]],
    ["lines behind a last one", [line("-", "b", ""), line("+", "b"), line("+", "c", "")], ["no line end", "", "no line end"]],
    ["nothing of a new text without one", [line("+", "b", "")], [""]],
    ["other ends of the same line", [line("-", "b", "\r\n"), line("+", "b")], ["CRLF", "LF"]],
    ["nothing of other ends of another line", [line("-", "b", "\r\n"), line("+", "c")], ["", ""]],
  ])("tells %s", (_, lines, told) => expect(endsToTell({ lines })).toEqual(told));
});
