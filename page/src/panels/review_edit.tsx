/** One edit in the review: its bar, why it fails, what is worth a word, and the ways to settle it. */

import type { JSX } from "preact";
import type { Edit, Turn } from "../api/wire";
import { isOver, isSettled, kindOf, shownState, tierLabel } from "../text/words";
import { at, barId, choosing } from "../state/review";
import { editing } from "../state/ui";
import { Settled, Why } from "../chat/edit_card";
import { EditByHand } from "../chat/edit_by_hand";
import { EditDiff } from "../chat/edit_diff";
import { EditFailure } from "../chat/edit_failure";
import { Acts, Badge, Match, Where } from "../chat/edit_head";
import { EditPlaces } from "../chat/edit_places";
import { goToEdit } from "../chat/go_to_edit";
import { TakesPart } from "../chat/takes_part";
import { Button } from "../view/button";
import { memo } from "../view/memo";
import { Spoken } from "../view/text";
import { ChooseLines, LinesTaken } from "./review_lines";

interface Properties {
  readonly turn: string;
  readonly state: Turn["state"];
  readonly edit: Edit;
  /** Its lines stand below it in the file; else its own diff is drawn here. */
  readonly inFile: boolean;
  readonly onComment: ((n: number) => void) | null;
}

export const ReviewEdit = memo(function ReviewEdit({ turn, state, edit, inFile, onComment }: Properties): JSX.Element {
  const live = state === "open";
  const over = isOver(state);
  const shown = shownState(edit, over);
  const byHand = editing.value?.turn === turn && editing.value.n === edit.n;
  const lines = choosing.value?.turn === turn && choosing.value.n === edit.n;
  const fails = shown === "failed" || shown === "waits";
  return (
    <div class={`review-edit ${shown}`}>
      <EditBar turn={turn} state={state} edit={edit} onComment={onComment} />
      {byHand ? (
        <EditByHand turn={turn} edit={edit} />
      ) : (
        <>
          {fails && <EditFailure id={barId(turn, edit.n)} turn={turn} edit={edit} live={live} over={over} />}
          {!over && edit.place !== null && !fails && edit.state !== "written" && <OtherPlaces turn={turn} edit={edit} />}
          {isSettled(edit) ? <Settled turn={turn} edit={edit} /> : <Why edit={edit} />}
          {lines && <ChooseLines turn={turn} edit={edit} />}
          {(!inFile || fails) && <EditDiff edit={edit} shown={shown} />}
        </>
      )}
    </div>
  );
});

/** The place that was chosen, folded: the choice is made, and can be changed. */
function OtherPlaces({ turn, edit }: { turn: string; edit: Edit }): JSX.Element {
  return (
    <details class="chosen-place">
      <summary>You chose line {edit.place}</summary>
      <EditPlaces id={barId(turn, edit.n)} turn={turn} edit={edit} />
    </details>
  );
}

/** What stands above an edit's first line. Its keys are those of the edit's card. */
function EditBar({ turn, state, edit, onComment }: Omit<Properties, "inFile">): JSX.Element {
  const name = `Edit ${edit.n}${edit.result?.tier != null ? `, ${tierLabel(edit.result)}` : ""}`;
  const shown = shownState(edit, isOver(state));
  const kind = kindOf(edit);
  return (
    <div
      id={barId(turn, edit.n)}
      class={`edit-bar ${edit.state}`}
      tabIndex={-1}
      role="group"
      aria-label={name}
      data-turn={turn}
      data-n={edit.n}
      data-state={edit.state}
      onFocus={() => (at.value = { turn, n: edit.n })}
    >
      <TakesPart turn={{ id: turn, state }} edit={edit} name={name} />
      <button type="button" class="line-link" title="Show it in the chat" onClick={() => goToEdit(turn, edit.n)}>
        <span class="edit-number">#{edit.n}</span>
        <Badge state={shown} />
      </button>
      <Where edit={edit} />
      {kind !== "" && <span class="tag">{kind}</span>}
      {edit.original !== null && <LinesTaken edit={edit} />}
      <Match edit={edit} />
      <span class="edit-end">
        {onComment !== null && (
          <Button look="quiet" icon="comment" keys="m" onClick={() => onComment(edit.n)}>
            <span class="word">Comment</span>
            <Spoken> on edit {edit.n}</Spoken>
          </Button>
        )}
        {(state === "open" || (state === "running" && edit.state !== "failed") || edit.state === "written") && <Acts turn={turn} edit={edit} byHand={state === "open"} />}
      </span>
    </div>
  );
}
