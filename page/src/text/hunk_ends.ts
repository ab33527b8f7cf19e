/** What is said of line ends in a diff: only where they tell two lines apart, or a text's end from what it was. */

import type { DiffLine, Hunk } from "../api/wire";
import { lineEnds } from "./lines";

const NONE = "no line end";

/** For each line of a hunk the name of its end, "" where there is nothing to say. */
export function endsToTell({ lines }: Pick<Hunk, "lines">): readonly string[] {
  const [gone, come] = [lines.filter((line) => line.s === "-"), lines.filter((line) => line.s === "+")];
  const others = (line: DiffLine): readonly DiffLine[] => (line.s === "-" ? come : gone);
  const differs = (line: DiffLine): boolean => others(line).some((other) => other.t === line.t && other.e !== line.e);
  const [before, after] = [gone.at(-1), come.at(-1)];
  const closes = before !== undefined && after !== undefined && (before.e === "") !== (after.e === "");
  const ends = closes || gone.some((line) => line.e === "" && differs(line));
  return lines.map((line) => {
    if (line.s === " ") return "";
    if (line.e === "") return ends || differs(line) ? NONE : "";
    return differs(line) && !others(line).some((other) => other.t === line.t && other.e === "") ? lineEnds(line.e) : "";
  });
}
