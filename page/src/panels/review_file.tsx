/** One file in the review: its name with its counts, and its lines with every edit in its place. */

import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FileView } from "../api/answers";
import type { Edit, Turn } from "../api/wire";
import type { Row } from "../text/diff_rows";
import { linesOf } from "../text/lines";
import { weave, type Spot, type Woven } from "../text/owned_rows";
import { isNoted, wantedOf, type ReviewedFile } from "../text/review_files";
import { STEP, stretchesOf, type Opened } from "../text/review_rows";
import { spelled } from "../text/visible";
import { changeLabel, count, isOver, shownState, type Shown } from "../text/words";
import { apply, fileOfTurn } from "../state/actions";
import { addComment } from "../state/comments";
import { at, barId, bringBar, fileKey, folded, goToBar, isViewed, setFolded, setViewed, wantedStates } from "../state/review";
import { turnById } from "../state/store";
import { show } from "../state/ui";
import { Amounts } from "../chat/banner";
import { Badge } from "../chat/edit_head";
import { Button } from "../view/button";
import { coloursOf, rowsOfHunks } from "../view/diff_table";
import { memo } from "../view/memo";
import { ReviewDiff } from "../view/review_diff";
import { Moved, Spoken } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { useParser } from "../view/use_parser";
import { whenIdle } from "../view/when_idle";
import { Comment, CommentForm, type Writing } from "./review_comments";
import { ReviewEdit } from "./review_edit";

interface Properties {
  readonly turn: string;
  readonly state: Turn["state"];
  readonly file: ReviewedFile;
  /** Of the whole turn. */
  readonly comments: Turn["comments"];
  readonly split: boolean;
}

function titleOf(turn: string, { edits }: ReviewedFile): string {
  return `review-${turn}-file-${edits[0]?.n ?? 0}`;
}

/** Bring a file to the upper edge, and give it the focus. */
export function goToFile(turn: string, file: ReviewedFile): void {
  const section = document.getElementById(titleOf(turn, file))?.closest<HTMLElement>(".file-group");
  section?.scrollIntoView({ block: "start" });
  section?.focus({ preventScroll: true });
}

export const ReviewFile = memo(function ReviewFile({ turn, state, file: reviewedFile, comments, split }: Properties): JSX.Element | null {
  const { path, file, edits } = reviewedFile;
  const section = useRef<HTMLElement>(null);
  const seen = useSeen(section);
  const title = titleOf(turn, reviewedFile);
  const key = fileKey(turn, path);
  const isFolded = folded.value.has(key);
  const wanted = wantedOf(reviewedFile, state, wantedStates.value);
  const ready = edits.filter((edit) => edit.state === "ready");
  const exists = file !== null || edits.some((edit) => edit.state === "applied");
  const open = (path: string): void =>
    show(exists ? { kind: "turn", turn, path, n: null } : { kind: "file", path, line: edits[0]?.result?.start ?? null });
  if (wanted.length === 0) return null;
  return (
    <section class="file-group" ref={section} tabIndex={-1} aria-labelledby={title}>
      <header>
        <Button
          look="quiet"
          icon={isFolded ? "chevron" : "down"}
          label={`${isFolded ? "Show" : "Fold"} the changes of ${spelled(path ?? "no file")}`}
          onClick={() => setFolded(key, !isFolded)}
        />
        <h3 id={title}>
          {path === null ? (
            "No file"
          ) : (
            <button type="button" class="path-button" title="Open in the viewer" onClick={() => open(path)}>
              <Moved source={file?.source ?? null} path={path} />
            </button>
          )}
        </h3>
        <FileCounts turn={turn} state={state} edits={edits} />
        {file !== null && <Amounts file={file} />}
        {file !== null && file.change !== "modified" && <span class="tag">{changeLabel(file.change)}</span>}
        {file?.resolved === true && <span class="tag">resolved by hand</span>}
        <span class="file-acts">
          {state === "open" && ready.length > 0 && path !== null && (
            <Button
              onClick={() => {
                const whole = turnById(turn);
                if (whole !== null) void apply(whole, { paths: [path] });
              }}
            >
              Apply {count(ready.length, "edit")}
              <Spoken> of {spelled(path)}</Spoken>
            </Button>
          )}
          <label class="viewed">
            <input type="checkbox" checked={isViewed(turn, reviewedFile)} onChange={(event) => setViewed(turn, reviewedFile, event.currentTarget.checked)} />
            Viewed<Spoken> {spelled(path ?? "no file")}</Spoken>
          </label>
        </span>
      </header>
      {!isFolded &&
        (path !== null && seen && state !== "running" ? (
          <Changes turn={turn} state={state} path={path} edits={wanted} all={edits} fileKeyNow={reviewedFile.key} comments={comments} split={split} />
        ) : (
          <div class="review-diff">{inOrder(wanted).map((edit) => listed(turn, state, edit))}</div>
        ))}
    </section>
  );
});

const listed = (turn: string, state: Turn["state"], edit: Edit): JSX.Element => (
  <ReviewEdit key={`edit ${edit.n}`} turn={turn} state={state} edit={edit} inFile={state !== "running" && edit.path !== null} onComment={null} />
);

/** As far as their places are known without the file. */
function inOrder(edits: readonly Edit[]): readonly Edit[] {
  return [...edits].sort((one, other) => (spotOf(one, false).old?.[0] ?? 0) - (spotOf(other, false).old?.[0] ?? 0) || one.n - other.n);
}

const FIRST: readonly Shown[] = ["failed", "waits"];
const THEN: readonly Shown[] = ["ready", "applied", "skipped", "already", "not-taken"];

/** How many edits are in which state, failures and notes first; each count leads to the first of them. */
function FileCounts({ turn, state, edits }: { turn: string; state: Turn["state"]; edits: readonly Edit[] }): JSX.Element {
  const shown = edits.map((edit) => shownState(edit, isOver(state)));
  const noted = edits.filter(isNoted);
  const go = (n: number | undefined): void => {
    const bar = n === undefined ? null : document.getElementById(barId(turn, n));
    if (bar !== null) goToBar(bar);
  };
  const counts = (wanted: readonly Shown[]): JSX.Element[] =>
    wanted.flatMap((one) => {
      const n = shown.filter((other) => other === one).length;
      return n === 0 ? [] : [
        <button key={one} type="button" class="badge-button" title="Go to the first" onClick={() => go(edits[shown.indexOf(one)]?.n)}>
          <Badge state={one} text={String(n)} /><Spoken> {one}</Spoken>
        </button>,
      ];
    });
  return (
    <span class="file-counts">
      {counts(FIRST)}
      {noted.length > 0 && (
        <button type="button" class="badge-button noted" title="Go to the first note" onClick={() => go(noted[0]?.n)}>
          {count(noted.length, "note")}
        </button>
      )}
      {counts(THEN)}
    </span>
  );
}

/** Whether an element has come near the part that is seen: what is far below is not asked for before. */
function useSeen(element: { readonly current: HTMLElement | null }): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const watch = new IntersectionObserver((all) => all.some((one) => one.isIntersecting) && setSeen(true), { rootMargin: "600px" });
    watch.observe(element.current);
    return () => watch.disconnect();
  }, [element]);
  return seen;
}

interface ChangesProperties {
  readonly turn: string;
  readonly state: Turn["state"];
  readonly path: string;
  /** Those that are wanted, of all. */
  readonly edits: readonly Edit[];
  readonly all: readonly Edit[];
  readonly fileKeyNow: string;
  readonly comments: Turn["comments"];
  readonly split: boolean;
}

function Changes({ turn, state, path, edits, all, fileKeyNow, comments, split }: ChangesProperties): JSX.Element {
  const view = useAnswer(() => fileOfTurn({ kind: "turn", turn, path, n: null }), [turn, path, fileKeyNow]);
  const [opened, setOpened] = useState<ReadonlyMap<number, Opened>>(new Map());
  const [writing, setWriting] = useState<Writing | null>(null);
  const skeleton = useMemo(() => (view === null ? [] : wholeRows(view)), [view]);
  const { rows, bars } = useMemo(() => weave(skeleton, all.map((edit) => spotOf(edit, view?.written === true))), [skeleton, all]);
  const colours = useFileColours(rows, path);
  useKeptFocus(turn, all, view);
  const comment = useCallback(
    (n: number) => {
      const from = [...bars].find(([, numbers]) => numbers.includes(n))?.[0] ?? 0;
      const line = firstLine(rows, from);
      if (line !== null) setWriting(line);
    },
    [bars, rows],
  );
  if (view === null) return <div class="review-diff">{inOrder(edits).map((edit) => listed(turn, state, edit))}</div>;
  const byNumber = new Map(edits.map((edit) => [edit.n, edit]));
  const own = comments.filter((one) => one.path === path);
  const answersTo = (round: number | null): readonly number[] =>
    round === null ? [] : (turnById(turn)?.edits ?? []).flatMap((edit) => (edit.round === round ? [edit.n] : []));
  const below = (one: Pick<Writing, "line" | "side">): number => rows.findIndex((row) => row[one.side] === one.line) + 1;
  const cuts = new Set([...bars.keys(), ...own.map(below), ...(writing === null ? [] : [below(writing)])]);
  const needed = [...bars.keys()].filter((row) => row < rows.length).concat(own.map((one) => below(one) - 1), writing === null ? [] : [below(writing) - 1]);
  const last = rows.at(-1);
  const digits = String(Math.max(last?.new ?? 0, last?.old ?? 0)).length;
  const open = (fold: number, more: Partial<Opened>): void => {
    const { first, last: end } = opened.get(fold) ?? { first: 0, last: 0 };
    setOpened(new Map(opened).set(fold, { first: first + (more.first ?? 0), last: end + (more.last ?? 0) }));
  };
  const barsAt = (row: number): JSX.Element[] =>
    (bars.get(row) ?? []).flatMap((n) => {
      const edit = byNumber.get(n);
      return edit === undefined ? [] : [<ReviewEdit key={`edit ${n}`} turn={turn} state={state} edit={edit} inFile onComment={comment} />];
    });
  return (
    <div class="review-diff">
      {stretchesOf(rows, opened, needed, cuts).flatMap((stretch) => [
        ...barsAt(stretch.from),
        stretch.kind === "fold" ? (
          <Fold key={`fold ${stretch.from}`} from={stretch.from} to={stretch.to} start={stretch.fold === 0} end={stretch.to === rows.length} onOpen={(more) => open(stretch.fold, more)} />
        ) : (
          <Stretch key={`rows ${stretch.from}`} rows={rows} from={stretch.from} to={stretch.to} colours={colours} digits={digits} split={split} onNumber={(line, side) => setWriting({ line, side })} />
        ),
        ...(stretch.kind === "rows" ? own.filter((one) => below(one) === stretch.to).map((one) => <Comment key={`comment ${one.id}`} turn={turn} comment={one} answers={answersTo(one.round)} />) : []),
        ...(writing !== null && below(writing) === stretch.to && stretch.kind === "rows"
          ? [
              <CommentForm
                key="writing"
                writing={writing}
                rows={rows}
                onMove={(line) => setWriting({ ...writing, line })}
                onDone={(text) => {
                  const row = rows.find((one) => one[writing.side] === writing.line);
                  if (text !== null && row !== undefined) addComment(turn, { path, line: writing.line, side: writing.side, quote: row.text, text });
                  setWriting(null);
                }}
              />,
            ]
          : []),
      ])}
      {barsAt(rows.length)}
    </div>
  );
}

/** What was drawn anew has taken the focus of the edit that the review is at, and has moved it. */
function useKeptFocus(turn: string, edits: readonly Edit[], view: FileView | null): void {
  useLayoutEffect(() => {
    const here = at.value;
    if (here === null || here.turn !== turn || !edits.some((edit) => edit.n === here.n)) return;
    const bar = document.getElementById(barId(turn, here.n));
    if (bar === null) return;
    if (document.activeElement === document.body) bar.focus({ preventScroll: true });
    if (document.activeElement === bar) bringBar(bar);
  }, [view]);
}

/** Where an edit stands, and what of it there is to draw. `written`: the file is shown as this turn's writes changed it. */
function spotOf(edit: Edit, written: boolean): Spot {
  const { n, state, result, hunks, place } = edit;
  const own = written ? state === "applied" : state === "ready";
  const line = result?.start ?? result?.nearest?.start ?? place ?? result?.places[0] ?? hunks?.[0]?.old_start ?? null;
  const end = result?.start != null ? result.end : null;
  const fresh = result?.new_start ?? null;
  const seen = state === "applied" && !written ? fresh : line;
  return {
    n,
    own,
    written: state === "applied",
    old: seen === null ? null : [seen, Math.max(seen, end ?? 0)],
    new: fresh === null ? null : [fresh, Math.max(fresh, result?.new_end ?? 0)],
    hunks: hunks ?? [],
  };
}

interface StretchProperties {
  readonly rows: Woven["rows"];
  readonly from: number;
  readonly to: number;
  readonly colours: ReturnType<typeof coloursOf>;
  readonly digits: number;
  readonly split: boolean;
  readonly onNumber: (line: number, side: "old" | "new") => void;
}

/** Rows without anything between them; the same values as before as long as nothing of them changes. */
function Stretch({ rows, from, to, colours, digits, split, onNumber }: StretchProperties): JSX.Element {
  const shown = useMemo(() => rows.slice(from, to), [rows, from, to]);
  const coloured = useMemo(() => colours.slice(from, to), [colours, from, to]);
  const latest = useRef(onNumber);
  latest.current = onNumber;
  const press = useRef((row: Row, side: "old" | "new"): void => latest.current(row[side]!, side));
  return <ReviewDiff rows={shown} colours={coloured} split={split} digits={digits} onNumber={press.current} />;
}

interface FoldProperties {
  readonly from: number;
  readonly to: number;
  /** It begins, or ends, with the file. */
  readonly start: boolean;
  readonly end: boolean;
  readonly onOpen: (more: Partial<Opened>) => void;
}

/** Unchanged lines that are not shown, with buttons for some of them. */
function Fold({ from, to, start, end, onOpen }: FoldProperties): JSX.Element {
  const left = to - from;
  if (left <= STEP) {
    return (
      <div class="fold">
        <button type="button" onClick={() => onOpen({ first: left })}>
          Show {count(left, "unchanged line")}
        </button>
      </div>
    );
  }
  return (
    <div class="fold">
      {!start && (
        <button type="button" onClick={() => onOpen({ first: STEP })}>
          {STEP} lines below
        </button>
      )}
      <span>{count(left, "unchanged line")}</span>
      {!end && (
        <button type="button" onClick={() => onOpen({ last: STEP })}>
          {STEP} lines above
        </button>
      )}
    </div>
  );
}

/** All lines of a file: those of its hunks, and the unchanged ones between them. */
function wholeRows({ after, hunks }: FileView): Row[] {
  const lines = linesOf(after ?? "");
  const rows: Row[] = [];
  let [old, fresh] = [1, 1];
  const same = (end: number): void => {
    while (fresh < end) rows.push({ sign: "same", text: lines[fresh - 1] ?? "", old: old++, new: fresh++, marks: [] });
  };
  for (const hunk of hunks) {
    same(hunk.new_count === 0 ? hunk.new_start + 1 : hunk.new_start);
    rows.push(...rowsOfHunks([hunk]));
    [old, fresh] = [old + hunk.old_count, fresh + hunk.new_count];
  }
  same(lines.length + 1);
  return rows;
}

const MOST_COLOURED = 4000;

/** Colours of all rows, found when nothing more urgent is left to do. */
function useFileColours(rows: readonly Row[], path: string): ReturnType<typeof coloursOf> {
  const parser = useParser(path);
  const [found, setFound] = useState<{ rows: readonly Row[]; colours: ReturnType<typeof coloursOf> }>({ rows: [], colours: [] });
  useEffect(
    () => (parser === null || rows.length > MOST_COLOURED ? undefined : whenIdle(() => setFound({ rows, colours: coloursOf(rows, parser) }))),
    [rows, parser],
  );
  return found.rows === rows ? found.colours : NOT_COLOURED;
}

const NOT_COLOURED: ReturnType<typeof coloursOf> = [];

/** The line that a comment on an edit is about at first. */
function firstLine(rows: readonly Row[], from: number): Writing | null {
  const row = rows.slice(from).find((one) => one.sign === "added" && one.new !== null) ?? rows.slice(from).find((one) => one.new !== null || one.old !== null);
  if (row === undefined) return null;
  return row.new === null ? { line: row.old!, side: "old" } : { line: row.new, side: "new" };
}
