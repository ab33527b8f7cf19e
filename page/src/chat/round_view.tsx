/** One reply: its prose, edits, commands and findings, in their order. */

import type { JSX } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import type { Database, Edit, Item, Round } from "../api/wire";
import { aroundEdits } from "../text/around_edits";
import { count, stepLabel, tokens } from "../text/words";
import { copy } from "../state/actions";
import { findFile } from "../state/store";
import { Button } from "../view/button";
import { Icon } from "../view/icons";
import { memo } from "../view/memo";
import { Prose } from "../view/prose";
import { Visible } from "../view/text";
import { EditCard } from "./edit_card";
import { editsOf } from "./edits_of";

interface Properties {
  readonly turn: string;
  readonly round: Round;
  readonly edits: readonly Edit[];
  readonly live: boolean;
}

export const RoundView = memo(function RoundView({ turn, round, edits, live }: Properties): JSX.Element {
  const byNumber = useMemo(() => new Map(edits.map((edit) => [edit.n, edit])), [edits]);
  const items = useMemo(() => aroundEdits(round.items, byNumber), [round.items, byNumber]);
  const files = findFile.value;
  const fileOf = useCallback((word: string) => round.mentions[word] ?? files(word), [round.mentions, files]);
  return (
    <div class={`round step-${round.step}`}>
      {round.step !== "paste" && <RoundHead round={round} />}
      {round.reasoning !== "" && (
        <details class="reasoning">
          <summary>Reasoning</summary>
          <Prose text={round.reasoning} fileOf={fileOf} />
        </details>
      )}
      {runsOf(items).map((run, n) => (
        <ItemRun key={n} turn={turn} items={run} edits={editsOf(run, byNumber)} live={live} fileOf={fileOf} />
      ))}
      {shownTail(round, byNumber) && (
        <p class="tail" dir="auto">
          <Visible text={round.tail.slice(-2000)} />
        </p>
      )}
      {round.truncated && (
        <p class="turn-note error">
          <Icon name="warn" /> The reply was cut off by its length limit.
        </p>
      )}
    </div>
  );
});

const RUN = 16;
const runs = new WeakMap<Item, readonly Item[]>();

/** The items a few at a time, each run the same value as long as its items are: what stands still is not looked at. */
function runsOf(items: readonly Item[]): (readonly Item[])[] {
  const cut: (readonly Item[])[] = [];
  for (let at = 0; at < items.length; at += RUN) {
    const run = items.slice(at, at + RUN);
    const known = runs.get(run[0]!);
    const same = known?.length === run.length && known.every((item, n) => item === run[n]);
    if (!same) runs.set(run[0]!, run);
    cut.push(same ? known : run);
  }
  return cut;
}

interface RunProperties {
  readonly turn: string;
  readonly items: readonly Item[];
  readonly edits: readonly Edit[];
  readonly live: boolean;
  readonly fileOf: (word: string) => string | null;
}

const ItemRun = memo(function ItemRun({ turn, items, edits, live, fileOf }: RunProperties): JSX.Element {
  const byNumber = new Map(edits.map((edit) => [edit.n, edit]));
  return (
    <>
      {items.map((item, n) => (
        <ItemView
          key={item.k === "edit" ? `edit-${item.n}` : n}
          item={item}
          turn={turn}
          edit={item.k === "edit" ? byNumber.get(item.n) : undefined}
          live={live}
          fileOf={fileOf}
        />
      ))}
    </>
  );
});

/** The unfinished line is shown as prose, unless it belongs to an edit or opens one. */
function shownTail(round: Round, byNumber: ReadonlyMap<number, Edit>): boolean {
  const last = round.items.at(-1);
  if (last?.k === "edit" && byNumber.get(last.n)?.state === "arriving") return false;
  return round.tail.trim() !== "" && !/^\s*(`{2,}|~{3,}|[<>=«»═🟧🟨🟩*+-]{3,})/u.test(round.tail);
}

function RoundHead({ round }: { round: Round }): JSX.Element {
  return (
    <header class="round-head">
      <h3>{stepLabel(round.step)}</h3>
      {round.repairs.length > 0 && <span>of {count(round.repairs.length, "edit")}</span>}
      {round.model !== null && (
        <span class="model">
          <Visible text={round.model} />
        </span>
      )}
      {round.tokens > 0 && <span title="Estimated tokens sent">{tokens(round.tokens)} tokens</span>}
      {round.message !== null && (
        <details class="told">
          <summary>What the model was told</summary>
          <pre tabIndex={0} role="group" aria-label="What the model was told">
            <Visible text={round.message} />
          </pre>
        </details>
      )}
    </header>
  );
}

interface ItemProperties {
  readonly item: Item;
  readonly turn: string;
  readonly edit: Edit | undefined;
  readonly live: boolean;
  readonly fileOf: (word: string) => string | null;
}

const ItemView = memo(function ItemView({ item, turn, edit, live, fileOf }: ItemProperties): JSX.Element | null {
  switch (item.k) {
    case "text":
      return item.text.trim() === "" ? null : <Prose text={item.text} fileOf={fileOf} />;
    case "edit":
      return edit === undefined ? null : <EditCard turn={turn} edit={edit} live={live} />;
    case "shell":
      return <Command command={item.command} />;
    case "database":
      return <DatabaseCard action={item} />;
    case "diagnostic":
      return (
        <p class={`finding ${item.severity}`}>
          <strong>{item.severity === "error" ? "Error" : item.severity === "warning" ? "Warning" : "Note"}</strong>{" "}
          <Visible text={item.message} /> {item.hint !== null && <Visible text={item.hint} />}
        </p>
      );
    case "artifact":
      return (
        <p class="artifact">
          <Icon name="template" /> <Visible text={item.title === "" ? item.id : item.title} />
        </p>
      );
  }
});

/** A suggested command: to be copied, never run. */
export const Command = memo(function Command({ command }: { command: string }): JSX.Element {
  return (
    <div class="command">
      <Icon name="terminal" />
      <pre dir="ltr" tabIndex={0} role="group" aria-label="Suggested command">
        <Visible text={command} />
      </pre>
      <Button look="quiet" icon="copy" onClick={() => void copy(command, "the command")}>
        Copy
      </Button>
    </div>
  );
});

function DatabaseCard({ action }: { action: Database }): JSX.Element {
  return (
    <div class="command">
      <Icon name="terminal" />
      <div class="database">
        <p>
          Database {action.operation}
          {action.path !== null && (
            <>
              , <Visible text={action.path} />
            </>
          )}
        </p>
        <pre dir="ltr" tabIndex={0} role="group" aria-label="Suggested database statement">
          <Visible text={action.sql} />
        </pre>
      </div>
      <Button look="quiet" icon="copy" onClick={() => void copy(action.sql, "the statement")}>
        Copy
      </Button>
    </div>
  );
}
