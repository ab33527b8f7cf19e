import { describe, expect, it } from "vitest";
import cases from "../../tests/cli/unseen.json";
import { codePoint, spelled, visiblePieces } from "../src/text/visible";

describe("visiblePieces", () => {
  it.each([
    ["plain text\twith a tab\n", ["plain text\twith a tab\n"]],
    ["if (a\u202e)", ["if (a", "right-to-left override", ")"]],
    ["\u2066x\u2069", ["left-to-right isolate", "x", "end of isolate"]],
    ["a\u200bb", ["a", "zero-width space", "b"]],
    ["\u0000", ["character that is not seen"]],
    ["a\rb\r\n", ["a", "carriage return", "b\r\n"]],
    ["if (x,\u3164)", ["if (x,", "Hangul filler", ")"]],
    ["a\u{e0041}", ["a", "character that is not seen"]],
    ["👩\u200d💻 👍🏽\u200d🔧 ❤\ufe0f\u200d🔥", ["👩\u200d💻 👍🏽\u200d🔧 ❤\ufe0f\u200d🔥"]],
    ["a\u200db 👩\u200d", ["a", "zero-width joiner", "b 👩", "zero-width joiner"]],
    ["🏴\u{e0067}\u{e0062}\u{e007f} 1\ufe0f\u20e3 葛\u{e0100}", ["🏴\u{e0067}\u{e0062}\u{e007f} 1\ufe0f\u20e3 葛\u{e0100}"]],
    ["a\ufe01", ["a", "character that is not seen"]],
  ])("%j", (text, pieces) => {
    expect(visiblePieces(text).map((piece) => piece.hidden ?? piece.text)).toEqual(pieces);
    expect(visiblePieces(text).map((piece) => piece.text).join("")).toBe(text);
  });
  it.each(cases as [string, string][])("%j as on a terminal", (text, shown) => {
    expect(visiblePieces(text).map((piece) => (piece.hidden ? `<${codePoint(piece.text)}>` : piece.text)).join("")).toBe(shown);
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
