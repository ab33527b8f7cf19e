/** The box that says whether an edit takes part in what will be written. */

import type { JSX } from "preact";
import type { Edit, Turn } from "../api/wire";
import { skip } from "../state/actions";

/** Whether that is to be chosen: it lands, or was left out. */
export function isChoice({ state }: Turn, edit: Edit): boolean {
  return state === "open" && (edit.state === "ready" || (edit.state === "skipped" && edit.skip));
}

export function TakesPart({ turn, edit, name }: { turn: Turn; edit: Edit; name: string }): JSX.Element {
  return (
    <input
      type="checkbox"
      aria-label={`${name}, take part`}
      checked={edit.state === "ready" || edit.state === "applied"}
      disabled={!isChoice(turn, edit)}
      onChange={(event) => void skip(turn.id, [edit.n], !event.currentTarget.checked)}
    />
  );
}
