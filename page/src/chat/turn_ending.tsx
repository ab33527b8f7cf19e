/** What stands below a turn's replies: how it goes on or ended, what can be done then, and the sum of its edits. */

import type { JSX } from "preact";
import type { Diagnostic, Round, Turn } from "../api/wire";
import { count } from "../text/words";
import { ask, cancel, useArrived } from "../state/actions";
import { modelReady, running, waiting } from "../state/store";
import { Button } from "../view/button";
import { Icon } from "../view/icons";
import { Complaint, Said } from "../view/said";
import { Banner, CountList, TurnBar } from "./banner";
import { cardId } from "./card_id";
import { isAsked, Offers, offersSomething } from "./offers";

/** `asked`: a question to the user is open. */
export function TurnEnding({ turn, asked }: { turn: Turn; asked: boolean }): JSX.Element {
  const unread = notRead(turn).filter((part) => !isAsked(turn, part));
  return (
    <>
      {holdsNothing(turn) && unread.length === 0 && !offersSomething(turn) && (
        <p class="turn-note">No edit was found in this reply. If it has one, choose its format above: “Read it as”.</p>
      )}
      {turn.notes.map((note, n) => (
        <p key={n} class="turn-note">
          <Complaint code={null} message={note.text} hint={note.hint} />
        </p>
      ))}
      {unread.map((part, n) => (
        <p key={n} class="turn-note error">
          <Icon name="warn" />
          <Complaint code={part.code} message={part.message} hint="Have the model send it as an edit, or change the file yourself." />
        </p>
      ))}
      <Offers turn={turn} />
      {turn.edits.some((edit) => edit.state === "failed") && <StoppedNote turn={turn} />}
      {turn.error !== null && turn.state !== "cancelled" && (
        <p class="turn-note error">
          <Icon name="warn" />
          <Complaint {...turn.error} />
        </p>
      )}
      {turn.state === "cancelled" && <p class="turn-note">Stopped. No file was touched.</p>}
      {(turn.state === "cancelled" || turn.state === "failed") && <AfterBreak turn={turn} />}
      {turn.edits.length > 0 && turn.plan !== null && <Banner turn={turn} />}
      {turn.state === "running" ? (
        <Progress turn={turn} asked={asked} />
      ) : (
        turn.edits.length > 0 && turn.plan !== null && <TurnBar turn={turn} plan={turn.plan} />
      )}
    </>
  );
}

/** Somebody pasted a reply to have it applied, and no edit stood in it. (A model may answer without any.) */
function holdsNothing(turn: Turn): boolean {
  return turn.kind === "paste" && turn.edits.length === 0 && turn.error === null && turn.state !== "running";
}

/** The parts of the replies that look like a change and are no edit here, but for those that a note tells of. */
function notRead({ plan, notes }: Turn): readonly Diagnostic[] {
  const parts = plan?.diagnostics.filter(({ code }) => code === "unread") ?? [];
  return parts.filter(({ message }) => notes.every(({ text }) => text !== message));
}

function StoppedNote({ turn }: { turn: Turn }): JSX.Element | null {
  const { stopped } = turn;
  if (stopped === null) return null;
  return (
    <p class="turn-note">
      <Said text={`${stopped.said} ${stopped.detail}`} />
    </p>
  );
}

/** The ways on from a turn that broke off: the same request once more, or the edits that came whole. */
function AfterBreak({ turn }: { turn: Turn }): JSX.Element {
  const { request } = turn;
  const whole = turn.edits.filter((edit) => edit.diff !== null && edit.state !== "draft");
  const again = async (text: string): Promise<void> => {
    if ((await ask(text)) !== null) document.getElementById("composer-text")?.focus();
  };
  const use = async (first: number): Promise<void> => {
    if ((await useArrived(turn.id)) !== null) document.getElementById(cardId(turn.id, first))?.focus({ preventScroll: true });
  };
  return (
    <div class="answers" role="group" aria-label="How to go on">
      {request !== null && (
        <Button icon="again" disabled={!modelReady.value || running.value !== null} onClick={() => void again(request)}>
          Ask again
        </Button>
      )}
      {whole[0] !== undefined && (
        <Button onClick={() => void use(whole[0]!.n)}>Use what arrived ({count(whole.length, "edit")})</Button>
      )}
    </div>
  );
}

/** The bar of a turn that is answered: what goes on, the edits so far, and the way to stop it. */
function Progress({ turn, asked }: { turn: Turn; asked: boolean }): JSX.Element {
  const alone = turn.edits.length === 0 || turn.plan === null;
  return (
    <div class={`banner-bar progress ${alone ? "alone" : ""}`} tabIndex={-1} role="group" aria-label="The model’s turn">
      {asked ? (
        <p class="thinking">
          <Icon name="clock" /> Waits for your answer
        </p>
      ) : (
        <Thinking what={whatGoesOn(turn)} />
      )}
      <CountList turn={turn} />
      <div class="plan-acts">
        <Button icon="stop" keys="Ctrl+." onClick={() => void cancel(turn.id)}>
          Stop
        </Button>
      </div>
    </div>
  );
}

function whatGoesOn(turn: Turn): string {
  const wait = waiting.value;
  if (wait === null || wait.turn !== turn.id) return hasBegun(turn.rounds.at(-1)) ? "The model answers" : "Asking the model";
  return `${wait.message} Asking again in ${Math.ceil(wait.seconds)} s (${wait.n} of ${wait.limit})`;
}

/** Whether something of a reply is there. */
function hasBegun(round: Round | undefined): boolean {
  return round !== undefined && (round.items.length > 0 || round.tail !== "" || round.reasoning !== "");
}

function Thinking({ what }: { what: string }): JSX.Element {
  return (
    <p class="thinking">
      <span class="pulse" aria-hidden="true" />
      <Said text={what} />
    </p>
  );
}
