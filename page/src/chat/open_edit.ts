/** Opens the viewer at an edit: at its change where it has one, else at the place in the file that it is about. */

import type { Edit } from "../api/wire";
import { targetLine } from "../text/words";
import { turnById } from "../state/store";
import { show } from "../state/ui";

export function openEdit(turn: string, edit: Edit): void {
  const { path } = edit;
  if (path === null) return;
  const whole = turnById(turn);
  const settled = whole !== null && whole.plan !== null && whole.state !== "running";
  const planned = settled && (edit.state === "fits" || edit.state === "written");
  show(planned ? { kind: "turn", turn, path, n: edit.n } : { kind: "file", path, line: targetLine(edit) });
}
