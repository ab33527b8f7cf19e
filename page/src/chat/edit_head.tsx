/** The head of an edit: badge, path, place, tier and confidence, and the acts that are possible now. */

import type { JSX } from "preact";
import type { Edit } from "../api/wire";
import {
  count,
  kindOf,
  makesFile,
  placeLabel,
  stateLabel,
  tierLabel,
  type Shown,
} from "../text/words";
import { apply, skip, undo } from "../state/actions";
import { turnById } from "../state/store";
import { editing } from "../state/ui";
import { Button } from "../view/button";
import { Icon, type IconName } from "../view/icons";
import { Moved, Spoken } from "../view/text";
import { cardId } from "./card_id";
import { openEdit } from "./open_edit";

const SIGNS: Readonly<Record<Shown, IconName>> = {
  arriving: "ring",
  fits: "dot",
  failed: "cross",
  "left-out": "skip",
  "stands-already": "equal",
  written: "check",
  superseded: "again",
  draft: "pen",
  waits: "clock",
  "not-taken": "minus",
  "cut-off": "minus",
};

export function Badge({ state, text }: { state: Shown; text?: string }): JSX.Element {
  return (
    <span class={`badge ${state}`}>
      <Icon name={SIGNS[state]} />
      {text ?? stateLabel(state)}
    </span>
  );
}

interface Properties {
  readonly turn: string;
  readonly edit: Edit;
  readonly live: boolean;
  readonly shown: Shown;
  readonly byHand: boolean;
  readonly titleId: string;
}

export function EditHead({ turn, edit, live, shown, byHand, titleId }: Properties): JSX.Element {
  const isThere = live || edit.state === "written" || !makesFile(edit);
  const kind = kindOf(edit);
  return (
    <header class="edit-head">
      <BadgeButton turn={turn} edit={edit} shown={shown} />
      <h3 id={titleId} class="edit-title">
        <Spoken>{`Edit ${edit.n}, ${stateLabel(shown).toLowerCase()}, `}</Spoken>
        {edit.path === null ? (
          <span class="no-path">{edit.state === "arriving" ? "…" : "no path"}</span>
        ) : !isThere ? (
          <Named edit={edit} path={edit.path} />
        ) : (
          <button type="button" class="path-button" title="Open in the viewer" onClick={() => openEdit(turn, edit)}>
            <Named edit={edit} path={edit.path} />
          </button>
        )}
      </h3>
      <Where edit={edit} />
      {kind !== "" && <span class="tag">{kind}</span>}
      {edit.original !== null && <span class="tag">by hand</span>}
      <Match edit={edit} />
      <span class="edit-end">
        <span class="edit-number" aria-hidden="true">
          {`#${edit.n}`}
        </span>
        {(live || edit.state === "written") && !byHand && <Acts turn={turn} edit={edit} />}
      </span>
    </header>
  );
}

/** The file's name, and the one that the edit gives it. */
function Named({ edit, path }: { edit: Edit; path: string }): JSX.Element {
  return edit.destination === null ? <Moved source={null} path={path} /> : <Moved source={path} path={edit.destination} />;
}

/** The badge leads on: to the lines of what lands, to the explanation of what does not. */
function BadgeButton({ turn, edit, shown }: { turn: string; edit: Edit; shown: Shown }): JSX.Element {
  if (shown === "failed" || shown === "waits") {
    const why = (): void => {
      const card = document.getElementById(cardId(turn, edit.n));
      card?.querySelector<HTMLElement>(".failure")?.focus();
    };
    return (
      <button type="button" class="badge-button" title={shown === "waits" ? "Why it waits" : "Why it failed"} onClick={why}>
        <Badge state={shown} />
      </button>
    );
  }
  if ((shown !== "written" && shown !== "fits") || edit.path === null) return <Badge state={shown} />;
  return (
    <button type="button" class="badge-button" title="Go to its lines" onClick={() => openEdit(turn, edit)}>
      <Badge state={shown} />
    </button>
  );
}

/** The lines that it takes up. */
export function Where({ edit }: { edit: Edit }): JSX.Element | null {
  const { result } = edit;
  if (result === null || edit.kind !== "edit" || makesFile(edit)) return null;
  const applied = edit.state === "written";
  const start = applied ? (result.new_start ?? result.start) : result.start;
  const end = applied ? (result.new_end ?? result.end) : result.end;
  if (start === null || end === null) return null;
  return <span class="where">{placeLabel(start, end)}</span>;
}

/** How it was found, and what to think of that. */
export function Match({ edit }: { edit: Edit }): JSX.Element | null {
  const { result } = edit;
  if (result === null || result.tier === null || result.confidence === null || edit.state === "failed") return null;
  return (
    <span class={`match ${result.confidence}`} title={`${result.confidence} confidence`}>
      <span class="dots" />
      {tierLabel(result)}
      {result.confidence !== "high" && <span class="confidence">· {result.confidence}</span>}
      {result.places.length > 1 && <span class="confidence">· 1 of {count(result.place_count, "place")}</span>}
      <Spoken>{result.confidence === "high" ? ", high confidence" : " confidence"}</Spoken>
    </span>
  );
}

/** Keyed by state, so that no button turns into another one under the finger that pressed it. */
export function Acts({ turn, edit, byHand = true }: { turn: string; edit: Edit; byHand?: boolean }): JSX.Element | null {
  const by = `edit ${edit.n}`;
  const change = (): void => void (editing.value = { turn, n: edit.n });
  const write = (): void => {
    const whole = turnById(turn);
    if (whole !== null) void apply(whole, { edits: [edit.n] });
  };
  switch (edit.state) {
    case "fits":
      return (
        <span key={edit.state} class="acts" role="group" aria-label={`Acts on ${by}`}>
          {byHand && <Button icon="pen" look="quiet" keys="e" label={`Edit ${by} by hand`} onClick={change} />}
          <Button look="quiet" keys="s" onClick={() => void skip(turn, [edit.n], true)}>
            Skip
          </Button>
          <Button keys="a" onClick={write}>
            Apply
          </Button>
        </span>
      );
    case "left-out":
      return edit.skip ? (
        <span key={edit.state} class="acts" role="group" aria-label={`Acts on ${by}`}>
          <Button look="quiet" keys="s" onClick={() => void skip(turn, [edit.n], false)}>
            Take back in
          </Button>
        </span>
      ) : null;
    case "written": {
      const { written } = edit;
      if (written === null) return null;
      return (
        <span key={edit.state} class="acts" role="group" aria-label={`Acts on ${by}`}>
          <Button icon="undo" look="quiet" keys="u" onClick={() => void undo(written.operation, [written.edit])}>
            Undo
          </Button>
        </span>
      );
    }
    default:
      return null;
  }
}
