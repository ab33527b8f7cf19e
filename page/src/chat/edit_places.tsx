/** The places that an ambiguous edit fits, with the lines that stand there, to choose from. */

import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Edit } from "../api/wire";
import { linesOf } from "../text/lines";
import { count, placesOf } from "../text/words";
import { place, plainFile } from "../state/actions";
import { filesVersion } from "../state/store";
import { Button } from "../view/button";
import { Visible } from "../view/text";
import { useAnswer } from "../view/use_answer";

const AROUND = 2;
const MOST = 12;

/** Of an edit that is decided on; its choice is the server's. */
export function EditPlaces({ turn, edit }: { turn: string; edit: Edit }): JSX.Element {
  return (
    <PlaceChoice id={`${turn}-${edit.n}`} edit={edit} chosen={edit.place} choose={(line) => void place(turn, edit.n, line)}>
      Where does it go?
    </PlaceChoice>
  );
}

interface Properties {
  readonly id: string;
  readonly edit: Edit;
  readonly chosen: number | null;
  readonly choose: (line: number | null) => void;
  readonly children: ComponentChildren;
}

export function PlaceChoice({ id, edit, chosen, choose, children }: Properties): JSX.Element {
  const [most, setMost] = useState(MOST);
  const places = placesOf(edit);
  const lines = useLines(edit.path);
  const height = Math.min(linesOf(edit.search).length, 4);
  return (
    <fieldset class="places">
      <legend>{children}</legend>
      {places.slice(0, most).map((line) => (
        <label key={line} class={chosen === line ? "on" : ""}>
          <input type="radio" id={`${id}-line-${line}`} name={`${id}-place`} checked={chosen === line} onChange={() => choose(line)} />
          <span class="place-line">{placeName(edit, line)}</span>
          <code dir="ltr">
            {excerpt(lines, line, height).map(({ n, text }) => (
              <span key={n} class={n >= line ? "hit" : ""}>
                <span class="place-number" aria-hidden="true">
                  {n}
                </span>
                <Visible text={text.slice(0, 200)} />
                {"\n"}
              </span>
            ))}
          </code>
        </label>
      ))}
      {places.length > most && (
        <Button look="quiet" onClick={() => setMost(places.length)}>
          Show {count(places.length - most, "more place")}
        </Button>
      )}
      {chosen !== null && (
        <Button look="quiet" onClick={() => choose(null)}>
          Undecided again
        </Button>
      )}
    </fieldset>
  );
}

/** The place's line, and the definition that it stands in, as far as the server names one. */
function placeName(edit: Edit, line: number): string {
  const name = edit.result?.enclosing[edit.result.places.indexOf(line)] ?? null;
  return name === null ? `Line ${line}` : `Line ${line} in ${name}`;
}

/** The lines from shortly before a place to its end, each with its number: a blank one is a line too. */
function excerpt(lines: readonly string[], line: number, height: number): { n: number; text: string }[] {
  const from = Math.max(0, line - 1 - AROUND);
  return lines.slice(from, line - 1 + height).map((text, at) => ({ n: from + at + 1, text }));
}

function useLines(path: string | null): readonly string[] {
  const file = useAnswer(async () => (path === null ? null : plainFile(path)), [path, filesVersion.value]);
  return useMemo(() => linesOf(file?.text ?? ""), [file]);
}
