/** The review: what a reply changes, all files on one page, before anything is written: all of it, a file, or an edit. */

import type { JSX } from "preact";
import type { Edit, Plan, Turn } from "../api/wire";
import { buildTree, foldersOf, visibleRows } from "../text/tree";
import { fileOf, nameAfter } from "../text/renames";
import { clock, count, isOver } from "../text/words";
import { spelled } from "../text/visible";
import { ask, hold } from "../state/actions";
import { comments, withComments } from "../state/comments";
import { modelReady, paths, running, turns } from "../state/store";
import { diffMode, panel, reviewed } from "../state/ui";
import { Amounts, Conflicts, CountList, PlanActs, Waiting } from "../chat/banner";
import { FailedPart } from "../chat/failed_part";
import { Command } from "../chat/round_view";
import { FileTakesPart } from "../chat/takes_part";
import { Button, Segmented } from "../view/button";
import { CopyButton } from "../view/copy_button";
import { Icon } from "../view/icons";
import { Visible } from "../view/text";
import { goToFile, ReviewFile, type ReviewedFile } from "./review_file";

const MODES = [
  { value: "unified", text: "Unified", icon: "rows" },
  { value: "split", text: "Side by side", icon: "columns" },
] as const;

export function ReviewPanel(): JSX.Element {
  const withEdits = turns.value.filter((turn) => turn.plan !== null && turn.edits.length > 0);
  const turn = withEdits.find((one) => one.id === reviewed.value) ?? withEdits.at(-1);
  if (turn === undefined || turn.plan === null) {
    return <p class="empty">No edits yet. They are listed here, by file, as soon as a reply has some.</p>;
  }
  const files = filesOf(turn, turn.plan);
  return (
    <div class="review">
      <h2 class="spoken">Review</h2>
      <div class="review-top">
        {withEdits.length > 1 && <TurnChoice turns={withEdits} chosen={turn} />}
        <CountList turn={turn} />
        <Segmented name="review-mode" label="Layout" value={diffMode.value} choices={MODES} onChange={(mode) => (diffMode.value = mode)} />
        <CommentActs />
        <PlanActs turn={turn} plan={turn.plan} inPanel />
      </div>
      <ReviewTree turn={turn} files={files} />
      <div class="review-files">
        {!isOver(turn.state) && (
          <>
            <FailedPart turn={turn} inPanel />
            <Waiting plan={turn.plan} />
            <Conflicts turn={turn} plan={turn.plan} />
          </>
        )}
        {files.map((file) => (
          <ReviewFile key={file.path ?? ""} turn={turn} file={file} />
        ))}
        {turn.plan.shell_suggestions.length > 0 && (
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

/** The edits under the file that each goes to, in the reply's order. */
function filesOf(turn: Turn, plan: Plan): ReviewedFile[] {
  const byPath = new Map<string | null, Edit[]>();
  for (const edit of turn.edits) {
    if (edit.state === "superseded") continue;
    const path = edit.path === null ? null : nameAfter(turn, edit.path);
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, [edit]);
    else known.push(edit);
  }
  return [...byPath].map(([path, edits]) => ({ path, edits, file: fileOf(plan, path) }));
}

/** What becomes of the comments that were written here: the model gets them, or whoever one takes them to. */
function CommentActs(): JSX.Element | null {
  const all = comments.value;
  if (all.length === 0) return null;
  const send = async (): Promise<void> => {
    const about = [...new Set(all.map((comment) => comment.path))].filter((path) => paths.value.includes(path));
    if (about.length > 0) await hold({ add: about });
    if ((await ask(withComments("", all))) === null) return;
    comments.value = [];
    panel.value = null;
  };
  if (!modelReady.value) {
    return (
      <CopyButton text={() => withComments("", all)} what="the comments">
        Copy {count(all.length, "comment")}
      </CopyButton>
    );
  }
  return (
    <Button icon="send" disabled={running.value !== null} onClick={() => void send()}>
      Send {count(all.length, "comment")}
    </Button>
  );
}

/** The files as a tree, each with its counts and a box for all its edits. */
function ReviewTree({ turn, files }: { turn: Turn; files: readonly ReviewedFile[] }): JSX.Element {
  const named = files.flatMap((file) => (file.path === null ? [] : [file.path])).sort();
  const rows = visibleRows(buildTree(named), foldersOf(named), "");
  return (
    <nav class="review-tree" aria-label="Changed files">
      <ul>
        {rows.map((row) => {
          const file = files.find((one) => one.path === row.path && !row.folder);
          return (
            <li key={`${row.folder} ${row.path}`} class={`tree-row depth-${Math.min(row.depth, 8)}`}>
              {file === undefined ? <Icon name="folder" /> : <FileTakesPart turn={turn} edits={file.edits} name={`All edits of ${spelled(row.path)}`} />}
              {file === undefined ? (
                <span class="tree-name">
                  <Visible text={row.name} />
                </span>
              ) : (
                <button type="button" class="tree-name" title={spelled(row.path)} onClick={() => goToFile(turn, file)}>
                  <Visible text={row.name} />
                </button>
              )}
              {file?.file != null && <Amounts file={file.file} />}
              {file?.edits.some((edit) => edit.state === "failed") === true && <span class="tree-mark failed">fails</span>}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
