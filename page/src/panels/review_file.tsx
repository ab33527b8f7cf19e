/** One file in the review: its name with its counts, and its lines with every edit in its place. */

import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FileView } from "../api/answers";
import type { Edit, Turn } from "../api/wire";
import type { Row } from "../text/diff_rows";
import { weave, type Spot, type Woven } from "../text/owned_rows";
import { isNoted, wantedOf, type ReviewedFile } from "../text/review_files";
import { stretchesOf, type Opened } from "../text/review_rows";
import { spelled } from "../text/visible";
import { changeLabel, count, isOver, shownState, type Shown } from "../text/words";
import { apply, fileOfTurn } from "../state/actions";
import { addComment } from "../state/comments";
import { at, barId, bringBar, commenting, fileKey, folded, goToBar, isViewed, setFolded, setViewed, wantedStates } from "../state/review";
import { turnById } from "../state/store";
import { show } from "../state/ui";
import { Amounts } from "../chat/banner";
import { Badge } from "../chat/edit_head";
import { Button } from "../view/button";
import { memo } from "../view/memo";
import { Moved, Spoken } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { Comment, CommentForm, type Writing } from "./review_comments";
import { ReviewEdit } from "./review_edit";
import { Fold, Stretch, useFileColours, useSeen, wholeRows } from "./file_rows";

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
  const asked = commenting.value;
  const seen = useSeen(section, asked !== null && asked.turn === turn && edits.some((edit) => edit.n === asked.n));
  const title = titleOf(turn, reviewedFile);
  const key = fileKey(turn, path);
  const isFolded = folded.value.has(key);
  const wanted = wantedOf(reviewedFile, state, wantedStates.value);
  const ready = edits.filter((edit) => edit.state === "fits");
  const exists = file !== null || edits.some((edit) => edit.state === "written");
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
  return [...edits].sort((one, other) => firstLineOf(one) - firstLineOf(other) || one.n - other.n);
}

/** The line before all edits above which its bar will stand: the first that it changes, as far as its texts tell. */
function firstLineOf(edit: Edit): number {
  const from = spotOf(edit, false).old?.[0] ?? 0;
  const [search, replace] = [edit.search.split("\n"), edit.replace.split("\n")];
  const same = search.findIndex((line, n) => line !== replace[n]);
  return from + Math.max(0, same);
}

const FIRST: readonly Shown[] = ["failed", "waits"];
const THEN: readonly Shown[] = ["fits", "written", "left-out", "stands-already", "not-taken"];

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
  const answer = useAnswer(async () => {
    const found = await fileOfTurn({ kind: "turn", turn, path, n: null });
    return found === null ? null : { view: found, of: all };
  }, [turn, path, fileKeyNow]);
  const view = answer?.view ?? null;
  // Edits that were decided on come before their file: until that is here, rows stay where they are.
  const placed = answer !== null && isSameSet(answer.of, all) ? answer.of : all;
  const [opened, setOpened] = useState<ReadonlyMap<number, Opened>>(new Map());
  const [writing, setWriting] = useState<Writing | null>(null);
  const skeleton = useMemo(() => (view === null ? [] : wholeRows(view)), [view]);
  const { rows: woven, bars } = useMemo(() => weave(skeleton, placed.map((edit) => spotOf(edit, view?.written === true))), [skeleton, placed]);
  const rows = useMemo(() => (placed === all ? woven : withAsides(woven, all)), [woven, placed, all]);
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
  const asked = commenting.value;
  useEffect(() => {
    if (view === null || asked === null || asked.turn !== turn || !all.some((edit) => edit.n === asked.n)) return;
    commenting.value = null;
    comment(asked.n);
  }, [view, asked]);
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

/** Rows of the edits as they were, which of them count as the edits are. */
function withAsides(rows: Woven["rows"], edits: readonly Edit[]): Woven["rows"] {
  const counting = new Set(edits.flatMap((edit) => (edit.state === "fits" || edit.state === "written" ? [edit.n] : [])));
  return rows.map((row) => (row.edit === null ? row : { ...row, aside: !counting.has(row.edit) }));
}

/** They may be in other states. */
const isSameSet = (one: readonly Edit[], other: readonly Edit[]): boolean =>
  one.length === other.length && one.every((edit, at) => edit.n === other[at]!.n);

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
  const own = written ? state === "written" : state === "fits";
  const line = result?.start ?? result?.nearest?.start ?? place ?? result?.places[0] ?? hunks?.[0]?.old_start ?? null;
  const end = result?.start != null ? result.end : null;
  const fresh = result?.new_start ?? null;
  const seen = state === "written" && !written ? fresh : line;
  return {
    n,
    own,
    written: state === "written",
    old: seen === null ? null : [seen, Math.max(seen, end ?? 0)],
    new: fresh === null ? null : [fresh, Math.max(fresh, result?.new_end ?? 0)],
    hunks: hunks ?? [],
  };
}

/** The line that a comment on an edit is about at first. */
function firstLine(rows: readonly Row[], from: number): Writing | null {
  const row = rows.slice(from).find((one) => one.sign === "added" && one.new !== null) ?? rows.slice(from).find((one) => one.new !== null || one.old !== null);
  if (row === undefined) return null;
  return row.new === null ? { line: row.old!, side: "old" } : { line: row.new, side: "new" };
}
