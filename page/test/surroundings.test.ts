import { describe, expect, it } from "vitest";
import { surroundings } from "../src/text/surroundings";

const same = ["  open();", "  read();", "  close();"];

describe("surroundings", () => {
  it("shows two lines around places that differ there", () => {
    const lines = ["function a() {", ...same, "}", "function b() {", ...same, "}"];
    expect(surroundings(lines, [3, 8], 1)).toEqual([[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]]);
  });

  it("shows more where the places look alike", () => {
    const body = Array.from({ length: 9 }, () => "  step();");
    const lines = ["function a() {", ...body, "}", "function b() {", ...body, "}"];
    const [one, other] = surroundings(lines, [6, 17], 1).map((numbers) => numbers.map((n) => lines[n - 1]).join("\n"));
    expect(one).not.toEqual(other);
  });

  it("ends where a file says the same thing over and over", () => {
    const lines = Array.from({ length: 400 }, () => "x");
    expect(surroundings(lines, [100, 300], 1).map((numbers) => numbers.length)).toEqual([129, 129]);
  });

  it("has nothing of a file that is not there yet", () => {
    expect(surroundings([], [3, 8], 2)).toEqual([[], []]);
  });
});
