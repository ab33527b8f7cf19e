import { describe, expect, it } from "vitest";
import { fileOf, nameAfter, writtenFiles } from "../src/text/renames";
import type { Turn } from "../src/api/wire";

const plan = { files: [{ path: "b.py", source: "a.py" }, { path: "c.py", source: null }] };
const edits = [
  { path: "a.py", destination: "b.py", state: "fits" },
  { path: "d.py", destination: "e.py", state: "written" },
  { path: "d.py", destination: null, state: "written" },
  { path: "f.py", destination: "g.py", state: "failed" },
];
const turn = { plan, edits } as unknown as Turn;

describe("renames", () => {
  it("finds a file by either of its names", () => {
    expect(["a.py", "b.py", "c.py", "x.py", null].map((path) => fileOf(turn.plan, path)?.path)).toEqual(["b.py", "b.py", "c.py", undefined, undefined]);
  });

  it("knows the name that a file is left under", () => {
    expect(["a.py", "b.py", "d.py", "f.py"].map((path) => nameAfter(turn, path))).toEqual(["b.py", "b.py", "e.py", "f.py"]);
    expect(writtenFiles(turn)).toEqual(["e.py"]);
  });
});
