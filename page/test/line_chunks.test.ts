import { describe, expect, it } from "vitest";
import { lineChunks } from "../src/editor/line_chunks";

/** The second text, made of the first and the changes. */
function applied(a: string, b: string): string {
  let made = "";
  let at = 0;
  for (const chunk of lineChunks(a, b)) {
    for (const change of chunk.changes) {
      made += a.slice(at, chunk.fromA + change.fromA);
      expect(made.length).toBe(chunk.fromB + change.fromB);
      made += b.slice(chunk.fromB + change.fromB, chunk.fromB + change.toB);
      at = chunk.fromA + change.toA;
    }
  }
  return made + a.slice(at);
}

/** The second text's lines that are painted as changed. */
function painted(a: string, b: string): string[] {
  return lineChunks(a, b).flatMap(({ fromB, toB }) => b.slice(fromB, toB).split("\n").slice(0, toB > b.length ? undefined : -1));
}

describe("lineChunks", () => {
  it.each([
    ["one\n\nthree\n", "ONE\n\nTHREE\n", ["ONE", "THREE"]],
    ["if (a) {\n}\nb();\n", "if (c) {\n}\nd();\n", ["if (c) {", "d();"]],
    ["a\n", "a\n\nb\n", ["", "b"]],
    ["a", "a\n", ["a"]],
    ["a\nb", "a\nc", ["c"]],
    ["a\n", "", []],
  ])("of %j and %j are the lines that differ", (a, b, changed) => expect(painted(a, b)).toEqual(changed));


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
