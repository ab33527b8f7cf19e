/**
 * One edit: where it goes, what becomes of it, what it changes, and what can be done about it.
 *
 * It draws itself while it arrives; from the first located answer on it carries its badge, tier and confidence.
 */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Edit, Turn } from "../api/wire";
import { diffRows, type Row } from "../text/diff_rows";
import { shownState, stateLabel } from "../text/words";
import { editing } from "../state/ui";
import { DiffTable, rowsOfHunks } from "../view/diff_table";
import { memo } from "../view/memo";
import { Visible } from "../view/text";
import { cardId } from "./card_id";
import { EditByHand } from "./edit_by_hand";
import { EditFailure } from "./edit_failure";
import { EditHead } from "./edit_head";
import { EditPlaces } from "./edit_places";

interface Properties {
  readonly turn: Turn["id"];
  readonly edit: Edit;
  /** Its acts make sense now: the turn is open and not being answered. */
  readonly live: boolean;
}

export const EditCard = memo(function EditCard({ turn, edit, live }: Properties): JSX.Element {
  const byHand = editing.value?.turn === turn && editing.value.n === edit.n;
  const id = cardId(turn, edit.n);
  return (
    <article
      id={id}
      class={`edit ${shownState(edit)} ${byHand ? "by-hand" : ""}`}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      data-turn={turn}
      data-n={edit.n}
      data-state={edit.state}
      aria-busy={edit.state === "arriving"}
    >
      <EditHead turn={turn} edit={edit} live={live} byHand={byHand} titleId={`${id}-title`} />
      <Body turn={turn} edit={edit} live={live} byHand={byHand} />
    </article>
  );
});

function Body({ turn, edit, live, byHand }: Properties & { byHand: boolean }): JSX.Element {
  if (byHand) return <EditByHand turn={turn} edit={edit} />;
  if (edit.state === "superseded") return <p class="edit-note">The model sent this edit again further down.</p>;
  const placed = edit.place !== null && edit.state !== "failed";
  return (
    <>
      {edit.state === "failed" && <EditFailure turn={turn} edit={edit} live={live} />}
      {placed && live && <EditPlaces turn={turn} edit={edit} />}
      <Why edit={edit} />
      <EditDiff edit={edit} />
    </>
  );
}

/** Why it was skipped, and what is worth a word on what succeeded. */
function Why({ edit }: { edit: Edit }): JSX.Element | null {
  const warnings = edit.result?.warnings ?? [];
  const reason = edit.state === "skipped" || edit.state === "already" ? edit.result?.reason : null;
  if (warnings.length === 0 && (reason === null || reason === undefined)) return null;
  return (
    <div class="edit-notes">
      {reason !== null && reason !== undefined && (
        <p class="edit-note">
          <Visible text={reason} />
        </p>
      )}
      {warnings.map((warning) => (
        <p class="edit-note warning">
          <strong>Note</strong> <Visible text={warning.message} /> {warning.hint !== null && <Visible text={warning.hint} />}
        </p>
      ))}
    </div>
  );
}

function EditDiff({ edit }: { edit: Edit }): JSX.Element | null {
  const rows = useRows(edit);
  if (edit.kind === "delete") return <p class="edit-note">The file is removed.</p>;
  if (edit.kind === "rename" && rows.length === 0) {
    return (
      <p class="edit-note">
        It moves to <Visible text={edit.destination ?? ""} />.
      </p>
    );
  }
  if (rows.length === 0) return null;
  const label = `Edit ${edit.n}, ${stateLabel(edit.state).toLowerCase()}, lines that change`;
  const numbered = edit.result?.start != null || edit.kind !== "edit";
  const tail = edit.state === "arriving";
  return (
    <>
      {shownState(edit) === "failed" && <p class="would">What it would change</p>}
      <DiffTable rows={rows} path={edit.path} label={label} tail={tail} numbered={numbered} />
    </>
  );
}

const LONGEST_ARRIVING = 24_000;

/** Only while it arrives are its rows made here; afterwards the server's hunks say what changes. */
function useRows(edit: Edit): readonly Row[] {
  const { diff, result, search, replace, state } = edit;
  const start = result?.start ?? null;
  const newStart = result?.new_start ?? null;
  return useMemo(() => {
    if (diff !== null) return rowsOfHunks(diff, { old: (start ?? 1) - 1, new: (newStart ?? start ?? 1) - 1 });
    const arriving = state === "arriving";
    if (!arriving || search.length + replace.length < LONGEST_ARRIVING) {
      return diffRows(search, replace, { arriving, context: 3 });
    }
    const tail = (replace === "" ? search : replace).slice(-LONGEST_ARRIVING);
    return diffRows("", tail.slice(tail.indexOf("\n") + 1), { arriving });
  }, [diff, start, newStart, search, replace, state]);
}
