import { describe, expect, it } from "vitest";
import { filesLike, wordAt } from "../src/text/at_file";

describe("wordAt", () => {
  it.each([
    ["look at @sto", 12, { from: 8, word: "sto" }],
    ["@", 1, { from: 0, word: "" }],
    ["look at @sto now", 12, { from: 8, word: "sto" }],
    ["look at @sto now", 16, null],
    ["mail me@home", 12, null],
  ])("%j at %i", (text, cursor, word) => expect(wordAt(text, cursor)).toEqual(word));
});

describe("filesLike", () => {
  const paths = ["README.md", "docs/stock.md", "tests/test_stock.py", "web/stock.ts"];
  it("has names that begin with it first", () =>
    expect(filesLike(paths, "Stock")).toEqual(["docs/stock.md", "web/stock.ts", "tests/test_stock.py"]));
  it("reads a path", () => expect(filesLike(paths, "web/s")).toEqual(["web/stock.ts"]));
  it("has nothing of what is not there", () => expect(filesLike(paths, "till")).toEqual([]));
});
