/** The operations of the journal, newest first: what each wrote, and undo of all or of one edit. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import type { FileChange, OperationView } from "../api/answers";
import type { Operation, Result } from "../api/wire";
import { changeLabel, clock, count } from "../text/words";
import { attempt, operationView, redo, undo } from "../state/actions";
import { filesVersion, journal } from "../state/store";
import { Button } from "../view/button";
import { DiffTable, rowsOfHunks } from "../view/diff_table";
import { Icon } from "../view/icons";
import { Path, Spoken, Visible } from "../view/text";

const SHOWN = 100;

export function HistoryPanel(): JSX.Element {
  const operations = useOperations();
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
      {operations.length === 0 && <p class="empty">Nothing was written yet. Every write can be taken back here, byte for byte.</p>}
      <ol class="operations">
        {operations.map((operation) => (
          <li key={operation.id} class={`operation ${operation.state}`}>
            <button
              type="button"
              class="operation-head"
              aria-expanded={open === operation.id}
              onClick={() => setOpen(open === operation.id ? null : operation.id)}
            >
              <span class={`twist ${open === operation.id ? "open" : ""}`}>
                <Icon name="chevron" />
              </span>
              <span class="operation-label">{LABELS[operation.label] ?? operation.label}</span>
              <span class="operation-paths">
                {operation.paths.length === 1 ? <Path path={operation.paths[0]!} /> : count(operation.paths.length, "file")}
              </span>
              {operation.state === "undone" && <span class="tag">undone</span>}
              <time dateTime={operation.time}>{clock(operation.time)}</time>
            </button>
            {open === operation.id && <OperationDetails id={operation.id} />}
          </li>
        ))}
      </ol>
    </div>
  );
}

const LABELS: Readonly<Record<string, string>> = { apply: "Applied", undo: "Undid", redo: "Redid" };

function useOperations(): readonly Operation[] {
  const [operations, setOperations] = useState<readonly Operation[]>([]);
  const version = filesVersion.value;
  useEffect(() => {
    void attempt(() => get<{ operations: Operation[] }>("log", { limit: String(SHOWN) })).then((answer) => {
      if (answer !== null) setOperations(answer.operations);
    });
  }, [version]);
  return operations;
}

function OperationDetails({ id }: { id: string }): JSX.Element | null {
  const [view, setView] = useState<OperationView | null>(null);
  const version = filesVersion.value;
  useEffect(() => {
    void operationView(id).then(setView);
  }, [id, version]);
  if (view === null) return null;
  const undoable = view.operation.state === "done" && view.operation.label !== "undo";
  return (
    <div class="operation-body">
      {undoable && (
        <div class="operation-acts">
          <Button icon="undo" onClick={() => void undo(id)}>
            Undo all of it
          </Button>
        </div>
      )}
      <ResultList view={view} undoable={undoable} />
      {view.changes.map((change) => (
        <ChangeView key={change.path} change={change} />
      ))}
    </div>
  );
}

function ResultList({ view, undoable }: { view: OperationView; undoable: boolean }): JSX.Element | null {
  const written = view.results.filter((result: Result) => result.status === "applied");
  if (written.length < 2) return null;
  return (
    <ul class="operation-edits">
      {written.map((result) => (
        <li key={result.n}>
          <span class="edit-number">#{result.n}</span>
          <Path path={result.path ?? ""} />
          {result.new_start !== null && <span class="muted">line {result.new_start}</span>}
          <span class="spacer" />
          {undoable && (
            <Button look="quiet" onClick={() => void undo(view.operation.id, [result.n])}>
              Undo this edit<Spoken> {result.n}</Spoken>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

export function ChangeView({ change }: { change: FileChange }): JSX.Element {
  const rows = rowsOfHunks(change.hunks);
  return (
    <section class="change" aria-label={change.path}>
      <header>
        <Path path={change.path} /> <span class="tag">{changeLabel(change.change)}</span>
        {change.source !== null && (
          <span class="muted">
            from <Visible text={change.source} />
          </span>
        )}
      </header>
      {rows.length > 0 && <DiffTable rows={rows} path={change.path} label={`What changed in ${change.path}`} />}
    </section>
  );
}
