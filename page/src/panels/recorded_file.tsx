/** One file of what agents did: its recorded changes, each call with its own lines together. */

import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { RecordedEdit, RecordedFile } from "../api/answers";
import type { Hunk } from "../api/wire";
import { chunksOfHunks } from "../text/chunks";
import { weave, type Spot } from "../text/owned_rows";
import { stretchesOf, type Opened } from "../text/review_rows";
import { clock } from "../text/words";
import { at, barId } from "../state/review";
import type { RecordedKeys } from "../state/recorded";
import { Badge } from "../chat/edit_head";
import { Button } from "../view/button";
import { Spoken, Visible } from "../view/text";
import { Fold, Stretch, useFileColours, useSeen, wholeRows } from "./file_rows";
import { ChunkChoice } from "./review_lines";

interface Properties {
  readonly id: string;
  readonly file: RecordedFile;
  readonly split: boolean;
  /** The edit whose lines are chosen. */
  readonly lines: number | null;
  readonly keys: RecordedKeys;
  /** Nothing is taken back here. */
  readonly fixed: boolean;
  readonly onLines: (edit: RecordedEdit, chunks: readonly number[]) => void;
  readonly onHere: (edit: RecordedEdit) => void;
}

export function RecordedFileView({ id, file, split, lines, keys, fixed, onLines, onHere }: Properties): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const seen = useSeen(box);
  const [opened, setOpened] = useState<ReadonlyMap<number, Opened>>(new Map());
  const skeleton = useMemo(() => wholeRows(file), [file]);
  const woven = useMemo(() => weave(skeleton, file.edits.map(spotOf)), [skeleton, file]);
  const rows = useMemo(() => {
    const back = new Set(file.edits.flatMap((edit) => (edit.taken_by === null ? [] : [edit.n])));
    return woven.rows.map((row) => (row.edit !== null && back.has(row.edit) ? { ...row, aside: true } : row));
  }, [woven, file]);
  const colours = useFileColours(seen ? rows : NO_ROWS, file.path);
  const last = rows.at(-1);
  const digits = String(Math.max(last?.new ?? 0, last?.old ?? 0)).length;
  const byNumber = new Map(file.edits.map((edit) => [edit.n, edit]));
  const barsAt = (row: number): JSX.Element[] =>
    (woven.bars.get(row) ?? []).map((n) => (
      <CallBar key={`edit ${n}`} id={id} edit={byNumber.get(n)!} keys={keys} fixed={fixed} chooses={lines === n} onLines={onLines} onHere={onHere} />
    ));
  const open = (fold: number, more: Partial<Opened>): void => {
    const { first, last: end } = opened.get(fold) ?? { first: 0, last: 0 };
    setOpened(new Map(opened).set(fold, { first: first + (more.first ?? 0), last: end + (more.last ?? 0) }));
  };
  const needed = [...woven.bars.keys()].filter((row) => row < rows.length);
  return (
    <div class="review-diff" ref={box}>
      {!seen && [...woven.bars.keys()].sort((one, other) => one - other).flatMap(barsAt)}
      {seen && stretchesOf(rows, opened, needed, new Set(woven.bars.keys())).flatMap((stretch) => [
        ...barsAt(stretch.from),
        stretch.kind === "fold" ? (
          <Fold key={`fold ${stretch.from}`} from={stretch.from} to={stretch.to} start={stretch.fold === 0} end={stretch.to === rows.length} onOpen={(more) => open(stretch.fold, more)} />
        ) : (
          <Stretch key={`rows ${stretch.from}`} rows={rows} from={stretch.from} to={stretch.to} colours={colours} digits={digits} split={split} />
        ),
      ])}
      {seen && barsAt(rows.length)}
    </div>
  );
}

const NO_ROWS: readonly [] = [];

/** Recorded changes are all in the diff from before the first to after the last; what a later one undid has no rows. */
function spotOf(edit: RecordedEdit): Spot {
  const [first] = edit.hunks;
  const range = (start: (hunk: Hunk) => number, many: (hunk: Hunk) => number): readonly [number, number] | null =>
    first === undefined ? null : [start(first), start(edit.hunks.at(-1)!) + many(edit.hunks.at(-1)!)];
  return {
    n: edit.n,
    own: true,
    written: true,
    old: range((hunk) => hunk.old_start, (hunk) => hunk.old_count),
    new: range((hunk) => hunk.new_start, (hunk) => hunk.new_count),
    hunks: edit.hunks,
  };
}

interface BarProperties {
  readonly id: string;
  readonly edit: RecordedEdit;
  readonly keys: RecordedKeys;
  readonly fixed: boolean;
  readonly chooses: boolean;
  readonly onLines: (edit: RecordedEdit, chunks: readonly number[]) => void;
  readonly onHere: (edit: RecordedEdit) => void;
}

function CallBar({ id, edit, keys, fixed, chooses, onLines, onHere }: BarProperties): JSX.Element {
  const back = edit.taken_by !== null;
  const name = `Change ${edit.n}, ${edit.told ? edit.tool : "call not known"}`;
  return (
    <div class={`review-edit ${back ? "left-out" : "written"}`}>
      <div
        id={barId(id, edit.n)}
        class="edit-bar"
        tabIndex={-1}
        role="group"
        aria-label={name}
        data-turn={id}
        data-n={edit.n}
        data-state={back ? "left-out" : "written"}
        onFocus={() => (at.value = { turn: id, n: edit.n })}
      >
        <span class="edit-number">#{edit.n}</span>
        {back ? <Badge state="left-out" text="Taken back" /> : edit.told ? <Badge state="written" text={edit.tool ?? ""} /> : <span class="noted">Call not known</span>}
        <span class="where">
          {clock(edit.time)}
          {edit.prompt !== null && `, request ${edit.prompt}`}
        </span>
        <span class="muted call-words">
          <Visible text={edit.words.length > 80 ? `${edit.words.slice(0, 79)}…` : edit.words} />
        </span>
        <span class="edit-end">
          <Button look="quiet" keys="e" onClick={() => keys.open(edit.n)}>
            Open<Spoken> change {edit.n}</Spoken>
          </Button>
          {!fixed && !back && edit.hunks.length > 0 && (
            <Button look="quiet" keys="l" onClick={() => keys.lines(edit.n)}>
              Lines<Spoken> of change {edit.n}</Spoken>
            </Button>
          )}
          {!fixed && (
            <Button look="quiet" onClick={() => onHere(edit)}>
              Go back to here<Spoken>: after change {edit.n}</Spoken>
            </Button>
          )}
          {fixed ? null : back ? (
            <Button icon="redo" keys="u" onClick={() => keys.again(edit.n)}>
              Bring back<Spoken> change {edit.n}</Spoken>
            </Button>
          ) : (
            <Button icon="undo" keys="s" onClick={() => keys.back(edit.n)}>
              Take back<Spoken> change {edit.n}</Spoken>
            </Button>
          )}
        </span>
      </div>
      {chooses && <Lines edit={edit} onLines={(chunks) => onLines(edit, chunks)} onLeave={() => keys.lines(edit.n)} />}
    </div>
  );
}

/** The runs of changed lines of one call, of which some are taken back. */
function Lines({ edit, onLines, onLeave }: { edit: RecordedEdit; onLines: (chunks: readonly number[]) => void; onLeave: () => void }): JSX.Element {
  const chunks = useMemo(() => chunksOfHunks(edit.hunks), [edit]);
  const [kept, setKept] = useState<readonly boolean[]>(() => chunks.map(() => true));
  return (
    <ChunkChoice id={`back-${edit.n}`} legend="Which of its changes stay?" chunks={chunks} taken={kept} set={(n, on) => setKept(kept.map((before, at) => (at === n ? on : before)))} onLeave={onLeave}>
      <Button look="quiet" onClick={onLeave}>
        Leave it
      </Button>
      <Button look="primary" icon="undo" disabled={kept.every(Boolean)} onClick={() => onLines(kept.flatMap((keeps, n) => (keeps ? [] : [n])))}>
        Take the others back
      </Button>
    </ChunkChoice>
  );
}
