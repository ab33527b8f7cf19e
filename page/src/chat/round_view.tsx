/** One reply: its prose, edits, commands and findings, in their order. */

import type { JSX } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import type { Database, Edit, Item, Round } from "../api/wire";
import { aroundEdits, runsOf } from "../text/around_edits";
import { count, stepLabel, tokens } from "../text/words";
import { findFile } from "../state/store";
import { CopyButton } from "../view/copy_button";
import { Icon } from "../view/icons";
import { memo } from "../view/memo";
import { Prose } from "../view/prose";
import { Complaint } from "../view/said";
import { Path, Visible } from "../view/text";
import { EditCard } from "./edit_card";
import { editsOf } from "./edits_of";

interface Properties {
  readonly turn: string;
  readonly round: Round;
  readonly edits: readonly Edit[];
  readonly live: boolean;
  readonly over: boolean;
}

export const RoundView = memo(function RoundView({ turn, round, edits, live, over }: Properties): JSX.Element {
  const byNumber = useMemo(() => new Map(edits.map((edit) => [edit.n, edit])), [edits]);
  const runs = useMemo(() => sameRuns(runsOf(round.items, RUN)), [round.items]);
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
      {runs.map((run, n) => (
        <ItemRun key={n} turn={turn} items={run} first={n === 0} edits={editsOf(run, byNumber)} live={live} over={over} fileOf={fileOf} />
      ))}
      {shownTail(round, byNumber) && (
        <p class={`tail ${inCode(round) ? "code-text" : ""}`} dir={inCode(round) ? "ltr" : "auto"}>
          <Visible text={round.tail.slice(-2000)} />
        </p>
      )}
    </div>
  );
});

const RUN = 16;
const known = new WeakMap<Item, readonly Item[]>();

/** Each run the same value as long as its items are: what stands still is not looked at. */
function sameRuns(runs: readonly (readonly Item[])[]): (readonly Item[])[] {
  return runs.map((run) => {
    const before = known.get(run[0]!);
    if (before?.length === run.length && before.every((item, n) => item === run[n])) return before;
    known.set(run[0]!, run);
    return run;
  });
}

interface RunProperties {
  readonly turn: string;
  readonly items: readonly Item[];
  readonly first: boolean;
  readonly edits: readonly Edit[];
  readonly live: boolean;
  readonly over: boolean;
  readonly fileOf: (word: string) => string | null;
}

const ItemRun = memo(function ItemRun({ turn, items, first, edits, live, over, fileOf }: RunProperties): JSX.Element {
  const byNumber = new Map(edits.map((edit) => [edit.n, edit]));
  const shown = aroundEdits(items, byNumber, !first);
  return (
    <div class="run">
      {shown.map((item, n) => (
        <ItemView
          key={item.k === "edit" ? `edit-${item.n}` : n}
          item={item}
          turn={turn}
          edit={item.k === "edit" ? byNumber.get(item.n) : undefined}
          live={live}
          over={over}
          fileOf={fileOf}
        />
      ))}
    </div>
  );
});

/** The unfinished line is shown as prose, unless it belongs to an edit or opens one. */
function shownTail(round: Round, byNumber: ReadonlyMap<number, Edit>): boolean {
  const last = round.items.at(-1);
  if (last?.k === "edit" && byNumber.get(last.n)?.state === "arriving") return false;
  return round.tail.trim() !== "" && !/^\s*(`{2,}|~{3,}|[<>=«»═🟧🟨🟩*+-]{3,})/u.test(round.tail);
}

/** Whether the unfinished line is one of code, which is drawn as code from its first character on. */
function inCode(round: Round): boolean {
  const last = round.items.at(-1);
  return last?.k === "text" && last.code;
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
          <summary>The message to the model</summary>
          <pre tabIndex={0} role="group" aria-label="The message to the model">
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
  readonly over: boolean;
  readonly fileOf: (word: string) => string | null;
}

const ItemView = memo(function ItemView({ item, turn, edit, live, over, fileOf }: ItemProperties): JSX.Element | null {
  switch (item.k) {
    case "text":
      return item.text.trim() === "" ? null : <Prose text={item.text} fileOf={fileOf} />;
    case "edit":
      return edit === undefined ? null : <EditCard turn={turn} edit={edit} live={live} over={over} />;
    case "shell":
      return <Command command={item.command} />;
    case "database":
      return <DatabaseCard action={item} />;
    case "diagnostic":
      return (
        <p class={`finding ${item.severity}`}>
          <strong>{item.severity === "error" ? "Error" : item.severity === "warning" ? "Warning" : "Note"}</strong>{" "}
          <Complaint {...item} />
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
      <CopyButton look="quiet" text={() => command} what="the command">
        Copy
      </CopyButton>
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
              , <Path path={action.path} />
            </>
          )}
        </p>
        <pre dir="ltr" tabIndex={0} role="group" aria-label="Suggested database statement">
          <Visible text={action.sql} />
        </pre>
      </div>
      <CopyButton look="quiet" text={() => action.sql} what="the statement">
        Copy
      </CopyButton>
    </div>
  );
}
