/** The operations of the journal, newest first: what each wrote, and undo of all or of one edit. */

import { Fragment, type JSX } from "preact";
import { useState } from "preact/hooks";
import { get } from "../api/client";
import type { FileChange, Log, LoggedOperation } from "../api/answers";
import type { Result } from "../api/wire";
import { changeLabel, clock, count } from "../text/words";
import { spelled } from "../text/visible";
import { agentSessions, attempt, operationView, redo, undo } from "../state/actions";
import { showRecorded } from "../state/recorded";
import { filesVersion, journal } from "../state/store";
import { Button } from "../view/button";
import { DiffTable, rowsOfHunks } from "../view/diff_table";
import { Icon } from "../view/icons";
import { Moved, Path, Spoken, Visible } from "../view/text";
import { useAnswer } from "../view/use_answer";

const SHOWN = 100;
const NO_LOG: Log = { operations: [], lost: 0 };

export function HistoryPanel(): JSX.Element {
  const log = useLog();
  const { operations, lost } = log ?? NO_LOG;
  const [open, setOpen] = useState<string | null>(null);
  const now = journal.value;
  return (
    <div class="history">
      <div class="review-top">
        <span class="muted">{count(now?.count ?? 0, "operation")}</span>
        <span class="spacer" />
        <Button icon="undo" keys="z" disabled={now?.undo == null} onClick={() => void undo()}>
          Undo
        </Button>
        <Button icon="redo" keys="Shift+Z" disabled={now?.redo !== true} onClick={() => void redo()}>
          Redo
        </Button>
      </div>
      <AgentSessions />
      {lost > 0 && (
        <p class="journal-damaged">
          <strong>Warning</strong> {count(lost, "operation")} cannot be read in the journal. If one of them may be the newest, undo the
          others one by one.
        </p>
      )}
      {log !== null && operations.length === 0 && lost === 0 && <p class="empty">Nothing has been written yet. Every write can be undone here, byte for byte.</p>}
      <ol class="operations">
        {operations.map((operation) => (
          <Fragment key={operation.id}>
            {operation.lost > 0 && <li class="operation-lost">{count(operation.lost, "operation")} that cannot be read</li>}
            <LoggedItem
              operation={operation}
              open={open === operation.id}
              toggle={() => setOpen(open === operation.id ? null : operation.id)}
            />
          </Fragment>
        ))}
      </ol>
    </div>
  );
}

/** The sessions of agents whose changes were recorded, each with its requests; all of them can be reviewed. */
function AgentSessions(): JSX.Element | null {
  const found = useAnswer(agentSessions, [filesVersion.value, journal.value?.count]);
  if (found === null || found.length === 0) return null;
  return (
    <section class="agent-sessions" aria-label="What agents did">
      <h3>What agents did</h3>
      <ul>
        {found.map(({ agent, session, last, paths, requests }) => (
          <li key={`${agent} ${session}`}>
            <details>
              <summary>
                {agent}, {clock(last)}, {count(requests.length, "request")}, {count(paths.length, "file")}
              </summary>
              <ul>
                {requests.map(({ number, words, operations, taken_back: taken }) => (
                  <li key={String(number)}>
                    <button type="button" class="tree-name" title={spelled(words)} onClick={() => showRecorded({ session, prompt: number, since: null })}>
                      {number === null ? "Request not known" : `${number}. `}
                      <Visible text={words} />
                    </button>
                    <span class="muted">
                      {count(operations.length, "change")}
                      {taken > 0 && `, ${taken} taken back`}
                    </span>
                  </li>
                ))}
              </ul>
            </details>
            <Button icon="list" onClick={() => showRecorded({ session, prompt: null, since: null })}>
              Review<Spoken> the session of {agent}</Spoken>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface LoggedProperties {
  readonly operation: LoggedOperation;
  readonly open: boolean;
  readonly toggle: () => void;
}

function LoggedItem({ operation, open, toggle }: LoggedProperties): JSX.Element {
  return (
    <li class={`operation ${operation.state}`} tabIndex={-1}>
      <button type="button" class="operation-head" aria-expanded={open} onClick={toggle}>
        <span class={`twist ${open ? "open" : ""}`}>
          <Icon name="chevron" />
        </span>
        <span class="operation-label">{LABELS[operation.label] ?? operation.tool ?? "Recorded"}</span>
        <span class="operation-paths">
          <Files operation={operation} />
        </span>
        <Undone operation={operation} />
        <time dateTime={operation.time}>{clock(operation.time)}</time>
      </button>
      {open && <OperationDetails id={operation.id} />}
    </li>
  );
}

function Undone({ operation: { state, undone } }: { operation: LoggedOperation }): JSX.Element | null {
  if (state === "undone") return <span class="tag">undone</span>;
  return undone.length === 0 ? null : <span class="tag">{count(undone.length, "edit")} undone</span>;
}

/** The first file that was written, and how many more; a renamed one counts once. */
function Files({ operation: { paths, renamed } }: { operation: LoggedOperation }): JSX.Element {
  const left = new Set(Object.values(renamed));
  const files = paths.filter((path) => !left.has(path));
  const [first] = files;
  if (first === undefined) return <>{count(0, "file")}</>;
  return (
    <>
      <Moved source={renamed[first] ?? null} path={first} />
      {files.length > 1 && ` and ${count(files.length - 1, "more file")}`}
    </>
  );
}

const LABELS: Readonly<Record<string, string>> = { apply: "Applied", undo: "Undid", redo: "Redid" };

function useLog(): Log | null {
  return useAnswer(() => attempt(() => get<Log>("log", { limit: String(SHOWN) }), "view"), [filesVersion.value]);
}

function OperationDetails({ id }: { id: string }): JSX.Element | null {
  const view = useAnswer(() => operationView(id), [id, filesVersion.value]);
  if (view === null) return null;
  const written = view.results.filter((result) => result.status === "written");
  const stands = view.operation.state === "done" && view.operation.label !== "undo";
  return (
    <div class="operation-body">
      {view.operation.agent != null && (
        <p class="operation-origin" title={`Session ${view.operation.session ?? ""}`}>
          <Visible text={origin(view.operation)} />
        </p>
      )}
      {stands && (
        <div class="operation-acts">
          <Button icon="undo" onClick={() => void undo(id)}>
            Undo all of it
          </Button>
        </div>
      )}
      {written.length > 1 && <ResultList operation={view.operation} written={written} stands={stands} />}
      {view.changes.map((change) => (
        <ChangeView key={change.path} change={change} />
      ))}
    </div>
  );
}

/** Who made a change, and at which request. */
function origin({ agent, prompt, request, tool }: LoggedOperation): string {
  const asked = prompt == null ? "" : `, request ${prompt}${request ? `: ${request}` : ""}`;
  return `${tool ?? "An unknown call"} of ${agent ?? "an agent"}${asked}`;
}

interface ResultProperties {
  readonly operation: LoggedOperation;
  readonly written: readonly Result[];
  readonly stands: boolean;
}

function ResultList({ operation, written, stands }: ResultProperties): JSX.Element {
  return (
    <ul class="operation-edits">
      {written.map((result) => (
        <li key={result.n}>
          <span class="edit-number">#{result.n}</span>
          <Path path={result.path ?? ""} />
          {result.new_start !== null && <span class="muted">line {result.new_start}</span>}
          <span class="spacer" />
          {isUndone(operation, result.n) && <span class="tag">undone</span>}
          {stands && !isUndone(operation, result.n) && (
            <Button look="quiet" onClick={() => void undo(operation.id, [result.n])}>
              Undo this edit<Spoken> {result.n}</Spoken>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function isUndone({ state, undone }: LoggedOperation, n: number): boolean {
  return state === "undone" || undone.includes(n);
}

function ChangeView({ change }: { change: FileChange }): JSX.Element {
  const rows = rowsOfHunks(change.hunks);
  return (
    <section class="change" aria-label={spelled(change.path)}>
      <header>
        <Moved source={change.source} path={change.path} /> <span class="tag">{changeLabel(change.change)}</span>
      </header>
      {rows.length > 0 && <DiffTable rows={rows} path={change.path} label={`What changed in ${spelled(change.path)}`} />}
    </section>
  );
}
