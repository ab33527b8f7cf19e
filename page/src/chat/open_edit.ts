/** Opens the viewer at an edit: at its change where it has one, else at the place in the file that it is about. */

import type { Edit } from "../api/wire";
import { targetLine } from "../text/words";
import { show } from "../state/ui";

export function openEdit(turn: string, edit: Edit): void {
  const { path } = edit;
  if (path === null) return;
  const planned = edit.state === "ready" || edit.state === "applied";
  show(planned ? { kind: "turn", turn, path, n: edit.n } : { kind: "file", path, line: targetLine(edit) });
}
