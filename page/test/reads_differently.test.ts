import { expect, test } from "vitest";
import type { Hunk } from "../src/api/wire";
import { readsDifferently } from "../src/text/reads_differently";

function hunk(...lines: readonly string[]): Hunk[] {
  const drawn = lines.map((line) => ({ s: line[0] as " " | "-" | "+", t: line.slice(1), m: [], e: "\n" }));
  return [{ header: "", old_start: 1, old_count: 1, new_start: 1, new_count: 1, lines: drawn }];
}

test("the lines around a change do not count, as long as the search quotes the file", () => {
  expect(readsDifferently(hunk(" above", "-a", "+b"), hunk("-a", "+b"), "exact")).toBe(false);
});

test("a search that does not quote the file reads differently, whatever it changes", () => {
  expect(readsDifferently(hunk(" f( x )", "-a", "+b"), hunk(" f(x)", "-a", "+b"), "whitespace")).toBe(true);
});

test("other changed lines read differently", () => {
  expect(readsDifferently(hunk("-a", "-c", "+b"), hunk("-a", "+b"), "exact")).toBe(true);
  expect(readsDifferently(hunk("-a", "+c"), hunk("-a", "+b"), null)).toBe(true);
});

test("what is not located, or not complete, does not differ", () => {
  expect(readsDifferently(null, hunk("-a", "+b"), "fuzzy")).toBe(false);
  expect(readsDifferently([], hunk("-a", "+b"), "fuzzy")).toBe(false);
  expect(readsDifferently(hunk("-a", "+b"), null, "fuzzy")).toBe(false);
});
