import { describe, expect, it } from "vitest";
import type { Edit, Item } from "../src/api/wire";
import { aroundEdits, runsOf } from "../src/text/around_edits";

const edits = new Map([[1, { n: 1, path: "src/till.py", original: null, raw: "", diff: null } as unknown as Edit]]);
const text = (value: string, code = false): Item => ({ k: "text", text: value, code, line: 1 });
const edit: Item = { k: "edit", n: 1 };
const left = (...items: Item[]): string[] => aroundEdits(items, edits).map((item) => (item.k === "text" ? item.text : item.k));

describe("aroundEdits", () => {
  it.each<[string, Item[], string[]]>([
    ["a path and a fence of its own", [text("src/till.py\n"), text("```python\n", true), edit, text("```\n", true)], ["edit"]],
    ["all in one text", [text("Here:\n\nsrc/till.py\n```\n"), edit], ["Here:\n", "edit"]],
    ["a decorated path", [text("**`src/till.py`**:\n"), edit], ["edit"]],
    ["a heading", [text("Now\n### File: src/till.py\n"), edit], ["Now", "edit"]],
    ["no fence", [text("src/till.py\n"), edit, text("Done.\n")], ["edit", "Done.\n"]],
    ["another path stays", [text("src/other.py\n"), edit], ["src/other.py\n", "edit"]],
    ["a sentence stays", [text("I change src/till.py now.\n"), edit], ["I change src/till.py now.\n", "edit"]],
    ["code that no edit follows stays", [text("```sh\nls\n```\n", true)], ["```sh\nls\n```\n"]],
  ])("%s", (_, items, expected) => expect(left(...items)).toEqual(expected));
});

describe("listings of whole files", () => {
  const whole = { ...edits.get(1), raw: "a = 1\n\nb = 2\n", diff: [] as Edit["diff"] } as Edit;
  const listing = text("```python\na = 1\n\nb = 2\n```\n", true);
  const shown = (known: Edit, ...items: Item[]): string[] =>
    aroundEdits(items, new Map([[1, known]])).map((item) => (item.k === "text" ? item.text : item.k));
  it("go with their path", () => expect(shown(whole, text("Here:\n\n**src/till.py**\n\n"), listing, edit)).toEqual(["Here:\n", "edit"]));
  it("go where blank lines end them", () => {
    const ending = text("```python\na = 1\n\nb = 2\n\n\n```\n", true);
    expect(shown({ ...whole, raw: "a = 1\n\nb = 2\n\n\n" }, text("src/till.py\n"), ending, edit)).toEqual(["edit"]);
  });
  it("stay as long as they arrive", () => expect(shown({ ...whole, diff: null }, listing, edit)).toHaveLength(2));
  it("stay where the edit says something else", () => expect(shown({ ...whole, raw: "a = 1\n" }, listing, edit)).toHaveLength(2));
  it("leave an example before them", () =>
    expect(shown(whole, text("```sh\nls\n```\n```python\na = 1\n\nb = 2\n```\n", true), edit)).toEqual(["```sh\nls\n```", "edit"]));
});

describe("findings", () => {
  const finding: Item = { k: "diagnostic", code: "malformed", severity: "error", message: "No divider.", path: null, line: 2, hint: null };
  const failed = { ...edits.get(1), result: { reason: "Line 2 of the reply: No divider." } } as Edit;
  const shown = (known: Edit, ...items: Item[]): string[] => aroundEdits(items, new Map([[1, known]])).map((item) => item.k);
  it("are left out where the card before says the same", () => expect(shown(failed, edit, finding)).toEqual(["edit"]));
  it("stay as long as the card does not", () => expect(shown(edits.get(1)!, edit, finding)).toEqual(["edit", "diagnostic"]));
  it("stay behind prose", () => expect(shown(failed, text("So:\n"), finding)).toEqual(["text", "diagnostic"]));
  it("do not hide that a fence closes", () => expect(shown(failed, edit, finding, text("```\n", true))).toEqual(["edit"]));
});

describe("commands", () => {
  const shell: Item = { k: "shell", command: "git mv a b", line: 3, origin: "fence" };
  it.each<[string, Item[], string[]]>([
    ["a fence that holds nothing else goes", [text("Then:\n```bash\n$ git mv a b\n```\n"), shell], ["Then:", "shell"]],
    ["a fence with more stays", [text("```bash\ngit mv a b\nmake\n```\n"), shell], ["```bash\ngit mv a b\nmake\n```\n", "shell"]],
  ])("%s", (_, items, expected) => expect(left(...items)).toEqual(expected));
});

describe("runs", () => {
  const finding: Item = { k: "diagnostic", code: "malformed", severity: "error", message: "No divider.", path: null, line: 2, hint: null };
  const opening = text("Here:\n\nsrc/till.py\n```\n");
  const many = [1, 2, 3, 4, 5].flatMap(() => [opening, edit, finding, text("```\n", true), text("And:\n")]);
  it.each([1, 2, 3, 7, 100])("of %i show what the whole shows", (least) => {
    const runs = runsOf(many, least);
    expect(runs.flat()).toEqual(many);
    expect(runs.flatMap((run, n) => aroundEdits(run, edits, n > 0))).toEqual(aroundEdits(many, edits));
  });
  it("end where they ended when more arrives", () => {
    const [first] = runsOf(many.slice(0, 12), 3);
    expect(runsOf(many, 3)[0]).toEqual(first);
  });
});
