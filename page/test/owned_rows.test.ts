import { expect, test } from "vitest";
import type { DiffLine, Hunk } from "../src/api/wire";
import { diffRows, type Row } from "../src/text/diff_rows";
import { weave, type Spot, type Woven } from "../src/text/owned_rows";

const lines = (text: string): string => text.split("").join("\n") + "\n";

/** A hunk from signs: ` a`, `-b`, `+c`, from a line on. */
function hunk(start: number, ...said: string[]): Hunk {
  const made = said.map((one): DiffLine => ({ s: one[0] as DiffLine["s"], t: one.slice(1), m: [], e: "\n" }));
  const [old, fresh] = ["+", "-"].map((other) => made.filter((line) => line.s !== other).length) as [number, number];
  return { header: "", old_start: start, old_count: old, new_start: start, new_count: fresh, lines: made };
}

const spot = (n: number, own: boolean, hunks: Hunk[], more: Partial<Spot> = {}): Spot => ({
  n, own, written: false, old: [hunks[0]?.old_start ?? 1, 0], new: null, hunks, ...more,
});

const drawn = ({ rows }: Woven): string[] => rows.map((row) => `${{ same: " ", removed: "-", added: "+" }[row.sign as "same"] ?? "?"}${row.text}${row.edit ?? ""}${row.aside ? "~" : ""}`);
const skeleton = (before: string, after: string): Row[] => diffRows(lines(before), lines(after));

test("the lines of adjoining edits stand with each of them", () => {
  const woven = weave(skeleton("abcd", "aBCd"), [spot(1, true, [hunk(1, " a", "-b", "+B", " C")]), spot(2, true, [hunk(2, " B", "-c", "+C", " d")])]);
  expect(drawn(woven)).toEqual([" a", "-b1", "+B1", "-c2", "+C2", " d"]);
  expect([...woven.bars]).toEqual([[1, [1]], [3, [2]]]);
});

test("a deletion between two others is its own edit's", () => {
  const woven = weave(skeleton("abcde", "aBe"), [
    spot(1, true, [hunk(2, "-b", "+B")]), spot(2, true, [hunk(3, "-c")]), spot(3, true, [hunk(4, "-d")]),
  ]);
  expect(drawn(woven)).toEqual([" a", "-b1", "+B1", "-c2", "-d3", " e"]);
  expect([...woven.bars]).toEqual([[1, [1]], [3, [2]], [4, [3]]]);
});

test("an edit that was left out stands in its place and keeps the numbers of the file", () => {
  const woven = weave(skeleton("abcd", "Abcd"), [spot(1, true, [hunk(1, "-a", "+A")]), spot(2, false, [hunk(2, " b", "-c", "+C", " d")])]);
  expect(drawn(woven)).toEqual(["-a1", "+A1", " b", "-c2~", "+C2~", " d"]);
  expect(woven.rows[3]).toMatchObject({ old: 3, new: 3 });
});

test("an edit that is written shows what it changed where its lines stand by now", () => {
  const woven = weave(skeleton("xxabCd", "xxABCd"), [
    spot(1, true, [hunk(3, "-a", "-b", "+A", "+B")]), spot(2, false, [hunk(3, "-c", "+C")], { written: true }),
  ]);
  expect(drawn(woven)).toEqual([" x", " x", "-a1", "-b1", "+A1", "+B1", "-c2", "+C2", " d"]);
});

test("an edit that fails has its bar at the nearest line, or first where there is none", () => {
  const woven = weave(skeleton("abcd", "abcd"), [spot(1, false, [], { old: [3, 3] }), spot(2, false, [], { old: null })]);
  expect([...woven.bars]).toEqual([[2, [1]], [0, [2]]]);
  expect(drawn(woven)).toEqual([" a", " b", " c", " d"]);
});

test("lines that cannot be found any more are put in without numbers, and none is lost", () => {
  const woven = weave(skeleton("abcd", "abXd"), [spot(1, true, [hunk(3, "-c", "+X")]), spot(2, false, [hunk(2, "-q", "+Q")])]);
  expect(drawn(woven)).toEqual([" a", "-q2~", "+Q2~", " b", "-c1", "+X1", " d"]);
});

test("rows that no edit says go with their neighbours", () => {
  const woven = weave(skeleton("abc", "aXYc"), [spot(1, true, [hunk(2, "-b", "+X")])]);
  expect(drawn(woven)).toEqual([" a", "-b1", "+X1", "+Y1", " c"]);
});
