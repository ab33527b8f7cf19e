/** The review: what a reply changes, all files on one page, and everything about them decided there. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Turn } from "../api/wire";
import { filesOf, isNoted, wantedOf, type Known, type ReviewedFile } from "../text/review_files";
import { buildTree, foldersOf, visibleRows } from "../text/tree";
import { clock, count, countStates, isOver } from "../text/words";
import { spelled } from "../text/visible";
import { cancel, sendComments } from "../state/actions";
import { withComments } from "../state/comments";
import { at, barId, goToBar, holdBar, isViewed, wantedPath, wantedStates } from "../state/review";
import { recordedOf } from "../state/recorded";
import { modelReady, running, turns } from "../state/store";
import { reviewed, reviewMode } from "../state/ui";
import { Amounts, PlanActs } from "../chat/banner";
import { Badge } from "../chat/edit_head";
import { FailedPart } from "../chat/failed_part";
import { Offers, offersSomething } from "../chat/offers";
import { Command } from "../chat/round_view";
import { FileTakesPart } from "../chat/takes_part";
import { Button, Segmented } from "../view/button";
import { CopyButton } from "../view/copy_button";
import { Icon } from "../view/icons";
import { Spoken, Visible } from "../view/text";
import { RecordedPanel } from "./recorded_panel";
import { goToFile, ReviewFile } from "./review_file";

const MODES = [
  { value: "unified", text: "One column", icon: "rows" },
  { value: "split", text: "Side by side", icon: "columns" },
] as const;

const LEAST_SPLIT = 840; // pixels: below, two sides would wrap most lines

export function ReviewPanel(): JSX.Element {
  const known = useRef<Known>(new Map());
  const list = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const shownAs = useSize(list);
  const fits = shownAs.width >= LEAST_SPLIT;
  useLayoutEffect(holdBar, [shownAs.height]);
  const head = useSize(top).height;
  const withEdits = turns.value.filter((turn) => (turn.edits.length > 0 && (turn.plan !== null || turn.state === "running")) || offersSomething(turn));
  const turn = withEdits.find((one) => one.id === reviewed.value) ?? withEdits.at(-1);
  useEffect(() => {
    if (recordedOf.value === null) beginAt(turn);
  }, [turn?.id, recordedOf.value]);
  const layout = fits ? (
    <Segmented name="review-mode" label="Layout" value={reviewMode.value} choices={MODES} onChange={(mode) => (reviewMode.value = mode)} />
  ) : reviewMode.value === "split" ? (
    <span class="muted layout-note">One column: too narrow for two</span>
  ) : null;
  const split = fits && reviewMode.value === "split";
  if (recordedOf.value !== null) {
    return (
      <div class="review" style={{ "--review-top": `${head}px` }}>
        <RecordedPanel split={split} layout={layout} top={top} list={list} />
      </div>
    );
  }
  if (turn === undefined) return <p class="empty">No edits yet. They are listed here, by file, as soon as a reply has some.</p>;
  const files = filesOf(turn, turn.plan, known.current);
  const words = wantedPath.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const listed = files.filter((file) => words.every((word) => (file.path ?? "").toLowerCase().includes(word)));
  const shown = listed.filter((file) => wantedOf(file, turn.state, wantedStates.value).length > 0);
  return (
    <div class="review" style={{ "--review-top": `${head}px` }}>
      <h2 class="spoken">Review</h2>
      <div class="review-top" ref={top}>
        {withEdits.length > 1 && <TurnChoice turns={withEdits} chosen={turn} />}
        <StateFilter turn={turn} />
        {layout}
        <CommentActs turn={turn} />
        {turn.state === "running" && (
          <Button icon="stop" keys="Ctrl+." onClick={() => void cancel(turn.id)}>
            Stop the model
          </Button>
        )}
        {turn.plan !== null && <PlanActs turn={turn} plan={turn.plan} inPanel />}
      </div>
      <ReviewTree turn={turn} files={files} />
      <div class="review-files" ref={list}>
        {!isOver(turn.state) && <FailedPart turn={turn} inPanel />}
        <Offers turn={turn} />
        {shown.length === 0 && turn.edits.length > 0 && <p class="empty">No edit is like that. Take the filter away to see all.</p>}
        {shown.map((file) => (
          <ReviewFile key={file.path ?? ""} turn={turn.id} state={turn.state} file={file} comments={turn.comments} split={split} />
        ))}
        {turn.plan !== null && turn.plan.shell_suggestions.length > 0 && (
          <section class="suggestions" aria-label="Suggested commands">
            <h3>Suggested commands</h3>
            <p class="muted">Dovetail runs none of them.</p>
            {turn.plan.shell_suggestions.map((suggestion, n) => (
              <Command key={n} command={suggestion.command} />
            ))}
          </section>
        )}
      </div>
    </div>
  );
}

/** Who opens the review is led to the edit that it was at, else to the first that is undecided. */
function beginAt(turn: Turn | undefined): void {
  if (turn === undefined || document.activeElement?.closest(".review") != null) return;
  const all = [...document.querySelectorAll<HTMLElement>(".review .edit-bar")];
  const here = all.find((bar) => at.value !== null && bar.id === barId(at.value.turn, at.value.n));
  const first = here ?? all.find((bar) => ["fits", "failed"].includes(bar.dataset["state"] ?? "")) ?? all[0];
  if (first !== undefined) goToBar(first);
}

/** How large an element is, whenever that changes. */
function useSize(element: { readonly current: HTMLElement | null }): { readonly width: number; readonly height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const box = element.current;
    if (box === null) return;
    const watch = new ResizeObserver(() => setSize({ width: box.clientWidth, height: box.offsetHeight }));
    watch.observe(box);
    return () => watch.disconnect();
  }, [element.current]);
  return size;
}

function TurnChoice({ turns: all, chosen }: { turns: readonly Turn[]; chosen: Turn }): JSX.Element {
  return (
    <label class="field inline turn-choice">
      <span>Turn</span>
      <select value={chosen.id} onChange={(event) => (reviewed.value = event.currentTarget.value)}>
        {[...all].reverse().map((turn) => (
          <option key={turn.id} value={turn.id}>
            {clock(turn.time)} {turn.request === null ? "Pasted reply" : spelled(turn.request.slice(0, 60))}
          </option>
        ))}
      </select>
    </label>
  );
}

/** How many edits are in which state; a press shows those alone. */
function StateFilter({ turn }: { turn: Turn }): JSX.Element {
  const now = wantedStates.value;
  const toggle = (state: string): void => {
    const next = new Set(now);
    if (!next.delete(state)) next.add(state);
    wantedStates.value = next;
  };
  const noted = turn.edits.filter((edit) => edit.state !== "superseded" && isNoted(edit)).length;
  const counts: readonly (readonly [string, JSX.Element])[] = [
    ...countStates(turn).map(({ state, text }) => [state, <Badge key={state} state={state} text={text} />] as const),
    ...(noted > 0 ? [["noted", <span key="noted">{count(noted, "note")}</span>] as const] : []),
  ];
  const gone = [...now].filter((state) => counts.every(([other]) => other !== state));
  return (
    <div class="state-filter" role="group" aria-label="Show only edits that">
      {counts.map(([state, badge]) => (
        <button key={state} type="button" class="badge-button" aria-pressed={now.has(state)} onClick={() => toggle(state)}>
          {badge}
        </button>
      ))}
      {(now.size > 0 || gone.length > 0) && (
        <Button look="quiet" icon="cross" onClick={() => (wantedStates.value = new Set())}>
          Show all
        </Button>
      )}
    </div>
  );
}

/** What becomes of the comments that were written here: the model gets them, or whoever one takes them to. */
function CommentActs({ turn }: { turn: Turn }): JSX.Element | null {
  const all = turn.comments.filter((one) => one.round === null);
  if (all.length === 0) return null;
  if (!modelReady.value) {
    return (
      <CopyButton text={() => withComments("", all)} what="the comments">
        Copy {count(all.length, "comment")}
      </CopyButton>
    );
  }
  return (
    <Button icon="send" disabled={running.value !== null} onClick={() => void sendComments(turn.id)}>
      Send {count(all.length, "comment")}
    </Button>
  );
}

/** The files as a tree, each with its counts and a box for all its edits. In a narrow window it is opened when it is wanted. */
function ReviewTree({ turn, files }: { turn: Turn; files: readonly ReviewedFile[] }): JSX.Element {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const named = files.flatMap((file) => (file.path === null ? [] : [file.path])).sort();
  const rows = visibleRows(buildTree(named), foldersOf(named), wantedPath.value);
  const wide = !window.matchMedia("(max-width: 900px)").matches; // only where that changes is it opened or closed
  return (
    <nav class="review-tree" aria-label="Changed files">
      <details open={wide}>
        <summary>{count(files.length, "file")}</summary>
        {files.length > 1 && (
          <input
            class="filter"
            type="search"
            placeholder="Filter files"
            aria-label="Filter files"
            value={wantedPath.value}
            onInput={(event) => (wantedPath.value = event.currentTarget.value)}
          />
        )}
        <ul>
          {rows.map((row) => {
            const file = row.folder ? undefined : byPath.get(row.path);
            const failed = file?.edits.filter((edit) => edit.state === "failed").length ?? 0;
            return (
              <li key={`${row.folder} ${row.path}`} class={`tree-row depth-${Math.min(row.depth, 8)} ${file !== undefined && isViewed(turn.id, file) ? "viewed" : ""}`}>
                {file === undefined ? <Icon name="folder" /> : <FileTakesPart turn={turn} edits={file.edits} name={`All edits of ${spelled(row.path)}`} />}
                {file === undefined ? (
                  <span class="tree-name">
                    <Visible text={row.name} />
                  </span>
                ) : (
                  <button type="button" class="tree-name" title={spelled(row.path)} onClick={() => goToFile(turn.id, file)}>
                    <Visible text={row.name} />
                  </button>
                )}
                {failed > 0 && (
                  <span class="tree-failed">
                    <Badge state="failed" text={String(failed)} />
                    <Spoken> failed</Spoken>
                  </span>
                )}
                {file?.file != null && <Amounts file={file.file} />}
              </li>
            );
          })}
        </ul>
      </details>
    </nav>
  );
}
