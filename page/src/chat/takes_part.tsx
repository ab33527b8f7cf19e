/** The boxes that say whether an edit, or all edits of a file, take part in what will be written. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Edit, Turn } from "../api/wire";
import { skip } from "../state/actions";

/** Whether that is to be chosen: it lands, or was left out. */
export function isChoice({ state }: Pick<Turn, "state">, edit: Edit): boolean {
  return (state === "open" || state === "running") && (edit.state === "fits" || (edit.state === "left-out" && edit.skip));
}

export function TakesPart({ turn, edit, name }: { turn: Pick<Turn, "id" | "state">; edit: Edit; name: string }): JSX.Element {
  return <FileTakesPart turn={turn} edits={[edit]} name={`${name}, take part`} />;
}

interface Properties {
  readonly turn: Pick<Turn, "id" | "state">;
  readonly edits: readonly Edit[];
  readonly name: string;
}

/**
 * Of several edits at once; where only some of them take part, the box says so. What was chosen shows at once, until the
 * server's answer changes the edits.
 */
export function FileTakesPart({ turn, edits, name }: Properties): JSX.Element {
  const box = useRef<HTMLInputElement>(null);
  const choices = edits.filter((edit) => isChoice(turn, edit));
  const taken = edits.filter((edit) => edit.state === "fits" || edit.state === "written").length;
  const some = taken > 0 && edits.some((edit) => edit.state === "left-out");
  const [chosen, setChosen] = useState<boolean | null>(null);
  useEffect(() => setChosen(null), [edits.map((edit) => edit.state).join(" ")]);
  const choose = async (takes: boolean): Promise<void> => {
    setChosen(takes);
    if ((await skip(turn.id, choices.map((edit) => edit.n), !takes)) === null) setChosen(null);
  };
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = some && chosen === null;
  }, [some, chosen]);
  return (
    <input
      ref={box}
      type="checkbox"
      aria-label={name}
      checked={chosen ?? (taken > 0 && !some)}
      disabled={choices.length === 0}
      onChange={(event) => void choose(event.currentTarget.checked)}
    />
  );
}
