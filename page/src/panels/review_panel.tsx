/** All that is left to decide of a turn, by file, before anything is written: all of it, a file, or an edit at a time. */

import type { JSX } from "preact";
import type { Edit, Plan, PlanFile, Turn } from "../api/wire";
import { fileOf, nameAfter } from "../text/renames";
import { changeLabel, clock, count, isOver, shownState, tierLabel } from "../text/words";
import { spelled } from "../text/visible";
import { apply } from "../state/actions";
import { turns } from "../state/store";
import { reviewed, show } from "../state/ui";
import { Amounts, Conflicts, CountList, PlanActs, Waiting } from "../chat/banner";
import { Badge, Match } from "../chat/edit_head";
import { FailedPart } from "../chat/failed_part";
import { goToEdit } from "../chat/go_to_edit";
import { Command } from "../chat/round_view";
import { TakesPart } from "../chat/takes_part";
import { Button } from "../view/button";
import { Moved, Spoken, Visible } from "../view/text";

export function ReviewPanel(): JSX.Element {
  const withEdits = turns.value.filter((turn) => turn.plan !== null && turn.edits.length > 0);
  const turn = withEdits.find((one) => one.id === reviewed.value) ?? withEdits.at(-1);
  if (turn === undefined || turn.plan === null) {
    return <p class="empty">No edits yet. They are listed here, by file, as soon as a reply has some.</p>;
  }
  return (
    <div class="review">
      {withEdits.length > 1 && <TurnChoice turns={withEdits} chosen={turn} />}
      <div class="review-top">
        <CountList turn={turn} />
        <PlanActs turn={turn} plan={turn.plan} inPanel />
      </div>
      {!isOver(turn.state) && (
        <>
          <FailedPart turn={turn} />
          <Waiting plan={turn.plan} />
          <Conflicts turn={turn} plan={turn.plan} />
        </>
      )}
      {groups(turn, turn.plan).map((group) => (
        <FileGroup key={group.path ?? ""} turn={turn} group={group} />
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

interface Group {
  readonly path: string | null;
  readonly file: PlanFile | null;
  readonly edits: readonly Edit[];
}

/** The edits under the file that each goes to, in the reply's order. */
function groups(turn: Turn, plan: Plan): Group[] {
  const byPath = new Map<string | null, Edit[]>();
  for (const edit of turn.edits) {
    if (edit.state === "superseded") continue;
    const path = edit.path === null ? null : nameAfter(turn, edit.path);
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, [edit]);
    else known.push(edit);
  }
  return [...byPath].map(([path, edits]) => ({
    path,
    edits,
    file: fileOf(plan, path),
  }));
}

function FileGroup({ turn, group }: { turn: Turn; group: Group }): JSX.Element {
  const { path, file, edits } = group;
  const ready = edits.filter((edit) => edit.state === "ready");
  const title = `review-${turn.id}-${edits[0]?.n ?? 0}`;
  return (
    <section class="file-group" tabIndex={-1} aria-labelledby={title}>
      <header>
        <h3 id={title}>
          {path === null ? (
            "No file"
          ) : (
            <button type="button" class="path-button" onClick={() => open(turn, group)}>
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
      <ul>
        {edits.map((edit) => (
          <EditLine key={edit.n} turn={turn} edit={edit} />
        ))}
      </ul>
    </section>
  );
}

function open(turn: Turn, { path, file, edits }: Group): void {
  if (path === null) return;
  const written = edits.some((edit) => edit.state === "applied");
  if (file !== null || written) show({ kind: "turn", turn: turn.id, path, n: null });
  else show({ kind: "file", path, line: edits[0]?.result?.start ?? null });
}

function EditLine({ turn, edit }: { turn: Turn; edit: Edit }): JSX.Element {
  const name = `Edit ${edit.n}${edit.result?.tier != null ? `, ${tierLabel(edit.result)}` : ""}`;
  return (
    <li class={`edit-line ${edit.state}`}>
      <TakesPart turn={turn} edit={edit} name={name} />
      <button type="button" class="line-link" onClick={() => goToEdit(turn.id, edit.n)}>
        <span class="edit-number">#{edit.n}</span>
        <Badge state={shownState(edit, isOver(turn.state))} />
        <span class="line-text">
          <Visible text={firstChange(edit)} />
        </span>
      </button>
      <Match edit={edit} />
    </li>
  );
}

/** The first line that the edit changes, to know it by. */
function firstChange(edit: Edit): string {
  for (const hunk of edit.hunks ?? edit.diff ?? []) {
    const line = hunk.lines.find((one) => one.s !== " " && one.t.trim() !== "");
    if (line !== undefined) return `${line.s === "-" ? "−" : line.s} ${line.t.trim().slice(0, 120)}`;
  }
  return edit.preview.split("\n")[0]?.trim() ?? "";
}
