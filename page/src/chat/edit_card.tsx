/**
 * One edit: where it goes, what becomes of it, what it changes, and what can be done about it.
 *
 * It draws itself while it arrives; from the first located answer on it carries its badge, tier and confidence.
 */

import type { JSX } from "preact";
import type { Edit, Turn } from "../api/wire";
import { isSettled, shownState, type Shown } from "../text/words";
import { turns } from "../state/store";
import { editing, panel, show } from "../state/ui";
import { Button } from "../view/button";
import { memo } from "../view/memo";
import { Complaint, Said } from "../view/said";
import { cardId } from "./card_id";
import { EditByHand } from "./edit_by_hand";
import { EditDiff } from "./edit_diff";
import { EditFailure } from "./edit_failure";
import { EditHead } from "./edit_head";
import { EditPlaces } from "./edit_places";

interface Properties {
  readonly turn: Turn["id"];
  readonly edit: Edit;
  /** Its acts make sense now: the turn is open and not being answered. */
  readonly live: boolean;
  /** Nothing comes of it any more, unless it was written: its turn broke off or was discarded. */
  readonly over: boolean;
}

export const EditCard = memo(function EditCard({ turn, edit, live, over }: Properties): JSX.Element {
  const byHand = panel.value !== "review" && editing.value?.turn === turn && editing.value.n === edit.n;
  const id = cardId(turn, edit.n);
  const shown = shownState(edit, over);
  return (
    <article
      id={id}
      class={`edit ${shown} ${byHand ? "by-hand" : ""}`}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      data-turn={turn}
      data-n={edit.n}
      data-state={edit.state}
      aria-busy={shown === "arriving"}
    >
      <EditHead turn={turn} edit={edit} live={live} shown={shown} byHand={byHand} titleId={`${id}-title`} />
      <Body id={id} turn={turn} edit={edit} live={live} over={over} shown={shown} byHand={byHand} />
    </article>
  );
});

interface BodyProperties extends Properties {
  readonly id: string;
  readonly shown: Shown;
  readonly byHand: boolean;
}

function Body({ id, turn, edit, live, over, shown, byHand }: BodyProperties): JSX.Element {
  if (byHand) {
    return (
      <>
        <EditByHand turn={turn} edit={edit} />
        <EditDiff edit={edit} shown={shown} />
      </>
    );
  }
  if (edit.state === "superseded") return <p class="edit-note">The model sent this edit again further down.</p>;
  const placed = edit.place !== null && edit.state !== "failed" && edit.state !== "written";
  return (
    <>
      {(shown === "failed" || shown === "waits") && <EditFailure id={id} turn={turn} edit={edit} live={live} over={over} />}
      {placed && !over && <EditPlaces id={id} turn={turn} edit={edit} />}
      {isSettled(edit) ? <Settled turn={turn} edit={edit} /> : <Why edit={edit} />}
      <EditDiff edit={edit} shown={shown} />
    </>
  );
}

/** Its conflict was settled: the file is written as a whole, or stays, and not this edit as the reply says it. */
export function Settled({ turn, edit }: { turn: string; edit: Edit }): JSX.Element {
  const { path, state } = edit;
  const at = turns.value.find((one) => one.id === turn)?.state;
  const open = (at === "open" || at === "done") && state !== "written";
  return (
    <div class="edit-notes">
      <p class="edit-note">
        <Said text={edit.result?.reason ?? ""} />
        {state !== "left-out" && ` The viewer shows what ${state === "written" ? "was" : "will be"} written.`}{" "}
        {open && path !== null && (
          <Button look="quiet" onClick={() => show({ kind: "conflict", turn, path })}>
            Resolve it again
          </Button>
        )}
      </p>
    </div>
  );
}

/** Why it was skipped, and what is worth a word on what succeeded. */
export function Why({ edit }: { edit: Edit }): JSX.Element | null {
  const warnings = edit.result?.warnings ?? [];
  const reason = edit.state === "left-out" || edit.state === "stands-already" ? whyNot(edit) : null;
  if (warnings.length === 0 && (reason === null || reason === undefined)) return null;
  return (
    <div class="edit-notes">
      {reason !== null && reason !== undefined && (
        <p class="edit-note">
          <Said text={reason} />
        </p>
      )}
      {warnings.map((warning) => (
        <p class="edit-note warning">
          <strong>Note</strong> <Complaint {...warning} />
        </p>
      ))}
    </div>
  );
}

function whyNot(edit: Edit): string | null {
  return edit.skip ? "You left it out." : (edit.result?.reason ?? null);
}
