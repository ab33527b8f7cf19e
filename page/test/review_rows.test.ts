import { describe, expect, it } from "vitest";
import { diffRows } from "../src/text/diff_rows";
import { pairsOf, rowOfEdit, stretchesOf } from "../src/text/review_rows";

const lines = Array.from({ length: 60 }, (_, n) => `line ${n + 1}`);
const text = (all: readonly string[]): string => `${all.join("\n")}\n`;
const none = new Set<number>();

describe("stretchesOf", () => {
  const rows = diffRows(text(lines), text(lines.with(29, "changed")));

  it("folds what is far from a change", () => {
    expect(stretchesOf(rows, new Map(), [], none)).toEqual([
      { kind: "fold", from: 0, to: 26, fold: 0 },
      { kind: "rows", from: 26, to: 34 },
      { kind: "fold", from: 34, to: 61, fold: 34 },
    ]);
  });

  it("opens a fold from either end, and joins what is open", () => {
    const opened = new Map([
      [0, { first: 0, last: 20 }],
      [34, { first: 40, last: 0 }],
    ]);
    expect(stretchesOf(rows, opened, [], none)).toEqual([
      { kind: "fold", from: 0, to: 6, fold: 0 },
      { kind: "rows", from: 6, to: 61 },
    ]);
  });

  it("shows what something is said of, and cuts there", () => {
    expect(stretchesOf(rows, new Map(), [2], new Set([3])).slice(0, 3)).toEqual([
      { kind: "rows", from: 0, to: 3 },
      { kind: "rows", from: 3, to: 6 },
      { kind: "fold", from: 6, to: 26, fold: 6 },
    ]);
  });

  it("covers every row once", () => {
    const all = stretchesOf(rows, new Map([[34, { first: 5, last: 2 }]]), [50], new Set([28, 52]));
    expect(all.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n))).toEqual(rows.map((_, n) => n));
  });
});

describe("rowOfEdit", () => {
  it("finds where an edit begins, the lines that go before those that come", () => {
    const rows = diffRows("a\nb\nc\nd\ne\n", "a\nB\nc\ne\n");
    const at = (first: number, last: number) => rows[rowOfEdit(rows, first, last)];
    expect(at(2, 2)).toMatchObject({ sign: "removed", text: "b" });
    expect(at(4, 3)).toMatchObject({ sign: "removed", text: "d" });
  });
});

describe("pairsOf", () => {
  it("puts what comes beside what goes", () => {
    const rows = diffRows("a\nb\nc\n", "a\nB\nBB\nc\n");
    expect(pairsOf(rows).map((pair) => pair.map((row) => row?.text ?? null))).toEqual([
      ["a", "a"], ["b", "B"], [null, "BB"], ["c", "c"],
    ]);
  });
});
