/** One file of a turn, before and after, with the turn's other files a choice away. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { attach, type Lines, type Shown } from "../editor/lazy";
import type { FileView } from "../api/answers";
import type { Edit, Turn } from "../api/wire";
import { nameAfter, writtenFiles } from "../text/renames";
import { changeLabel, isOver, shownState } from "../text/words";
import { lineEnds, linesOf } from "../text/lines";
import { spelled } from "../text/visible";
import { apply, fileOfTurn } from "../state/actions";
import { turns } from "../state/store";
import { diffMode, show, type Target } from "../state/ui";
import { Badge } from "../chat/edit_head";
import { goToEdit } from "../chat/go_to_edit";
import { isChoice, TakesPart } from "../chat/takes_part";
import { Button, Segmented } from "../view/button";
import { Icon } from "../view/icons";
import { Moved } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { useKeptPlace } from "./kept_place";
import { useTakesFocus } from "./takes_focus";
import { viewerKeys } from "./viewer_keys";

type TurnTarget = Extract<Target, { kind: "turn" }>;

const MODES = [
  { value: "unified", text: "Unified", icon: "rows" },
  { value: "split", text: "Side by side", icon: "columns" },
] as const;

export function TurnViewer({ target }: { target: TurnTarget }): JSX.Element {
  const turn = turns.value.find((one) => one.id === target.turn) ?? null;
  const now = [target.turn, target.path, turn?.plan?.version ?? 0, turn?.state];
  const view = useAnswer(() => fileOfTurn(target), now);
  const shown = useRef<Shown | null>(null);
  return (
    <div class="viewer">
      <div class="viewer-head">
        <FileChoice turn={turn} path={target.path} view={view} />
        {view !== null && view.change !== null && view.change !== "modified" && <span class="tag">{changeLabel(view.change)}</span>}
        {view?.written === true && <span class="tag">written</span>}
        <LineEnds view={view} />
        <div class="viewer-acts">
          <Segmented name="diff-mode" label="Layout" value={diffMode.value} choices={MODES} onChange={(mode) => (diffMode.value = mode)} />
          <Button look="quiet" icon="up" label="Previous change" keys="[" onClick={() => shown.current?.step(-1)} />
          <Button look="quiet" icon="down" label="Next change" keys="]" onClick={() => shown.current?.step(1)} />
          {turn !== null && view !== null && <ApplyFile turn={turn} view={view} />}
        </div>
      </div>
      {turn !== null && view !== null && <EditChips turn={turn} view={view} shown={shown} />}
      {view !== null && <Compared view={view} target={target} shown={shown} />}
    </div>
  );
}

function FileChoice({ turn, path: wanted, view }: { turn: Turn | null; path: string; view: FileView | null }): JSX.Element {
  const path = turn === null ? wanted : nameAfter(turn, wanted);
  const written = turn === null ? [] : writtenFiles(turn);
  const all = [...new Set([...(turn?.plan?.files ?? []).map((file) => file.path), ...written, path])];
  const source = view?.path === path ? view.source : null;
  if (all.length < 2) {
    return (
      <h3 class="viewer-path">
        <Moved source={source} path={path} cut />
      </h3>
    );
  }
  return (
    <span class="viewer-path file-choice">
      <Moved source={source} path={path} cut />
      <Icon name="down" />
      <select
        aria-label="File"
        value={all.indexOf(path)}
        onChange={(event) => show({ kind: "turn", turn: turn?.id ?? "", path: all[event.currentTarget.selectedIndex] ?? path, n: null })}
      >
        {all.map((one, n) => (
          <option key={one} value={n}>
            {spelled(one)}
          </option>
        ))}
      </select>
    </span>
  );
}

function LineEnds({ view }: { view: FileView | null }): JSX.Element | null {
  if (view?.after === null) return null;
  const [before, after] = [lineEnds(view?.before ?? ""), lineEnds(view?.after ?? "")];
  if (after === "LF" && before === "LF") return null;
  if (after === "" && before === "") return null;
  return <span class="tag">{before === after || before === "" ? after : `${before} → ${after || "none"}`}</span>;
}

/** Whether an edit is about the file that is shown, under the name that it has or had. */
function isAbout(edit: Edit, view: FileView): boolean {
  return edit.path !== null && (edit.path === view.path || edit.path === view.source);
}

function ApplyFile({ turn, view }: { turn: Turn; view: FileView }): JSX.Element | null {
  const ready = turn.edits.filter((edit) => isAbout(edit, view) && edit.state === "fits");
  if (turn.state !== "open" || ready.length === 0) return null;
  return (
    <Button look="primary" icon="check" onClick={() => void apply(turn, { paths: [view.path] })}>
      Apply this file
    </Button>
  );
}

function EditChips({ turn, view, shown }: { turn: Turn; view: FileView; shown: { current: Shown | null } }): JSX.Element {
  const here = turn.edits.filter((edit) => isAbout(edit, view) && edit.state !== "superseded");
  return (
    <div class="edit-chips" role="group" aria-label="Edits of this file">
      {here.map((edit) => {
        const spot = view.edits.find((one) => one.n === edit.n);
        const go = (): void => {
          if (spot?.new_start != null) shown.current?.goTo(linesOfEdit(spot.new_start, spot.new_end));
          else goToEdit(turn.id, edit.n);
        };
        return (
          <span key={edit.n} class="chip edit-chip">
            {isChoice(turn, edit) && <TakesPart turn={turn} edit={edit} name={`Edit ${edit.n}`} />}
            <button type="button" class="chip-link" onClick={go} title="Go to its lines">
              <span class="edit-number">#{edit.n}</span>
              <Badge state={shownState(edit, isOver(turn.state))} />
            </button>
          </span>
        );
      })}
    </div>
  );
}

interface ComparedProperties {
  readonly view: FileView;
  readonly target: TurnTarget;
  readonly shown: { current: Shown | null };
}

/** The lines of an edit in the file as it will be; null where there is none, or it is the whole file. */
function linesToPointAt({ edits, after }: FileView, n: number | null): Lines | null {
  const spot = edits.find((edit) => edit.n === n);
  if (spot?.new_start == null) return null;
  const lines = linesOfEdit(spot.new_start, spot.new_end);
  return lines[0] === 1 && lines[1] >= linesOf(after ?? "").length ? null : lines;
}

/** First and last line; of an edit that leaves none, the one behind it. */
function linesOfEdit(start: number, end: number | null): Lines {
  return [start, Math.max(start, end ?? 0)];
}

function Compared({ view, target, shown }: ComparedProperties): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const mode = diffMode.value;
  const focus = useTakesFocus(target);
  const kept = useKeptPlace(target);
  useEffect(() => {
    let gone = false;
    const { n } = target;
    const lines = linesToPointAt(view, n);
    void attach().then(async (editors) => {
      const { path, before, after } = view;
      await editors.coloursReady(path);
      if (gone || place.current === null) return;
      const at = { lines, place: kept.place() };
      shown.current = editors.diff(place.current, { path, before: before ?? "", after: after ?? "", mode, ...at });
      viewerKeys.value = shown.current;
      focus.take(shown.current);
    });
    return () => {
      gone = true;
      focus.leave(place.current);
      kept.leave(shown.current);
      viewerKeys.value = null;
      shown.current?.destroy();
      shown.current = null;
    };
  }, [view, target, mode]);
  return <div class={`viewer-place ${mode}`} ref={place} />;
}
