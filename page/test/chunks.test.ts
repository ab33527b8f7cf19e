import { expect, test } from "vitest";
import { chunksOf, takenOf, withTaken } from "../src/text/chunks";

const BEFORE = "a\nb\nc\nd\ne\n";
const AFTER = "a\nB\nc\nd\nE\nf\n";

test("the changes within an edit are told apart", () => {
  expect(chunksOf(BEFORE, AFTER)).toEqual([
    { gone: ["b"], come: ["B"] },
    { gone: ["e"], come: ["E", "f"] },
  ]);
});

test.each([
  [[true, true], AFTER],
  [[true, false], "a\nB\nc\nd\ne\n"],
  [[false, true], "a\nb\nc\nd\nE\nf\n"],
  [[false, false], BEFORE],
])("%j is told again from the text", (taken, text) => {
  expect(withTaken(BEFORE, AFTER, taken)).toBe(text);
  expect(takenOf(BEFORE, AFTER, text)).toEqual(taken);
});

test("a text that was changed in another way is none of them", () => {
  expect(takenOf(BEFORE, AFTER, "a\nB\nc\nd\nQ\n")).toBeNull();
});

test("what can be read in two ways comes to the same text", () => {
  const [before, after] = ["x\nx\n", "x\ny\nx\ny\nx\n"];
  for (const taken of [[true, false], [false, true]]) {
    const text = withTaken(before, after, taken);
    expect(withTaken(before, after, takenOf(before, after, text)!)).toBe(text);
  }
});
