/** The places that an ambiguous edit fits, each by its definition and with what stands around it, to choose from. */

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Edit } from "../api/wire";
import { linesOf } from "../text/lines";
import { surroundings } from "../text/surroundings";
import { count, placesOf } from "../text/words";
import { place, plainFile } from "../state/actions";
import { filesVersion } from "../state/store";
import { Button } from "../view/button";
import { Visible } from "../view/text";
import { useAnswer } from "../view/use_answer";

const MOST = 12;

interface Properties {
  /** Of the part of the page that it stands in: the chat and the review have the same edit. */
  readonly id: string;
  readonly turn: string;
  readonly edit: Edit;
}

export function EditPlaces({ id, turn, edit }: Properties): JSX.Element {
  const [most, setMost] = useState(MOST);
  const chosen = edit.place;
  const choose = (line: number | null): void => void place(turn, edit.n, line);
  const places = placesOf(edit);
  const unlisted = (edit.result?.place_count ?? 0) - (edit.result?.places.length ?? 0);
  const lines = useLines(edit.path);
  const height = linesOf(edit.search).length;
  const shown = places.slice(0, most);
  const around = useMemo(() => surroundings(lines, shown, height), [lines, shown.join(" "), height]);
  return (
    <fieldset class="places">
      <legend>Where does it go?</legend>
      {shown.map((line, at) => (
        <label key={line} class={chosen === line ? "on" : ""} title={at < 9 ? `(${at + 1})` : undefined}>
          <input type="radio" id={`${id}-line-${line}`} name={`${id}-place`} checked={chosen === line} onChange={() => choose(line)} />
          <PlaceName edit={edit} line={line} />
          <code dir="ltr">
            {around[at]!.map((n) => (
              <span key={n} class={n >= line && n < line + height ? "hit" : ""}>
                <span class="place-number" aria-hidden="true">
                  {n}
                </span>
                <Visible text={lines[n - 1]!.slice(0, 200)} />
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
      {unlisted > 0 && most >= places.length && <p>{count(unlisted, "more place")} {unlisted === 1 ? "is" : "are"} not listed.</p>}
      {chosen !== null && (
        <Button look="quiet" onClick={() => choose(null)}>
          Undecided again
        </Button>
      )}
    </fieldset>
  );
}

/** The definition that a place stands in, as far as the server names one, and its line. */
function PlaceName({ edit, line }: { edit: Edit; line: number }): JSX.Element {
  const name = edit.result?.enclosing[edit.result.places.indexOf(line)] ?? null;
  if (name === null) return <span class="place-line">Line {line}</span>;
  return (
    <span class="place-line">
      In{" "}
      <strong>
        <Visible text={name} />
      </strong>
      , line {line}
    </span>
  );
}

function useLines(path: string | null): readonly string[] {
  const file = useAnswer(async () => (path === null ? null : plainFile(path)), [path, filesVersion.value]);
  return useMemo(() => linesOf(file?.text ?? ""), [file]);
}
