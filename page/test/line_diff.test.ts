import { describe, expect, it } from "vitest";
import { lineDiff } from "../src/editor/line_diff";

/** The second text, made of the first and the changes. */
function applied(a: string, b: string): string {
  let made = "";
  let at = 0;
  for (const change of lineDiff(a, b)) {
    made += a.slice(at, change.fromA);
    expect(made.length).toBe(change.fromB);
    made += b.slice(change.fromB, change.toB);
    at = change.toA;
  }
  return made + a.slice(at);
}

describe("lineDiff", () => {
  it.each([
    ["", ""],
    ["", "a\n"],
    ["a\n", ""],
    ["a\nb\nc\n", "a\nB\nc\n"],
    ["let x = f(1, 2);\nend", "let y = f(1, 3, 4);\nend\n"],
    ["one\ntwo\nthree\nfour\n", "zero\none\nthree 3\nfour\nfive\n"],
    ["a b c d\n", "a x c y\n"],
    ["same(a, b)\n", "same(b)\n"],
  ])("turns %j into %j", (a, b) => expect(applied(a, b)).toBe(b));

  it("turns any text into any other", () => {
    let state = 5;
    const next = (): number => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
    const text = (): string =>
      Array.from({ length: Math.floor(next() * 8) }, () => ["a b c", "a b", "f(x, y)", "f(y)", "", "}"][Math.floor(next() * 6)]).join("\n");
    for (let round = 0; round < 500; round++) {
      const [a, b] = [text(), text()];
      expect(applied(a, b)).toBe(b);
    }
  });
});
