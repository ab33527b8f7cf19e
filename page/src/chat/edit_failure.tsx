/** Why an edit does not land: the reason once, what it looks for beside the nearest code, and the ways out. */

import type { JSX } from "preact";
import type { Edit } from "../api/wire";
import { editHint } from "../text/page_hints";
import { placesOf } from "../text/words";
import { hold, retry, skip } from "../state/actions";
import { held, modelReady, turns } from "../state/store";
import { editing, show } from "../state/ui";
import { Button } from "../view/button";
import { Said } from "../view/said";
import { Visible } from "../view/text";
import { CopyMessage } from "./copy_message";
import { EditPlaces } from "./edit_places";
import { NearestCode } from "./nearest_code";

interface Properties {
  /** Of the part of the page that it stands in. */
  readonly id: string;
  readonly turn: string;
  readonly edit: Edit;
  readonly live: boolean;
  /** Nothing comes of it any more. A place can be chosen until then, while the model's turn goes on, too. */
  readonly over: boolean;
}

export function EditFailure({ id, turn, edit, live, over }: Properties): JSX.Element {
  const { result } = edit;
  const nearest = result?.nearest ?? null;
  if (result?.code === "not-in-chat") return <NotInChat edit={edit} />;
  const places = !over && (placesOf(edit).length > 1 || edit.place !== null);
  const locked = result?.code === "read-only" && edit.path !== null && held.value.read_only.includes(edit.path);
  const hint = editHint(result?.code ?? null, result?.hint ?? null, nearest !== null && edit.carried !== null);
  const clashes = result?.code === "stale" || result?.code === "conflict";
  return (
    <section class="failure" role="group" tabIndex={-1} aria-label={`Why edit ${edit.n} failed`}>
      <p class="reason">
        <Said text={result?.reason ?? "It does not fit."} />
        {result?.code !== null && result?.code !== undefined && <code class="code-name">{result.code}</code>}
      </p>
      {places && <EditPlaces id={id} turn={turn} edit={edit} />}
      {live && !places && !clashes && !locked && hint !== "" && (nearest === null || hint.includes("`")) && (
        <p class="hint">
          <Said text={hint} />
        </p>
      )}
      {!places && nearest === null && edit.preview !== "" && (
        <figure class="searched">
          <figcaption>It looks for{edit.search.length > edit.preview.length ? " (first 100 characters)" : ""}</figcaption>
          <pre dir="ltr" tabIndex={0} role="group" aria-label={`What edit ${edit.n} looks for`}>
            <Visible text={edit.preview} />
            {edit.search.length > edit.preview.length ? "…" : ""}
          </pre>
        </figure>
      )}
      {nearest !== null && <NearestCode turn={turn} edit={edit} nearest={nearest} live={live} />}
      {live && <WaysOut turn={turn} edit={edit} clashes={clashes} locked={locked} />}
    </section>
  );
}

/** The edit may land well; its file only has to join the conversation first. */
function NotInChat({ edit }: { edit: Edit }): JSX.Element {
  const { path } = edit;
  const joined = path !== null && held.value.editable.includes(path);
  return (
    <section class="failure mild" role="group" tabIndex={-1} aria-label={`Why edit ${edit.n} waits`}>
      <div class="ways-out">
        <p class="reason">
          {joined
            ? "The file is in the chat now. The page shows where the edit fits once the model’s turn has ended."
            : "The file is not in the chat, so the edit waits."}
        </p>
        {path !== null && !joined && (
          <Button icon="plus" onClick={() => void hold({ add: [path] })}>
            Add it to the chat
          </Button>
        )}
      </div>
    </section>
  );
}

interface Failed {
  readonly turn: string;
  readonly edit: Edit;
  readonly clashes: boolean;
  readonly locked: boolean;
}

/** What may be done about it. `locked`: the chat holds the file for reading only. */
function WaysOut({ turn, edit, clashes, locked }: Failed): JSX.Element {
  const ready = modelReady.value;
  const { path } = edit;
  return (
    <div class="ways-out" role="group" aria-label={`What to do about edit ${edit.n}`}>
      <Button look="quiet" icon="skip" keys="s" onClick={() => void skip(turn, [edit.n], true)}>
        Skip
      </Button>
      {locked && path !== null && (
        <Button icon="lock" onClick={() => void hold({ add: [path] })}>
          Allow edits to the file
        </Button>
      )}
      {edit.repairable && ready && (
        <Button icon="again" keys="r" onClick={() => void retry(turn, [edit.n])}>
          Retry with the model
        </Button>
      )}
      {clashes && path !== null && <Settle turn={turn} path={path} />}
      <Button icon="pen" keys="e" onClick={() => void (editing.value = { turn, n: edit.n })}>
        Edit by hand
      </Button>
      {edit.repairable && !ready && <CopyMessage turn={turn} />}
    </div>
  );
}

/** Both sides can be merged by hand where the plan says that this file's do clash. */
function Settle({ turn, path }: { turn: string; path: string }): JSX.Element | null {
  const clashing = turns.value.find((one) => one.id === turn)?.plan?.conflicts.includes(path) ?? false;
  if (!clashing) return null;
  return (
    <Button look="primary" onClick={() => show({ kind: "conflict", turn, path })}>
      Resolve it by hand
    </Button>
  );
}
