import { describe, expect, it } from "vitest";
import { compareLines, linesOf, sharedPairs } from "../src/text/lines";

describe("linesOf", () => {
  it.each([
    ["", []],
    ["a", ["a"]],
    ["a\n", ["a"]],
    ["\n", [""]],
    ["a\r\nb\rc\n\n", ["a", "b\rc", ""]],
    ["a\rb\r", ["a", "b"]],
    ["a\nb\r", ["a", "b\r"]],
  ])("splits %j", (text, lines) => expect(linesOf(text)).toEqual(lines));
});

/** A small generator with a seed, so that a failure comes back. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
}

describe("compareLines", () => {
  it("covers both sides in order, and equal runs are equal", () => {
    const next = random(7);
    for (let round = 0; round < 300; round++) {
      const make = (): string[] => Array.from({ length: Math.floor(next() * 12) }, () => "abc"[Math.floor(next() * 3)]!);
      const a = make();
      const b = make();
      let i = 0;
      let k = 0;
      for (const run of compareLines(a, b)) {
        expect([run.aFrom, run.bFrom]).toEqual([i, k]);
        if (run.same) expect(a.slice(run.aFrom, run.aTo)).toEqual(b.slice(run.bFrom, run.bTo));
        [i, k] = [run.aTo, run.bTo];
      }
      expect([i, k]).toEqual([a.length, b.length]);
    }
  });

  it("finds as many shared lines as a longest common subsequence has", () => {
    const next = random(11);
    for (let round = 0; round < 200; round++) {
      const make = (): string[] => Array.from({ length: Math.floor(next() * 9) }, () => "abcd"[Math.floor(next() * 4)]!);
      const [a, b] = [make(), make()];
      expect(sharedPairs(a, b)).toHaveLength(longest(a, b));
    }
  });

  it("finds the changes of a file that has thousands of them", () => {
    const a = Array.from({ length: 12_000 }, (_, n) => (n % 4 === 0 ? "}" : `line ${n}`));
    const b = a.flatMap((line, n) => (n % 8 === 1 ? [`${line} now`] : n % 1000 === 2 ? [line, "more"] : [line]));
    const start = performance.now();
    const changed = compareLines(a, b).filter((run) => !run.same);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(changed).toHaveLength(1512);
    expect(Math.max(...changed.map((run) => run.aTo - run.aFrom))).toBe(1);
  });

  it("covers both sides past its bound, too", () => {
    const next = random(3);
    const make = (): string[] => Array.from({ length: 4000 }, () => String(Math.floor(next() * 3000)));
    const [a, b] = [make(), make()];
    let [i, k] = [0, 0];
    for (const run of compareLines(a, b)) {
      expect([run.aFrom, run.bFrom]).toEqual([i, k]);
      if (run.same) expect(a.slice(run.aFrom, run.aTo)).toEqual(b.slice(run.bFrom, run.bTo));
      [i, k] = [run.aTo, run.bTo];
    }
    expect([i, k]).toEqual([4000, 4000]);
  });

  it("stays quick on texts that share nothing", () => {
    const a = Array.from({ length: 20_000 }, (_, n) => `a${n}`);
    const b = Array.from({ length: 20_000 }, (_, n) => `b${n}`);
    const start = performance.now();
    expect(compareLines(a, b)).toEqual([{ same: false, aFrom: 0, aTo: 20_000, bFrom: 0, bTo: 20_000 }]);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

function longest(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++)
    for (let k = 1; k <= b.length; k++)
      table[i]![k] = a[i - 1] === b[k - 1] ? table[i - 1]![k - 1]! + 1 : Math.max(table[i - 1]![k]!, table[i]![k - 1]!);
  return table[a.length]![b.length]!;
}
