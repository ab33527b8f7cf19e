/** One file of a turn, before and after, with the turn's other files a choice away. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { attach, type Shown } from "../editor/lazy";
import type { FileView } from "../api/answers";
import type { Turn } from "../api/wire";
import { changeLabel } from "../text/words";
import { lineEnds } from "../text/line_ends";
import { apply, fileOfTurn, skip } from "../state/actions";
import { turns } from "../state/store";
import { diffMode, show, type Target } from "../state/ui";
import { Badge } from "../chat/edit_head";
import { goToEdit } from "../chat/go_to_edit";
import { Button, Segmented } from "../view/button";
import { viewerKeys } from "./viewer_keys";

type TurnTarget = Extract<Target, { kind: "turn" }>;

const MODES = [
  { value: "unified", text: "Unified", icon: "rows" },
  { value: "split", text: "Side by side", icon: "columns" },
] as const;

export function TurnViewer({ target }: { target: TurnTarget }): JSX.Element {
  const turn = turns.value.find((one) => one.id === target.turn) ?? null;
  const view = useFile(target, turn);
  const shown = useRef<Shown | null>(null);
  return (
    <div class="viewer">
      <header class="viewer-head">
        <FileChoice turn={turn} path={target.path} />
        {view !== null && view.change !== null && view.change !== "modified" && <span class="tag">{changeLabel(view.change)}</span>}
        {view?.written === true && <span class="tag">written</span>}
        <LineEnds view={view} />
        <span class="spacer" />
        <Segmented name="diff-mode" label="Layout" value={diffMode.value} choices={MODES} onChange={(mode) => (diffMode.value = mode)} />
        <Button look="quiet" icon="up" label="Previous change" keys="[" onClick={() => shown.current?.step(-1)} />
        <Button look="quiet" icon="down" label="Next change" keys="]" onClick={() => shown.current?.step(1)} />
        {turn !== null && view !== null && <ApplyFile turn={turn} path={view.path} />}
      </header>
      {turn !== null && view !== null && <EditChips turn={turn} view={view} shown={shown} />}
      {view !== null && <Compared view={view} n={target.n} shown={shown} />}
    </div>
  );
}

function useFile(target: TurnTarget, turn: Turn | null): FileView | null {
  const [view, setView] = useState<FileView | null>(null);
  const version = turn?.plan?.version ?? 0;
  const state = turn?.state;
  useEffect(() => {
    let gone = false;
    void fileOfTurn(target.turn, target.path).then((answer) => {
      if (!gone && answer !== null) setView(answer);
    });
    return () => {
      gone = true;
    };
  }, [target.turn, target.path, version, state]);
  return view;
}

function FileChoice({ turn, path }: { turn: Turn | null; path: string }): JSX.Element {
  const written = (turn?.edits ?? []).flatMap((edit) => (edit.state === "applied" && edit.path !== null ? [edit.path] : []));
  const all = [...new Set([...(turn?.plan?.files ?? []).map((file) => file.path), ...written, path])];
  if (all.length < 2) return <h3 class="viewer-path">{path}</h3>;
  return (
    <select
      class="viewer-path"
      aria-label="File"
      value={path}
      onChange={(event) => show({ kind: "turn", turn: turn?.id ?? "", path: event.currentTarget.value, n: null })}
    >
      {all.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  );
}

function LineEnds({ view }: { view: FileView | null }): JSX.Element | null {
  const [before, after] = [lineEnds(view?.before ?? ""), lineEnds(view?.after ?? "")];
  if (after === "LF" && before === "LF") return null;
  if (after === "" && before === "") return null;
  return <span class="tag">{before === after || before === "" ? after : `${before} → ${after || "none"}`}</span>;
}

function ApplyFile({ turn, path }: { turn: Turn; path: string }): JSX.Element | null {
  const ready = turn.edits.filter((edit) => edit.path === path && edit.state === "ready");
  if (turn.state !== "open" || ready.length === 0) return null;
  return (
    <Button look="primary" icon="check" onClick={() => void apply(turn, { paths: [path] })}>
      Apply this file
    </Button>
  );
}

function EditChips({ turn, view, shown }: { turn: Turn; view: FileView; shown: { current: Shown | null } }): JSX.Element {
  const here = turn.edits.filter((edit) => edit.path === view.path && edit.state !== "superseded");
  return (
    <div class="edit-chips" role="group" aria-label="Edits of this file">
      {here.map((edit) => {
        const spot = view.edits.find((one) => one.n === edit.n);
        const go = (): void => {
          if (spot?.new_start != null) shown.current?.goTo(spot.new_start);
          else goToEdit(turn.id, edit.n);
        };
        return (
          <span key={edit.n} class="chip edit-chip">
            {turn.state === "open" && (edit.state === "ready" || (edit.state === "skipped" && edit.skip)) && (
              <input
                type="checkbox"
                aria-label={`Edit ${edit.n}, take part`}
                checked={edit.state === "ready"}
                onChange={(event) => void skip(turn.id, [edit.n], !event.currentTarget.checked)}
              />
            )}
            <button type="button" class="chip-link" onClick={go} title="Go to its lines">
              <span class="edit-number">#{edit.n}</span>
              <Badge state={edit.state} />
            </button>
          </span>
        );
      })}
    </div>
  );
}

interface ComparedProperties {
  readonly view: FileView;
  readonly n: number | null;
  readonly shown: { current: Shown | null };
}

function Compared({ view, n, shown }: ComparedProperties): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const mode = diffMode.value;
  useEffect(() => {
    let gone = false;
    const spot = view.edits.find((edit) => edit.n === n);
    const lines = spot?.new_start == null ? null : ([spot.new_start, Math.max(spot.new_start, spot.new_end ?? 0)] as const);
    void attach().then(async (editors) => {
      const { path, before, after } = view;
      await editors.coloursReady(path);
      if (gone || place.current === null) return;
      shown.current = editors.diff(place.current, { path, before: before ?? "", after: after ?? "", mode, lines });
      viewerKeys.value = shown.current;
      if (n === null) shown.current.step(1);
      else shown.current.focus();
    });
    return () => {
      gone = true;
      viewerKeys.value = null;
      shown.current?.destroy();
      shown.current = null;
    };
  }, [view, n, mode]);
  return <div class={`viewer-place ${mode}`} ref={place} />;
}
