/** The head of an edit: badge, path, place, tier and confidence, and the acts that are possible now. */

import type { JSX } from "preact";
import type { Edit } from "../api/wire";
import {
  confidenceDots,
  kindLabel,
  makesFile,
  placeLabel,
  shownState,
  stateLabel,
  tierLabel,
  type Shown,
} from "../text/words";
import { apply, skip, undo } from "../state/actions";
import { turnById } from "../state/store";
import { editing } from "../state/ui";
import { Button } from "../view/button";
import { Icon, type IconName } from "../view/icons";
import { Path, Spoken, Visible } from "../view/text";
import { cardId } from "./card_id";
import { openEdit } from "./open_edit";

const SIGNS: Readonly<Record<Shown, IconName>> = {
  arriving: "ring",
  ready: "dot",
  failed: "cross",
  skipped: "skip",
  already: "equal",
  applied: "check",
  superseded: "again",
  draft: "pen",
  waits: "clock",
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
  readonly byHand: boolean;
  readonly titleId: string;
}

export function EditHead({ turn, edit, live, byHand, titleId }: Properties): JSX.Element {
  const kind = makesFile(edit) ? kindLabel("create") : kindLabel(edit.kind);
  return (
    <header class="edit-head">
      <BadgeButton turn={turn} edit={edit} />
      <h3 id={titleId} class="edit-title">
        <Spoken>
          Edit {edit.n}, {stateLabel(shownState(edit)).toLowerCase()},{" "}
        </Spoken>
        {edit.path === null ? (
          <span class="no-path">{edit.state === "arriving" ? "…" : "no path"}</span>
        ) : (
          <button type="button" class="path-button" title="Open in the viewer" onClick={() => openEdit(turn, edit)}>
            <Path path={edit.path} />
          </button>
        )}
        {edit.destination !== null && (
          <span class="moved">
            <Icon name="chevron" />
            <Visible text={edit.destination} />
          </span>
        )}
      </h3>
      <Where edit={edit} />
      {kind !== "" && <span class="tag">{kind}</span>}
      {edit.original !== null && <span class="tag">by hand</span>}
      <Match edit={edit} />
      <span class="edit-number" aria-hidden="true">
        #{edit.n}
      </span>
      {(live || edit.state === "applied") && !byHand && <Acts turn={turn} edit={edit} />}
    </header>
  );
}

/** The badge leads on: to the lines of what lands, to the explanation of what does not. */
function BadgeButton({ turn, edit }: { turn: string; edit: Edit }): JSX.Element {
  if (edit.state === "failed") {
    const why = (): void => {
      const card = document.getElementById(cardId(turn, edit.n));
      card?.querySelector<HTMLElement>(".failure")?.focus();
    };
    return (
      <button type="button" class="badge-button" title="Why it failed" onClick={why}>
        <Badge state={shownState(edit)} />
      </button>
    );
  }
  if ((edit.state !== "applied" && edit.state !== "ready") || edit.path === null) return <Badge state={edit.state} />;
  return (
    <button type="button" class="badge-button" title="Go to its lines" onClick={() => openEdit(turn, edit)}>
      <Badge state={edit.state} />
    </button>
  );
}

function Where({ edit }: { edit: Edit }): JSX.Element | null {
  const { result } = edit;
  if (result === null || edit.kind !== "edit" || makesFile(edit)) return null;
  const applied = edit.state === "applied";
  const start = applied ? (result.new_start ?? result.start) : result.start;
  const end = applied ? (result.new_end ?? result.end) : result.end;
  if (start === null || end === null) return null;
  return <span class="where">{placeLabel(start, end)}</span>;
}

/** How it was found, and what to think of that. */
export function Match({ edit }: { edit: Edit }): JSX.Element | null {
  const { result } = edit;
  if (result === null || result.tier === null || result.confidence === null || edit.state === "failed") return null;
  const dots = confidenceDots(result.confidence);
  return (
    <span class={`match ${result.confidence}`} title={`${result.confidence} confidence`}>
      <span class="dots" aria-hidden="true">
        {[1, 2, 3].map((n) => (
          <i key={n} class={n <= dots ? "on" : ""} />
        ))}
      </span>
      {tierLabel(result)}
      <span class="confidence">{result.confidence}</span>
      <Spoken> confidence</Spoken>
    </span>
  );
}

function Acts({ turn, edit }: { turn: string; edit: Edit }): JSX.Element | null {
  const by = `edit ${edit.n}`;
  const byHand = (): void => void (editing.value = { turn, n: edit.n });
  const write = (): void => {
    const whole = turnById(turn);
    if (whole !== null) void apply(whole, { edits: [edit.n] });
  };
  switch (edit.state) {
    case "ready":
      return (
        <span class="acts" role="group" aria-label={`Acts on ${by}`}>
          <Button icon="pen" look="quiet" keys="e" label={`Edit ${by} by hand`} onClick={byHand} />
          <Button look="quiet" keys="s" onClick={() => void skip(turn, [edit.n], true)}>
            Skip
          </Button>
          <Button keys="a" onClick={write}>
            Apply
          </Button>
        </span>
      );
    case "skipped":
      return edit.skip ? (
        <span class="acts" role="group" aria-label={`Acts on ${by}`}>
          <Button look="quiet" keys="s" onClick={() => void skip(turn, [edit.n], false)}>
            Take back in
          </Button>
        </span>
      ) : null;
    case "applied": {
      const { written } = edit;
      if (written === null) return null;
      return (
        <span class="acts" role="group" aria-label={`Acts on ${by}`}>
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
