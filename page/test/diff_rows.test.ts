import { describe, expect, it } from "vitest";
import { changedWords } from "../src/text/changed_words";
import { diffRows, withGaps, type Row } from "../src/text/diff_rows";

const drawn = (rows: readonly Row[]): string[] =>
  rows.map((row) => ({ same: " ", removed: "-", added: "+", pending: "?", gap: "~" })[row.sign] + row.text);

describe("diffRows", () => {
  it("shows what went before what came", () => {
    expect(drawn(diffRows("one\ntwo\nthree\n", "one\n2\nthree\nfour\n"))).toEqual([" one", "-two", "+2", " three", "+four"]);
  });

  it("numbers lines from where the place begins", () => {
    const rows = diffRows("a\nb\n", "a\nc\n", { oldStart: 40, newStart: 42 });
    expect(rows.map((row) => [row.old, row.new])).toEqual([[40, 42], [41, null], [null, 43]]);
  });

  it("leaves old lines pending while the new text arrives", () => {
    const rows = diffRows("a\nb\nc\nd\n", "a\nB\n", { arriving: true });
    expect(drawn(rows)).toEqual([" a", "-b", "+B", "?c", "?d"]);
  });

  it("marks the words that changed in a pair", () => {
    const [gone, come] = diffRows("total = price * 2\n", "total = price * count\n");
    expect(gone!.marks.map(([from, to]) => gone!.text.slice(from, to))).toEqual(["2"]);
    expect(come!.marks.map(([from, to]) => come!.text.slice(from, to))).toEqual(["count"]);
  });

  it("folds what is far from any change", () => {
    const before = Array.from({ length: 20 }, (_, n) => `${n}\n`).join("");
    const rows = withGaps(diffRows(before, before.replace("10\n", "ten\n")), 1);
    expect(drawn(rows)).toEqual(["~9 unchanged lines", " 9", "-10", "+ten", " 11", "~8 unchanged lines"]);
  });
});

describe("changedWords", () => {
  it.each([
    ["un cafe\u0301 noir", "un cafe\u0300 noir", "cafe\u0301"],
    ["am Flu\u00df hier", "am Fluss hier", "Flu\u00df"],
    ["at \u{1f1e9}\u{1f1ea}, here", "at \u{1f1e9}\u{1f1f0}, here", "\u{1f1e9}\u{1f1ea}"],
    ["ok \u{1f44d}\u{1f3fb}! yes", "ok \u{1f44d}\u{1f3ff}! yes", "\u{1f44d}\u{1f3fb}"],
    ["by \u{1f468}\u200d\u{1f467} all", "by \u{1f468}\u200d\u{1f466} all", "\u{1f468}\u200d\u{1f467}"],
    ["\u3068\u3066\u3082\u9577\u3044", "\u3068\u3066\u3082\u77ed\u3044", "\u9577"],
  ])("marks whole what is seen as one: %s", (was, now, gone) => {
    const [[from, to]] = changedWords(was, now)!.gone as [[number, number]];
    expect(was.slice(from, to)).toBe(gone);
  });
  it("is not cut in two by a blank between words that changed", () => {
    const was = '"""The lines of a receipt."""';
    const marks = changedWords(was, '"""Lines of a receipt."""')!;
    expect(marks.gone.map(([from, to]) => was.slice(from, to))).toEqual(["The lines "]);
    expect(marks.come).toEqual([[3, 9]]);
  });
  it("does not pair lines that have nothing in common", () => expect(changedWords("return 1", "import os")).toBeNull());
  it("compares huge lines at their ends", () => {
    const long = "x".repeat(50_000);
    expect(changedWords(`${long}a${long}`, `${long}b${long}`)).toEqual({ gone: [[50_000, 50_001]], come: [[50_000, 50_001]] });
  });
});
