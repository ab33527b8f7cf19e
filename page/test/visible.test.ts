import { describe, expect, it } from "vitest";
import { codePoint, spelled, visiblePieces } from "../src/text/visible";

describe("visiblePieces", () => {
  it.each([
    ["plain text\twith a tab\n", ["plain text\twith a tab\n"]],
    ["if (a\u202e)", ["if (a", "right-to-left override", ")"]],
    ["\u2066x\u2069", ["left-to-right isolate", "x", "end of isolate"]],
    ["a\u200bb", ["a", "zero-width space", "b"]],
    ["\u0000", ["control character"]],
    ["👩\u200d💻", ["👩\u200d💻"]],
    ["a\u200db", ["a", "zero-width joiner", "b"]],
  ])("%j", (text, pieces) => {
    expect(visiblePieces(text).map((piece) => piece.hidden ?? piece.text)).toEqual(pieces);
    expect(visiblePieces(text).map((piece) => piece.text).join("")).toBe(text);
  });
  it("names code points", () => expect(codePoint("\u202e")).toBe("U+202E"));
});

describe("spelled", () => {
  it.each([
    ["plain name.py", "plain name.py"],
    ["evil\u202etxt.py", "evil<U+202E>txt.py"],
    ["two\nlines\t", "two<U+000A>lines<U+0009>"],
    ["👩\u200d💻", "👩\u200d💻"],
  ])("%j", (text, one) => expect(spelled(text)).toBe(one));
});
