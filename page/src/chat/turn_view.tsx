/** One turn: what was asked, each reply to it, questions that wait, and the banner that sums it up. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Edit, Question, Turn } from "../api/wire";
import { clock, count } from "../text/words";
import { cancel } from "../state/actions";
import { waiting } from "../state/store";
import { Button } from "../view/button";
import { Icon } from "../view/icons";
import { memo } from "../view/memo";
import { Visible } from "../view/text";
import { Banner } from "./banner";
import { editsOf } from "./edits_of";
import { QuestionCard } from "./question_card";
import { RoundView } from "./round_view";

interface Properties {
  readonly turn: Turn;
  readonly questions: readonly Question[];
  /** Older turns show what came of them, and the rest when asked for. */
  readonly folded: boolean;
}

export const TurnView = memo(function TurnView({ turn, questions, folded }: Properties): JSX.Element {
  const [open, setOpen] = useState(!folded);
  useEffect(() => {
    if (folded) setOpen(false);
  }, [folded]);
  const title = turn.kind === "paste" ? "Pasted reply" : "You";
  return (
    <section class={`turn ${turn.state}`} id={`turn-${turn.id}`} aria-label={`${title}, ${clock(turn.time)}`}>
      <header class="turn-head">
        <h2>{title}</h2>
        <time dateTime={turn.time}>{clock(turn.time)}</time>
      </header>
      {turn.request !== null && (
        <div class="request" dir="auto">
          <Visible text={turn.request} />
        </div>
      )}
      {open ? (
        <Replies turn={turn} />
      ) : (
        <Button look="quiet" icon="chevron" onClick={() => setOpen(true)}>
          Show the reply{turn.edits.length > 0 ? ` with ${count(turn.edits.length, "edit")}` : ""}
        </Button>
      )}
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} turn={turn} />
      ))}
      <Ending turn={turn} />
    </section>
  );
});

function Replies({ turn }: { turn: Turn }): JSX.Element {
  const edits = new Map<number, Edit>(turn.edits.map((edit) => [edit.n, edit]));
  const live = turn.state === "open";
  return (
    <>
      {turn.rounds.map((round) => (
        <RoundView key={round.index} turn={turn.id} round={round} edits={editsOf(round.items, edits)} live={live} />
      ))}
      {turn.rounds.length === 0 && turn.state === "running" && <Thinking turn={turn.id} what="Asking the model" />}
    </>
  );
}

function Ending({ turn }: { turn: Turn }): JSX.Element {
  return (
    <>
      {holdsNothing(turn) && (
        <p class="turn-note">No edit was found in this reply. Where it holds one, choose its format and paste it again.</p>
      )}
      {turn.notes.map((note, n) => (
        <p key={n} class="turn-note">
          <Visible text={note.text} /> {note.hint !== null && <Visible text={note.hint} />}
        </p>
      ))}
      {turn.stopped !== null && <StoppedNote turn={turn} />}
      {turn.error !== null && (
        <p class="turn-note error">
          <Icon name="warn" />
          <span>
            <Visible text={turn.error.message} /> {turn.error.hint !== null && <Visible text={turn.error.hint} />}
          </span>
        </p>
      )}
      {turn.state === "running" && <Progress turn={turn} />}
      {turn.state === "cancelled" && <p class="turn-note">Stopped. No file was touched.</p>}
      {turn.edits.length > 0 && turn.plan !== null && <Banner turn={turn} />}
    </>
  );
}

/** Somebody pasted a reply to have it applied, and no edit stood in it. (A model may answer without any.) */
function holdsNothing(turn: Turn): boolean {
  return turn.kind === "paste" && turn.edits.length === 0 && turn.error === null && turn.state !== "running";
}

const STOPPED: Readonly<Record<string, string>> = {
  repeated: "The model failed the same way twice, so it was not asked again.",
  rounds: "Every round of repair was used.",
  silent: "The model sent no further edit.",
  model: "The model could not be asked again.",
  yours: "What failed is yours to decide.",
};

function StoppedNote({ turn }: { turn: Turn }): JSX.Element | null {
  const { stopped } = turn;
  if (stopped === null) return null;
  return (
    <p class="turn-note">
      {STOPPED[stopped.why] ?? ""} <Visible text={stopped.detail} />
    </p>
  );
}

function Progress({ turn }: { turn: Turn }): JSX.Element {
  const wait = waiting.value;
  const again = wait !== null && wait.turn === turn.id;
  return (
    <div class="progress">
      <Thinking
        turn={turn.id}
        what={
          again
            ? `${wait.message} Asking again in ${Math.ceil(wait.seconds)} s (${wait.n} of ${wait.limit})`
            : "The model answers"
        }
      />
      <Button icon="stop" keys="Ctrl+." onClick={() => void cancel(turn.id)}>
        Stop
      </Button>
    </div>
  );
}

function Thinking({ what }: { turn: string; what: string }): JSX.Element {
  return (
    <p class="thinking">
      <span class="pulse" aria-hidden="true" />
      <Visible text={what} />
    </p>
  );
}
