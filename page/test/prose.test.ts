import { describe, expect, it } from "vitest";
import { fileFinder, inlineParts, proseParts } from "../src/text/prose";

const files = fileFinder(["src/app.py", "src/lib/app.py", "README.md", "web/index.html"]);

describe("proseParts", () => {
  it("reads headings, items, quotations, fences and paragraphs", () => {
    const text = "# One\ntext\nmore\n\n- a\n  2. b\n> q\n---\n```py\nx = 1\n```\nend";
    expect(proseParts(text)).toEqual([
      { kind: "heading", level: 1, text: "One" },
      { kind: "paragraph", text: "text\nmore" },
      { kind: "item", depth: 0, marker: "-", text: "a" },
      { kind: "item", depth: 1, marker: "2.", text: "b" },
      { kind: "quote", text: "q" },
      { kind: "rule" },
      { kind: "code", info: "py", text: "x = 1" },
      { kind: "paragraph", text: "end" },
    ]);
  });

  it("joins the lines of an item and of a quotation", () => {
    expect(proseParts("- one,\n  two\n- three\n> a\n> b")).toEqual([
      { kind: "item", depth: 0, marker: "-", text: "one, two" },
      { kind: "item", depth: 0, marker: "-", text: "three" },
      { kind: "quote", text: "a\nb" },
    ]);
  });

  it("takes an unclosed fence to the end", () => {
    expect(proseParts("```\na\nb")).toEqual([{ kind: "code", info: "", text: "a\nb" }]);
  });

  it("leaves markup as the text it is", () => {
    const text = '<img src=x onerror=alert(1)> [go](javascript:alert(1))';
    expect(proseParts(text)).toEqual([{ kind: "paragraph", text }]);
    expect(inlineParts(text, files)).toEqual([{ kind: "text", text }]);
  });
});

describe("inlineParts", () => {
  it("finds code, emphasis and files", () => {
    expect(inlineParts("See **this** in `README.md` and web/index.html:12, *or* `x`.", files)).toEqual([
      { kind: "text", text: "See " },
      { kind: "strong", parts: [{ kind: "text", text: "this" }] },
      { kind: "text", text: " in " },
      { kind: "file", path: "README.md", line: null, text: "README.md", code: true },
      { kind: "text", text: " and " },
      { kind: "file", path: "web/index.html", line: 12, text: "web/index.html:12", code: false },
      { kind: "text", text: ", " },
      { kind: "em", parts: [{ kind: "text", text: "or" }] },
      { kind: "text", text: " " },
      { kind: "code", text: "x" },
      { kind: "text", text: "." },
    ]);
  });

  it("finds what stands inside emphasis", () => {
    expect(inlineParts("**`README.md` and `a ** b`**, ~~*old*~~ and _new_", files)).toEqual([
      {
        kind: "strong",
        parts: [
          { kind: "file", path: "README.md", line: null, text: "README.md", code: true },
          { kind: "text", text: " and " },
          { kind: "code", text: "a ** b" },
        ],
      },
      { kind: "text", text: ", " },
      { kind: "struck", parts: [{ kind: "em", parts: [{ kind: "text", text: "old" }] }] },
      { kind: "text", text: " and " },
      { kind: "em", parts: [{ kind: "text", text: "new" }] },
    ]);
  });

  it.each(["call __init__ and __repr__", "snake_case_name", "_private and _other", "2 * 3 * 4"])("leaves %s as it is", (text) =>
    expect(inlineParts(text, files)).toEqual([{ kind: "text", text }]));

  it("does not guess between files of one name", () => expect(files("app.py")).toBeNull());
  it("knows a path in full", () => expect(files("./src/app.py")).toBe("src/app.py"));
  it("stays quick on a hostile line", () => {
    const start = performance.now();
    inlineParts("*a `".repeat(1200), files);
    inlineParts("a/".repeat(2400), files);
    inlineParts("**a `b` ".repeat(600), files);
    inlineParts("~~_a `".repeat(800), files);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
