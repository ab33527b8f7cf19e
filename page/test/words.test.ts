import { describe, expect, it } from "vitest";
import { findClashes, sideOf } from "../src/text/clashes";
import { composes, keyName } from "../src/text/keys";
import { lineEnds } from "../src/text/lines";
import { looksLikeReply } from "../src/text/looks_like_reply";
import { segmentsOf, shownFrom } from "../src/text/segments";
import { buildTree, visibleRows } from "../src/text/tree";
import { clock, count, countStates, kindOf, placeLabel, placesOf, shownState, tierLabel, tokens } from "../src/text/words";
import type { Edit, EditState } from "../src/api/wire";

describe("words", () => {
  it.each([
    [tierLabel({ tier: "fuzzy", score: 0.919 }), "Fuzzy match 91 %"],
    [tierLabel({ tier: "exact", score: 1 }), "Exact match"],
    [tierLabel({ tier: "some-new-tier", score: null }), "some-new-tier"],
    [placeLabel(4, 4), "line 4"],
    [placeLabel(4, 9), "lines 4–9"],
    [placeLabel(4, 3), "before line 4"],
    [count(1, "edit"), "1 edit"],
    [count(1200, "edit"), "1,200 edits"],
    [tokens(940), "940"],
    [tokens(1830), "1.8k"],
    [tokens(51_200), "51k"],
    [clock("2026-05-04T09:05:00", new Date("2026-05-04T20:00:00")), "09:05"],
    [clock("2026-05-04T09:05:00", new Date("2026-05-06T20:00:00")), "4 May 09:05"],
    [clock("whenever"), "whenever"],
  ])("%s", (said, expected) => expect(said).toBe(expected));
});

describe("kindOf", () => {
  it.each([
    ["edit", "fits", true, "new file"],
    ["edit", "fits", false, ""],
    ["rewrite", "fits", true, "new file"],
    ["rewrite", "written", false, "whole file"],
    ["create", "fits", false, "whole file"],
    ["create", "failed", false, "new file"],
    ["delete", "fits", false, "delete"],
  ] as const)("%s, %s, creates: %s", (kind, state, creates, expected) => expect(kindOf({ kind, state, creates })).toBe(expected));
});

describe("shownState", () => {
  const edit = (state: EditState, more: Partial<Edit> = {}): Edit => ({ state, result: null, diff: [], ...more }) as unknown as Edit;
  const outside = { result: { code: "not-in-chat" } } as unknown as Partial<Edit>;
  it.each([
    [shownState(edit("fits"), false), "fits"],
    [shownState(edit("failed", outside), false), "waits"],
    [shownState(edit("arriving", { diff: null }), false), "arriving"],
    [shownState(edit("fits"), true), "not-taken"],
    [shownState(edit("failed", outside), true), "not-taken"],
    [shownState(edit("arriving"), true), "not-taken"],
    [shownState(edit("arriving", { diff: null }), true), "cut-off"],
    [shownState(edit("written"), true), "written"],
    [shownState(edit("left-out"), true), "left-out"],
  ])("%s", (said, expected) => expect(said).toBe(expected));
  it("is what is counted", () => {
    const edits = [edit("fits"), edit("failed", outside), edit("fits"), edit("superseded"), edit("failed")];
    const texts = (state: "open" | "declined"): string[] => countStates({ edits, state }).map(({ text }) => text);
    expect(texts("open")).toEqual(["2 fit", "1 failed", "1 waits"]);
    expect(texts("declined")).toEqual(["4 not taken"]);
  });
});

describe("placesOf", () => {
  const edit = (places: number[], place: number | null): Parameters<typeof placesOf>[0] => ({ result: { places }, place }) as never;
  it("go by line, whichever is chosen", () => expect(placesOf(edit([6, 2], 6))).toEqual([2, 6]));
  it("keep the one that is chosen", () => expect(placesOf(edit([], 6))).toEqual([6]));
  it("may be none", () => expect(placesOf({ result: null, place: null })).toEqual([]));
});

describe("keyName", () => {
  const press = (key: string, ...held: string[]): string =>
    keyName({ key, ctrlKey: held.includes("ctrl"), metaKey: held.includes("meta"), shiftKey: held.includes("shift") });
  it.each([
    [press("a"), "a"],
    [press("A", "shift"), "Shift+A"],
    [press("?", "shift"), "?"],
    [press("Escape"), "Esc"],
    [press(".", "meta"), "Ctrl+."],
    [press("Enter", "ctrl"), "Ctrl+Enter"],
    [press("A"), "a"],
  ])("%s", (named, expected) => expect(named).toBe(expected));
});

describe("composes", () => {
  it.each([
    ["the press within", { isComposing: true, keyCode: 27 }, true],
    ["the press that ends it, in Safari", { isComposing: false, keyCode: 229 }, true],
    ["any other", { isComposing: false, keyCode: 27 }, false],
  ])("%s", (_what, press, expected) => expect(composes(press)).toBe(expected));
});

describe("clashes", () => {
  const text = "a\n<<<<<<< file\nold\n=======\nnew\nmore\n>>>>>>> reply\nb\n";
  it("are found whole", () => expect(findClashes(text)).toEqual([{ start: 2, divider: 4, end: 7 }]));
  it("are no clashes without a divider", () => expect(findClashes("<<<<<<< x\n>>>>>>> y\n=======\n")).toEqual([]));
  it.each([["file", "old\n"], ["reply", "new\nmore\n"], ["both", "old\nnew\nmore\n"]] as const)("take %s", (side, taken) =>
    expect(sideOf(text, findClashes(text)[0]!, side)).toBe(taken));
});

describe("tree", () => {
  const root = buildTree(["a/b/c.py", "a/d.py", "e.py"]);
  const names = (open: string[], filter = ""): string[] => visibleRows(root, new Set(open), filter).map((row) => row.path);
  it("shows closed folders", () => expect(names([])).toEqual(["a", "e.py"]));
  it("shows what is open", () => expect(names(["a", "a/b"])).toEqual(["a", "a/b", "a/b/c.py", "a/d.py", "e.py"]));
  it("finds by any words of the path", () => expect(names([], "PY b")).toEqual(["a/b/c.py"]));
});

describe("segmentsOf", () => {
  it("cuts at colours and marks", () => {
    const { segments } = segmentsOf("let x = 1", [{ from: 0, to: 3, name: "k" }], [[4, 5]]);
    expect(segments).toEqual([
      { text: "let", colour: "k", marked: false },
      { text: " ", colour: "", marked: false },
      { text: "x", colour: "", marked: true },
      { text: " = 1", colour: "", marked: false },
    ]);
  });
  it("stops in a huge line and says how much is left", () => expect(segmentsOf("x".repeat(9000), [], []).rest).toBe(5000));
  it("begins where it is told to", () => {
    const { segments, rest } = segmentsOf("let x = 1", [{ from: 0, to: 6, name: "k" }], [[8, 9]], 4);
    expect(segments.map(({ text, colour, marked }) => [text, colour, marked])).toEqual([["x ", "k", false], ["= ", "", false], ["1", "", true]]);
    expect(rest).toBe(0);
    expect(segmentsOf("x".repeat(9000), [], [], 5000)).toMatchObject({ segments: [{ text: "x".repeat(4000) }], rest: 0 });
  });
  it("has none for an empty line", () => expect(segmentsOf("", [], [])).toEqual({ segments: [], rest: 0 }));
});

describe("guesses", () => {
  it.each([
    ["a.py\n```\n<<<<<<< SEARCH\n", true],
    ["a.py\n««« EDIT\n", true],
    ["*** Begin Patch\n", true],
    ["please change a < b", false],
  ])("%j reads like a reply: %s", (text, yes) => expect(looksLikeReply(text)).toBe(yes));
  it.each([["a\nb", "LF"], ["a\r\nb\r\n", "CRLF"], ["a\r\nb\n", "mixed line ends"], ["a\rb\n", "LF"], ["a\rb\r", "CR"], ["a", ""]])("%j ends with %s", (text, ends) =>
    expect(lineEnds(text)).toBe(ends));
});

describe("shownFrom", () => {
  it("is the start of a line whose change is in sight", () => expect(shownFrom("x".repeat(500), 160)).toBe(0));
  it("is a little before a change that is not", () => expect(shownFrom("x".repeat(500), 300)).toBe(276));
  it("cuts no character in two", () => expect(shownFrom("\u{1f44d}".repeat(400), 301)).toBe(276));
  it("shows the end of a line that is shorter than the other one", () => expect(shownFrom("x".repeat(200), 900)).toBe(176));
});
