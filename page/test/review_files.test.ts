import { expect, test } from "vitest";
import type { Edit, Plan, Turn } from "../src/api/wire";
import { filesOf, inTreeOrder, type Known } from "../src/text/review_files";

const edit = (n: number, path: string | null, state = "fits"): Edit =>
  ({ n, path, state, search: "", replace: "", result: null, destination: null }) as unknown as Edit;

test("files stand in the order of the tree, folders first, and edits without a file before all", () => {
  expect(inTreeOrder(["z.py", "web/b.ts", null, "a.py", "web/a/c.ts"])).toEqual([null, "web/a/c.ts", "web/b.ts", "a.py", "z.py"]);
});

test("a choice about one file leaves the other ones the same values", () => {
  const known: Known = new Map();
  const plan = { files: [] } as unknown as Plan;
  const edits = [edit(1, "a.py"), edit(2, "b.py")];
  const turn = { id: "t1", state: "open", edits, plan } as unknown as Turn;
  const before = filesOf(turn, plan, known);
  const after = filesOf({ ...turn, edits: [edits[0]!, edit(2, "b.py", "left-out")] }, plan, known);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});
