/** One turn: what was asked, each reply to it, questions that wait, and the banner that sums it up. */

import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Edit, Question, Turn } from "../api/wire";
import { readAgain } from "../state/actions";
import { settings } from "../state/store";
import { sought } from "../state/ui";
import { clock, count, isOver } from "../text/words";
import { Button } from "../view/button";
import { memo } from "../view/memo";
import { Visible } from "../view/text";
import { editsOf } from "./edits_of";
import { QuestionCard } from "./question_card";
import { RoundView } from "./round_view";
import { TurnEnding } from "./turn_ending";

interface Properties {
  readonly turn: Turn;
  readonly questions: readonly Question[];
  /** Older turns show what came of them, and the rest when asked for. */
  readonly folded: boolean;
}

export const TurnView = memo(function TurnView({ turn, questions, folded }: Properties): JSX.Element {
  const [unfolded, setUnfolded] = useState(false);
  const open = !folded || unfolded || sought.value === turn.id;
  const label = useMemo(() => `${titleOf(turn.kind)}, ${clock(turn.time)}`, [turn.kind, turn.time]);
  return (
    <section class={`turn ${turn.state}`} id={`turn-${turn.id}`} tabIndex={-1} aria-label={label}>
      <Beginning kind={turn.kind} time={turn.time} request={turn.request}>
        {isReadable(turn) && <ReadAgain id={turn.id} />}
      </Beginning>
      {open ? (
        <Replies turn={turn} />
      ) : (
        <Button look="quiet" icon="chevron" onClick={() => setUnfolded(true)}>
          Show the reply{turn.edits.length > 0 ? ` with ${count(turn.edits.length, "edit")}` : ""}
        </Button>
      )}
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
      <TurnEnding turn={turn} asked={questions.length > 0} />
    </section>
  );
});

/** A pasted reply that nothing was written of may be read in another way. */
function isReadable({ kind, state, edits }: Turn): boolean {
  return kind === "paste" && (state === "open" || state === "done") && edits.every((edit) => edit.state !== "written");
}

const ReadAgain = memo(function ReadAgain({ id }: { id: string }): JSX.Element {
  const readings = settings.value?.readings ?? [];
  return (
    <label class="read-as">
      <span class="spoken">Read it as</span>
      <select
        value=""
        onChange={(event) => {
          const format = event.currentTarget.value;
          event.currentTarget.value = "";
          if (format !== "") void readAgain(id, format);
        }}
      >
        <option value="">Read it as…</option>
        {readings.map((name) => (
          <option key={name} value={name}>
            {name === "auto" ? "detect" : name}
          </option>
        ))}
      </select>
    </label>
  );
});

function titleOf(kind: Turn["kind"]): string {
  return kind === "paste" ? "Pasted reply" : "You";
}

interface BeginningProperties extends Pick<Turn, "kind" | "time" | "request"> {
  readonly children: ComponentChildren;
}

/** What stays the same while the reply arrives. */
const Beginning = memo(function Beginning({ kind, time, request, children }: BeginningProperties): JSX.Element {
  return (
    <>
      <header class="turn-head">
        <h2>{titleOf(kind)}</h2>
        <time dateTime={time}>{clock(time)}</time>
        {children}
      </header>
      {request !== null && (
        <div class="request" dir="auto">
          <Visible text={request} />
        </div>
      )}
    </>
  );
});

function Replies({ turn }: { turn: Turn }): JSX.Element {
  const edits = new Map<number, Edit>(turn.edits.map((edit) => [edit.n, edit]));
  const live = turn.state === "open";
  const over = isOver(turn.state);
  return (
    <>
      {turn.rounds.map((round) => (
        <RoundView key={round.index} turn={turn.id} round={round} edits={editsOf(round.items, edits)} live={live} over={over} />
      ))}
    </>
  );
}
