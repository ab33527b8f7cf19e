/**
 * The sum of a turn: what failed, what waits, in which files; and the bar that counts its edits and acts on them.
 *
 * The bar stays at the lower edge while its turn is on screen; the review panel keeps the same values.
 */

import type { ComponentChildren, JSX } from "preact";
import type { Plan, PlanFile, Turn } from "../api/wire";
import { writtenFiles } from "../text/renames";
import { count, countStates, isOver } from "../text/words";
import { apply, decline, hold, reopen } from "../state/actions";
import { recordedOf } from "../state/recorded";
import { panel, reviewed, show } from "../state/ui";
import { Button } from "../view/button";
import { memo } from "../view/memo";
import { Moved, Path } from "../view/text";
import { Badge } from "./edit_head";
import { FailedPart } from "./failed_part";

/** The counts that are not zero, each with its sign. */
export function CountList({ turn }: { turn: Turn }): JSX.Element {
  return (
    <ul class="counts">
      {countStates(turn).map(({ state, text }) => (
        <li key={state} class={state}>
          <Badge state={state} text={text} />
        </li>
      ))}
    </ul>
  );
}

export const Banner = memo(function Banner({ turn }: { turn: Turn }): JSX.Element | null {
  const { plan } = turn;
  if (plan === null) return null;
  return (
    <section class="banner" role="group" aria-label="Summary of the edits">
      {!isOver(turn.state) && (
        <>
          <FailedPart turn={turn} />
          <Waiting plan={plan} />
          <Conflicts turn={turn} plan={plan} />
        </>
      )}
      <FileLinks turn={turn} plan={plan} />
    </section>
  );
});

/** The bar that tells the state of a turn, and what can be done with all of its edits. */
export function TurnBar({ turn, plan }: { turn: Turn; plan: Plan }): JSX.Element {
  return (
    <div class="banner-bar" tabIndex={-1} role="group" aria-label="What to do with the edits">
      <CountList turn={turn} />
      <PlanActs turn={turn} plan={plan} />
    </div>
  );
}

/** What can be done with all that is left of a turn. */
export function PlanActs({ turn, plan, inPanel = false }: { turn: Turn; plan: Plan; inPanel?: boolean }): JSX.Element {
  const open = turn.state === "open";
  const review = (): void => {
    reviewed.value = turn.id;
    recordedOf.value = null;
    panel.value = "review";
  };
  const ready = plan.counts.fits;
  return (
    <div class="plan-acts">
      {open && ready + plan.counts.failed > 0 && (
        <Button look="quiet" onClick={() => void decline(turn.id)}>
          Discard
        </Button>
      )}
      {turn.state === "declined" && (
        <>
          <span class="muted">Discarded.</span>
          <Button look="quiet" onClick={() => void reopen(turn.id)}>
            Think again
          </Button>
        </>
      )}
      {!inPanel && (
        <Button icon="list" keys="v" onClick={review}>
          Review
        </Button>
      )}
      {open && ready > 0 && (
        <Button look="primary" icon="check" keys="Shift+A" onClick={() => void apply(turn)}>
          Apply {count(ready, "edit")}
        </Button>
      )}
    </div>
  );
}

function FileLinks({ turn, plan }: { turn: Turn; plan: Plan }): JSX.Element | null {
  const planned = new Set(plan.files.map((file) => file.path));
  const others = writtenFiles(turn).filter((path) => !planned.has(path));
  if (plan.files.length + others.length === 0) return null;
  return (
    <ul class="file-links" aria-label="Files">
      {plan.files.map((file) => (
        <FileLink key={file.path} turn={turn.id} path={file.path} source={file.source}>
          <Amounts file={file} />
        </FileLink>
      ))}
      {others.map((path) => (
        <FileLink key={path} turn={turn.id} path={path} source={null}>
          <span class="muted">written</span>
        </FileLink>
      ))}
    </ul>
  );
}

interface LinkProperties {
  readonly turn: string;
  readonly path: string;
  readonly source: string | null;
  readonly children: ComponentChildren;
}

function FileLink({ turn, path, source, children }: LinkProperties): JSX.Element {
  return (
    <li>
      <button type="button" class="chip" onClick={() => show({ kind: "turn", turn, path, n: null })}>
        <Moved source={source} path={path} />
        {children}
      </button>
    </li>
  );
}

/** How many lines come and go; nothing of a file that only gets another name. */
export function Amounts({ file: { change, added, removed } }: { file: PlanFile }): JSX.Element | null {
  if (change === "renamed" && added + removed === 0) return null;
  return (
    <span class="amounts">
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  );
}

/** Files that the edits want and the chat does not hold. */
export function Waiting({ plan }: { plan: Plan }): JSX.Element | null {
  if (plan.waiting.length === 0) return null;
  return (
    <ul class="waiting-files" aria-label="Files that are not in the chat">
      {plan.waiting.map((path) => (
        <li key={path}>
          <span>
            <Path path={path} /> is not in the chat, so its edits wait.
          </span>
          <Button onClick={() => void hold({ add: [path] })}>Add it</Button>
        </li>
      ))}
    </ul>
  );
}

/** Files that were changed since the model saw them, on the lines that its edits change. */
export function Conflicts({ turn, plan }: { turn: Turn; plan: Plan }): JSX.Element | null {
  if (plan.conflicts.length === 0) return null;
  return (
    <ul class="waiting-files conflicts" aria-label="Conflicts">
      {plan.conflicts.map((path) => (
        <li key={path}>
          <span>
            <Path path={path} /> has changed since the model saw it, on the same lines.
          </span>
          <Button onClick={() => show({ kind: "conflict", turn: turn.id, path })}>Resolve it</Button>
        </li>
      ))}
    </ul>
  );
}
