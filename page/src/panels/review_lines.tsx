/** The changes within one edit, each to be taken or left. What is left is changed in the edit itself, and comes back from there. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Edit } from "../api/wire";
import { chunksOf, takenOf, withTaken, type Chunk } from "../text/chunks";
import { count } from "../text/words";
import { restore, rewrite } from "../state/actions";
import { choosing } from "../state/review";
import { Button } from "../view/button";
import { Visible } from "../view/text";

interface Chosen {
  readonly search: string;
  readonly replace: string;
  readonly chunks: readonly Chunk[];
  readonly taken: readonly boolean[];
}

/** The changes that an edit says, and which of them it makes; null where there is nothing to choose. */
export function choiceOf(edit: Edit): Chosen | null {
  if (edit.kind !== "edit" || edit.search === "") return null;
  const { search, replace } = edit.original ?? edit;
  if (edit.original !== null && search !== edit.search) return null; // changed by hand in other ways
  const chunks = chunksOf(search, replace);
  const taken = takenOf(search, replace, edit.replace);
  return chunks.length < 2 || taken === null ? null : { search, replace, chunks, taken };
}

/** How much of the edit is taken, where that is not all of it; else that it was changed by hand. */
export function LinesTaken({ edit }: { edit: Edit }): JSX.Element {
  const choice = choiceOf(edit);
  if (choice === null) return <span class="tag">by hand</span>;
  return (
    <span class="tag">
      {choice.taken.filter(Boolean).length} of {count(choice.chunks.length, "change")}
    </span>
  );
}

export function ChooseLines({ turn, edit }: { turn: string; edit: Edit }): JSX.Element {
  const choice = useMemo(() => choiceOf(edit), [edit]);
  const close = (): void => void (choosing.value = null);
  const set = (n: number, on: boolean): void => {
    if (choice === null) return;
    const taken = choice.taken.map((before, at) => (at === n ? on : before));
    if (taken.every(Boolean)) void restore(turn, edit.n);
    else void rewrite(turn, edit.n, { path: edit.path ?? "", search: choice.search, replace: withTaken(choice.search, choice.replace, taken) });
  };
  if (choice === null) {
    return (
      <div class="choose-lines">
        <p class="muted">This edit is one change; take it or leave it as a whole.</p>
      </div>
    );
  }
  const only = choice.taken.filter(Boolean).length === 1;
  return (
    <ChunkChoice id={`${turn}-${edit.n}`} legend="Which of its changes are made?" chunks={choice.chunks} taken={choice.taken} held={(n) => only && choice.taken[n] === true} set={set} onLeave={close}>
      <Button onClick={close}>Done</Button>
    </ChunkChoice>
  );
}

interface ChoiceProperties {
  readonly id: string;
  readonly legend: string;
  readonly chunks: readonly Chunk[];
  readonly taken: readonly boolean[];
  /** One that has to stay as it is. */
  readonly held?: (n: number) => boolean;
  readonly set: (n: number, on: boolean) => void;
  readonly onLeave: () => void;
  readonly children: ComponentChildren;
}

/** Changes with a box each; the first box gets the focus. */
export function ChunkChoice({ id, legend, chunks, taken, held = () => false, set, onLeave, children }: ChoiceProperties): JSX.Element {
  const box = useRef<HTMLFieldSetElement>(null);
  useEffect(() => box.current?.querySelector("input")?.focus(), []);
  return (
    <fieldset
      class="choose-lines"
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onLeave();
      }}
    >
      <legend>{legend}</legend>
      {chunks.map((chunk, n) => (
        <label key={n} class={taken[n] === true ? "on" : ""}>
          <input id={`lines-${id}-${n}`} type="checkbox" checked={taken[n] === true} disabled={held(n)} onChange={(event) => set(n, event.currentTarget.checked)} />
          <code dir="ltr">
            {chunk.gone.map((line, at) => (
              <ChunkLine key={`-${at}`} sign="removed" text={line} />
            ))}
            {chunk.come.map((line, at) => (
              <ChunkLine key={`+${at}`} sign="added" text={line} />
            ))}
          </code>
        </label>
      ))}
      <div class="answers">{children}</div>
    </fieldset>
  );
}

function ChunkLine({ sign, text }: { sign: "removed" | "added"; text: string }): JSX.Element {
  return (
    <span class={`row ${sign}`}>
      <code>
        <Visible text={text} />
      </code>
    </span>
  );
}
