/** One file in the review: its changes, with a bar above each edit, and comments between the lines. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FileView } from "../api/answers";
import type { Edit, PlanFile, Turn } from "../api/wire";
import type { Row } from "../text/diff_rows";
import { linesOf } from "../text/lines";
import { rowOfEdit, STEP, stretchesOf, type Opened } from "../text/review_rows";
import { spelled } from "../text/visible";
import { changeLabel, count, isOver, shownState, tierLabel } from "../text/words";
import { apply, fileOfTurn } from "../state/actions";
import { addComment, comments, removeComment, type LineComment } from "../state/comments";
import { diffMode, show } from "../state/ui";
import { Amounts } from "../chat/banner";
import { Badge, Match } from "../chat/edit_head";
import { goToEdit } from "../chat/go_to_edit";
import { TakesPart } from "../chat/takes_part";
import { Button } from "../view/button";
import { coloursOf, rowsOfHunks } from "../view/diff_table";
import { memo } from "../view/memo";
import { ReviewDiff } from "../view/review_diff";
import { Said } from "../view/said";
import { Moved, Spoken, Visible } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { useParser } from "../view/use_parser";
import { whenIdle } from "../view/when_idle";

export interface ReviewedFile {
  readonly path: string | null;
  readonly file: PlanFile | null;
  readonly edits: readonly Edit[];
}

function titleOf(turn: string, { edits }: ReviewedFile): string {
  return `review-${turn}-${edits[0]?.n ?? 0}`;
}

/** Bring a file to the upper edge, and give it the focus. */
export function goToFile(turn: Turn, file: ReviewedFile): void {
  const section = document.getElementById(titleOf(turn.id, file))?.closest<HTMLElement>(".file-group");
  section?.scrollIntoView({ block: "start" });
  section?.focus({ preventScroll: true });
}

export function ReviewFile({ turn, file: reviewedFile }: { turn: Turn; file: ReviewedFile }): JSX.Element {
  const { path, file, edits } = reviewedFile;
  const [folded, setFolded] = useState(false);
  const section = useRef<HTMLElement>(null);
  const seen = useSeen(section);
  const title = titleOf(turn.id, reviewedFile);
  const ready = edits.filter((edit) => edit.state === "ready");
  const shown = file !== null || edits.some((edit) => edit.state === "applied");
  return (
    <section class="file-group" ref={section} tabIndex={-1} aria-labelledby={title}>
      <header>
        <Button
          look="quiet"
          icon={folded ? "chevron" : "down"}
          label={`${folded ? "Show" : "Fold"} the changes of ${spelled(path ?? "no file")}`}
          onClick={() => setFolded(!folded)}
        />
        <h3 id={title}>
          {path === null ? (
            "No file"
          ) : (
            <button
              type="button"
              class="path-button"
              title="Open in the viewer"
              onClick={() => show(shown ? { kind: "turn", turn: turn.id, path, n: null } : { kind: "file", path, line: edits[0]?.result?.start ?? null })}
            >
              <Moved source={file?.source ?? null} path={path} />
            </button>
          )}
        </h3>
        {file !== null && <Amounts file={file} />}
        {file !== null && file.change !== "modified" && <span class="tag">{changeLabel(file.change)}</span>}
        {file?.resolved === true && <span class="tag">resolved by hand</span>}
        {turn.state === "open" && ready.length > 0 && path !== null && (
          <Button onClick={() => void apply(turn, { paths: [path] })}>
            Apply {count(ready.length, "edit")}
            <Spoken> of {spelled(path)}</Spoken>
          </Button>
        )}
      </header>
      {!folded && (
        <>
          <Aside turn={turn} edits={edits.filter((edit) => edit.state !== "ready" && edit.state !== "applied")} />
          {shown && path !== null && seen && <Changes turn={turn} path={path} edits={edits} />}
          {shown && path !== null && !seen && <p class="empty">…</p>}
        </>
      )}
    </section>
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

/** Edits that change nothing in the file: they failed, or were left out. */
function Aside({ turn, edits }: { turn: Turn; edits: readonly Edit[] }): JSX.Element | null {
  if (edits.length === 0) return null;
  return (
    <ul class="review-aside">
      {edits.map((edit) => (
        <li key={edit.n}>
          <EditBar turn={turn} edit={edit} onComment={null} />
        </li>
      ))}
    </ul>
  );
}

interface BarProperties {
  readonly turn: Turn;
  readonly edit: Edit;
  readonly onComment: (() => void) | null;
}

/** What stands above an edit's first line. Its keys are those of the edit's card. */
function EditBar({ turn, edit, onComment }: BarProperties): JSX.Element {
  const name = `Edit ${edit.n}${edit.result?.tier != null ? `, ${tierLabel(edit.result)}` : ""}`;
  const reason = edit.state === "failed" ? edit.result?.reason : null;
  return (
    <div class={`edit-bar ${edit.state}`} tabIndex={-1} role="group" aria-label={name} data-turn={turn.id} data-n={edit.n}>
      <TakesPart turn={turn} edit={edit} name={name} />
      <button type="button" class="line-link" title="Show it in the chat" onClick={() => goToEdit(turn.id, edit.n)}>
        <span class="edit-number">#{edit.n}</span>
        <Badge state={shownState(edit, isOver(turn.state))} />
      </button>
      {reason != null && (
        <span class="why">
          <Said text={reason} />
        </span>
      )}
      <Match edit={edit} />
      {onComment !== null && (
        <Button look="quiet" icon="comment" keys="m" onClick={onComment}>
          Comment<Spoken> on edit {edit.n}</Spoken>
        </Button>
      )}
    </div>
  );
}

/** A comment that is being written: on which line. */
interface Writing {
  readonly line: number;
  readonly side: "old" | "new";
}

function Changes({ turn, path, edits }: { turn: Turn; path: string; edits: readonly Edit[] }): JSX.Element {
  const view = useAnswer(() => fileOfTurn({ kind: "turn", turn: turn.id, path, n: null }), [turn.id, path, turn.plan?.version, turn.state]);
  const [opened, setOpened] = useState<ReadonlyMap<number, Opened>>(new Map());
  const [writing, setWriting] = useState<Writing | null>(null);
  const rows = useMemo(() => (view === null ? [] : wholeRows(view)), [view]);
  const colours = useFileColours(rows, path);
  const bars = useMemo(() => barsOf(rows, view, edits), [rows, view, edits]);
  if (view === null) return <p class="empty">Reading the file…</p>;
  const own = comments.value.filter((one) => one.turn === turn.id && one.path === path);
  const below = (at: Writing): number => rows.findIndex((row) => row[at.side] === at.line) + 1;
  const cuts = new Set([...bars.keys(), ...own.map(below), ...(writing === null ? [] : [below(writing)])]);
  const needed = [...bars.keys(), ...own.map((one) => below(one) - 1), ...(writing === null ? [] : [below(writing) - 1])];
  const last = rows.at(-1);
  const digits = String(Math.max(last?.new ?? 0, last?.old ?? 0)).length;
  const open = (fold: number, more: Partial<Opened>): void => {
    const { first, last: end } = opened.get(fold) ?? { first: 0, last: 0 };
    setOpened(new Map(opened).set(fold, { first: first + (more.first ?? 0), last: end + (more.last ?? 0) }));
  };
  return (
    <div class="review-diff">
      {stretchesOf(rows, opened, needed, cuts).map((stretch) => (
        <div key={`${stretch.kind} ${stretch.from}`} class="stretch">
          {(bars.get(stretch.from) ?? []).map((edit) => (
            <EditBar key={edit.n} turn={turn} edit={edit} onComment={() => setWriting(firstLine(rows, stretch.from))} />
          ))}
          {stretch.kind === "fold" ? (
            <Fold from={stretch.from} to={stretch.to} start={stretch.fold === 0} end={stretch.to === rows.length} onOpen={(more) => open(stretch.fold, more)} />
          ) : (
            <Stretch rows={rows} from={stretch.from} to={stretch.to} colours={colours} digits={digits} onNumber={(line, side) => setWriting({ line, side })} />
          )}
          {own.filter((one) => below(one) === stretch.to && stretch.kind === "rows").map((one) => <Comment key={one.text} comment={one} />)}
          {writing !== null && below(writing) === stretch.to && stretch.kind === "rows" && (
            <CommentForm
              writing={writing}
              rows={rows}
              onMove={(line) => setWriting({ ...writing, line })}
              onDone={(text) => {
                const row = rows.find((one) => one[writing.side] === writing.line);
                if (text !== null && row !== undefined) addComment({ turn: turn.id, path, ...writing, quote: row.text, text });
                setWriting(null);
              }}
            />
          )}
        </div>
      ))}
    </div>
  );
}

interface StretchProperties {
  readonly rows: readonly Row[];
  readonly from: number;
  readonly to: number;
  readonly colours: ReturnType<typeof coloursOf>;
  readonly digits: number;
  readonly onNumber: (line: number, side: "old" | "new") => void;
}

/** Rows without anything between them; the same values as before as long as nothing of them changes. */
function Stretch({ rows, from, to, colours, digits, onNumber }: StretchProperties): JSX.Element {
  const shown = useMemo(() => rows.slice(from, to), [rows, from, to]);
  const coloured = useMemo(() => colours.slice(from, to), [colours, from, to]);
  const latest = useRef(onNumber);
  latest.current = onNumber;
  const press = useRef((row: Row, side: "old" | "new"): void => latest.current(row[side]!, side));
  return <ReviewDiff rows={shown} colours={coloured} split={diffMode.value === "split"} digits={digits} onNumber={press.current} />;
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
const Fold = memo(function Fold({ from, to, start, end, onOpen }: FoldProperties): JSX.Element {
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
});

function Comment({ comment }: { comment: LineComment }): JSX.Element {
  return (
    <div class="line-comment">
      <p dir="auto">
        <Visible text={comment.text} />
      </p>
      <Button look="quiet" icon="cross" label={`Remove the comment on line ${comment.line}`} onClick={() => removeComment(comment)} />
    </div>
  );
}

interface FormProperties {
  readonly writing: Writing;
  readonly rows: readonly Row[];
  readonly onMove: (line: number) => void;
  /** With the comment, or null where none is wanted. */
  readonly onDone: (text: string | null) => void;
}

function CommentForm({ writing, rows, onMove, onDone }: FormProperties): JSX.Element {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const done = (): void => onDone(text.trim() === "" ? null : text);
  return (
    <form
      class="line-comment"
      aria-label={`Comment on line ${writing.line}`}
      onSubmit={(event) => {
        event.preventDefault();
        done();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onDone(null);
        } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          done();
        }
      }}
    >
      <label class="field inline">
        <span>Line</span>
        <input
          type="number"
          value={writing.line}
          onChange={(event) => {
            const line = Number(event.currentTarget.value);
            if (rows.some((row) => row[writing.side] === line)) onMove(line);
          }}
        />
      </label>
      <textarea
        ref={field}
        rows={2}
        value={text}
        aria-label={`Comment on line ${writing.line}`}
        placeholder="What should the model change here?"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="answers">
        <Button look="quiet" onClick={() => onDone(null)}>
          Cancel
        </Button>
        <Button look="primary" onClick={done}>
          Add the comment
        </Button>
      </div>
    </form>
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

/** The edits that begin at each row. */
function barsOf(rows: readonly Row[], view: FileView | null, edits: readonly Edit[]): ReadonlyMap<number, readonly Edit[]> {
  const bars = new Map<number, Edit[]>();
  if (view === null || rows.length === 0) return bars;
  for (const edit of edits) {
    const spot = view.edits.find((one) => one.n === edit.n);
    if (spot === undefined || (edit.state !== "ready" && edit.state !== "applied")) continue;
    const at = spot.new_start === null ? 0 : rowOfEdit(rows, spot.new_start, spot.new_end ?? spot.new_start);
    bars.set(at, [...(bars.get(at) ?? []), edit]);
  }
  return bars;
}

/** The line that a comment on an edit is about at first. */
function firstLine(rows: readonly Row[], from: number): Writing {
  const row = rows.slice(from).find((one) => one.sign === "added") ?? rows[from]!;
  return row.new === null ? { line: row.old!, side: "old" } : { line: row.new, side: "new" };
}
