/** Why an edit does not land: the reason, what was searched for, the nearest code, and the ways out. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Edit, Nearest } from "../api/wire";
import { diffRows } from "../text/diff_rows";
import { differenceLabel, placeLabel } from "../text/words";
import { hold, retry, rewrite, skip } from "../state/actions";
import { modelReady, turns } from "../state/store";
import { editing, show } from "../state/ui";
import { Button } from "../view/button";
import { DiffTable } from "../view/diff_table";
import { InlineText } from "../view/prose";
import { Visible } from "../view/text";
import { EditPlaces } from "./edit_places";

interface Properties {
  readonly turn: string;
  readonly edit: Edit;
  readonly live: boolean;
}

const noFile = (): null => null;

export function EditFailure({ turn, edit, live }: Properties): JSX.Element {
  const { result } = edit;
  const nearest = result?.nearest ?? null;
  if (result?.code === "not-in-chat") return <NotInChat edit={edit} />;
  const places = live && (result?.places.length ?? 0) > 1;
  const clashes = result?.code === "stale" || result?.code === "conflict";
  return (
    <section class="failure" tabIndex={-1} aria-label={`Why edit ${edit.n} failed`}>
      <p class="reason">
        <InlineText text={result?.reason ?? "It does not land."} fileOf={noFile} />
        {result?.code !== null && result?.code !== undefined && <code class="code-name">{result.code}</code>}
      </p>
      {places && <EditPlaces turn={turn} edit={edit} />}
      {!places && !clashes && result?.hint !== null && result?.hint !== undefined && (
        <p class="hint">
          <InlineText text={result.hint} fileOf={noFile} />
        </p>
      )}
      {!places && edit.preview !== "" && (
        <figure class="searched">
          <figcaption>It looks for{edit.search.length > edit.preview.length ? " (first 100 characters)" : ""}</figcaption>
          <pre dir="ltr" tabIndex={0} role="group" aria-label={`What edit ${edit.n} looks for`}>
            <Visible text={edit.preview} />
            {edit.search.length > edit.preview.length ? "…" : ""}
          </pre>
        </figure>
      )}
      {nearest !== null && <NearestCode turn={turn} edit={edit} nearest={nearest} live={live} />}
      {live && <WaysOut turn={turn} edit={edit} clashes={clashes} />}
    </section>
  );
}

/** The edit may land well; its file only has to join the conversation first. */
function NotInChat({ edit }: { edit: Edit }): JSX.Element {
  const { path } = edit;
  return (
    <section class="failure mild" tabIndex={-1} aria-label={`Why edit ${edit.n} waits`}>
      <div class="ways-out">
        <p class="reason">
          <InlineText text={edit.result?.reason ?? ""} fileOf={noFile} />
        </p>
        {path !== null && (
          <Button icon="plus" onClick={() => void hold({ add: [path] })}>
            Add it to the chat
          </Button>
        )}
      </div>
    </section>
  );
}

function NearestCode({ turn, edit, nearest, live }: Properties & { nearest: Nearest }): JSX.Element {
  const rows = useMemo(
    () => diffRows(edit.search, nearest.corrected, { newStart: nearest.start, context: 3 }).map((row) => ({ ...row, old: null })),
    [edit.search, nearest],
  );
  const alike = Math.floor(nearest.similarity * 100);
  const take = (): void =>
    void rewrite(turn, edit.n, { path: edit.path ?? "", search: nearest.corrected, replace: edit.replace });
  const go = (): void => {
    if (edit.path !== null) show({ kind: "file", path: edit.path, line: nearest.line ?? nearest.start });
  };
  return (
    <figure class="nearest">
      <figcaption>
        Nearest code: {placeLabel(nearest.start, nearest.end)}, {alike} % alike, {differenceLabel(nearest.difference)}
        <span class="spacer" />
        <Button look="quiet" onClick={go}>
          Open there
        </Button>
        {live && nearest.corrected !== "" && (
          <Button look="quiet" onClick={take}>
            Search for this instead
          </Button>
        )}
      </figcaption>
      <p class="legend">
        <span class="legend-mark removed">−</span> what the edit looks for <span class="legend-mark added">+</span> what the
        file has
      </p>
      <DiffTable rows={rows} path={edit.path} label={`What differs between edit ${edit.n} and the nearest code`} />
    </figure>
  );
}

function WaysOut({ turn, edit, clashes }: { turn: string; edit: Edit; clashes: boolean }): JSX.Element {
  const ready = modelReady.value;
  return (
    <div class="ways-out" role="group" aria-label={`Ways out for edit ${edit.n}`}>
      <Button look="quiet" icon="skip" keys="s" onClick={() => void skip(turn, [edit.n], true)}>
        Skip
      </Button>
      {edit.repairable && (
        <Button icon="again" keys="r" disabled={!ready} onClick={() => void retry(turn, [edit.n])}>
          Retry with the model
        </Button>
      )}
      {clashes && edit.path !== null && <Settle turn={turn} path={edit.path} />}
      <Button icon="pen" keys="e" onClick={() => void (editing.value = { turn, n: edit.n })}>
        Edit by hand
      </Button>
    </div>
  );
}

/** Both sides can be merged by hand where the plan says that this file's do clash. */
function Settle({ turn, path }: { turn: string; path: string }): JSX.Element | null {
  const clashing = turns.value.find((one) => one.id === turn)?.plan?.conflicts.includes(path) ?? false;
  if (!clashing) return null;
  return (
    <Button look="primary" onClick={() => show({ kind: "conflict", turn, path })}>
      Settle it by hand
    </Button>
  );
}
