/** What of a reply is no edit and could be one, each with its diff and a yes of its own: listings, and what commands would change. */

import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import type { Diagnostic, Hunk, Turn } from "../api/wire";
import { count } from "../text/words";
import { useListing, writeCommands } from "../state/actions";
import { Button } from "../view/button";
import { DiffTable, rowsOfHunks } from "../view/diff_table";
import { Moved, Path, Visible } from "../view/text";

/** Listings that were put away in this tab. */
const putAway = signal<ReadonlySet<string>>(new Set());

const nameOf = (turn: string, line: number): string => `${turn} ${line}`;

/** The listings that may be asked about, and were not put away. */
function asked({ id, state, plan }: Turn): readonly NonNullable<Turn["plan"]>["listings"][number][] {
  return state === "open" || state === "done" ? (plan?.listings ?? []).filter(({ line }) => !putAway.value.has(nameOf(id, line))) : [];
}

/** Whether a finding is told by the card of a listing. */
export function isAsked(turn: Turn, { code, line }: Diagnostic): boolean {
  return code === "unread" && asked(turn).some((listing) => listing.line === line);
}

/** Whether there is something to say yes to. */
export function offersSomething(turn: Turn): boolean {
  return asked(turn).length > 0 || (turn.state === "open" && turn.plan?.commands != null);
}

export function Offers({ turn }: { turn: Turn }): JSX.Element {
  const commands = turn.state === "open" ? (turn.plan?.commands ?? null) : null;
  return (
    <>
      {commands !== null && (
        <Offer title="What the commands would change">
          <p class="muted">The command itself is not run.</p>
          {(turn.plan?.shell_suggestions ?? []).map(({ command }, n) => (
            <pre key={n} dir="ltr" class="offer-command" tabIndex={0} role="group" aria-label="Command">
              <Visible text={command} />
            </pre>
          ))}
          {commands.files.map((file) => (
            <Changed key={file.path} {...file} />
          ))}
          <div class="answers">
            <Button look="primary" icon="check" onClick={() => void writeCommands(turn)}>
              Write these changes
            </Button>
          </div>
        </Offer>
      )}
      {asked(turn).map((listing) => (
        <Offer key={listing.line} title={<>Use this as <Path path={listing.path} />?</>}>
          <Changed source={null} {...listing} />
          <div class="answers">
            <Button look="quiet" onClick={() => (putAway.value = new Set(putAway.value).add(nameOf(turn.id, listing.line)))}>
              No
            </Button>
            <Button look="primary" onClick={() => void useListing(turn.id, listing.line, listing.path)}>
              Use it
            </Button>
          </div>
        </Offer>
      ))}
    </>
  );
}

function Offer({ title, children }: { title: ComponentChildren; children: ComponentChildren }): JSX.Element {
  return (
    <section class="offer" role="group" aria-label="No edit, but it could be one">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

interface ChangedProperties {
  readonly path: string;
  readonly source: string | null;
  readonly change: string;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
}

function Changed({ path, source, change, added, removed, hunks }: ChangedProperties): JSX.Element {
  return (
    <div class="change">
      <header>
        <Moved source={source} path={path} />
        <span class="amounts">
          <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
        </span>
        {change !== "modified" && change !== "edit" && <span class="tag">{change === "created" ? "new" : change}</span>}
      </header>
      {hunks.length > 0 && <DiffTable rows={rowsOfHunks(hunks)} path={path} label={`${count(added, "line")} added, ${removed} removed`} />}
    </div>
  );
}
