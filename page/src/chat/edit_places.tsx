/** The places that an ambiguous edit fits, with the lines that stand there, to choose from. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import type { PlainFile } from "../api/answers";
import type { Edit } from "../api/wire";
import { linesOf } from "../text/lines";
import { attempt, place } from "../state/actions";
import { filesVersion } from "../state/store";
import { Button } from "../view/button";
import { Visible } from "../view/text";

const AROUND = 2;
const MOST = 12;

export function EditPlaces({ turn, edit }: { turn: string; edit: Edit }): JSX.Element {
  const places = edit.result?.places ?? [];
  const lines = useLines(edit.path);
  const height = Math.min(linesOf(edit.search).length, 4);
  return (
    <fieldset class="places">
      <legend>Where does it go?</legend>
      {places.slice(0, MOST).map((line) => (
        <label key={line} class={edit.place === line ? "on" : ""}>
          <input
            type="radio"
            name={`${turn}-${edit.n}-place`}
            checked={edit.place === line}
            onChange={() => void place(turn, edit.n, line)}
          />
          <span class="place-line">Line {line}</span>
          <code dir="ltr">
            {lines.slice(Math.max(0, line - 1 - AROUND), line - 1 + height).map((text, n) => (
              <span class={Math.max(0, line - 1 - AROUND) + n >= line - 1 ? "hit" : ""}>
                <Visible text={text.slice(0, 200)} />
                {"\n"}
              </span>
            ))}
          </code>
        </label>
      ))}
      {places.length > MOST && <p class="edit-note">{places.length - MOST} further places are not shown.</p>}
      {edit.place !== null && (
        <Button look="quiet" onClick={() => void place(turn, edit.n, null)}>
          Undecided again
        </Button>
      )}
    </fieldset>
  );
}

function useLines(path: string | null): readonly string[] {
  const [lines, setLines] = useState<readonly string[]>([]);
  const version = filesVersion.value;
  useEffect(() => {
    if (path === null) return;
    void attempt(() => get<PlainFile>("file", { path })).then((file) => setLines(linesOf(file?.text ?? "")));
  }, [path, version]);
  return lines;
}
