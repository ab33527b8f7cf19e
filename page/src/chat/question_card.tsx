/** A question that the model's turn waits for. Any tab may answer it. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Question, Turn } from "../api/wire";
import { answer } from "../state/actions";
import { Button } from "../view/button";
import { Path } from "../view/text";
import { PlaceChoice } from "./edit_places";

export function QuestionCard({ question, turn }: { question: Question; turn: Turn }): JSX.Element {
  return (
    <section class="question" role="group" aria-label="A question">
      {question.kind === "add-file" ? <AddFile question={question} /> : <Places question={question} turn={turn} />}
    </section>
  );
}

type Of<K extends Question["kind"]> = Extract<Question, { kind: K }>;

const WHY_ADDED = {
  asked: "The model asks for a file:",
  edited: "The model edits a file that is not in the chat:",
  whole: "The model asks for more of a file that it sees a part of:",
};

function AddFile({ question }: { question: Of<"add-file"> }): JSX.Element {
  const whole = question.why === "whole";
  return (
    <>
      <p>
        {WHY_ADDED[question.why]} <Path path={question.path} />
      </p>
      <div class="answers">
        <Button look="primary" onClick={() => void answer(question.id, true)}>
          {whole ? "Send all of it" : "Add it to the chat"}
        </Button>
        <Button onClick={() => void answer(question.id, false)}>{whole ? "Leave it so" : "Leave it out"}</Button>
      </div>
    </>
  );
}

function Places({ question, turn }: { question: Of<"places">; turn: Turn }): JSX.Element {
  const [chosen, setChosen] = useState<Readonly<Record<string, number>>>({});
  const edits = turn.edits.filter((edit) => question.edits.includes(edit.n));
  const choose = (n: number, line: number | null): void => {
    const { [n]: _, ...others } = chosen;
    setChosen(line === null ? others : { ...others, [n]: line });
  };
  return (
    <>
      <p>Some edits fit several places. Choose the places, or let the model say which.</p>
      {edits.map((edit) => (
        <PlaceChoice
          key={edit.n}
          id={`${question.id}-${edit.n}`}
          edit={edit}
          chosen={chosen[edit.n] ?? null}
          choose={(line) => choose(edit.n, line)}
        >
          Edit {edit.n} {edit.path !== null && <Path path={edit.path} />}
        </PlaceChoice>
      ))}
      <div class="answers">
        <Button look="primary" onClick={() => void answer(question.id, chosen)}>
          Go on
        </Button>
      </div>
    </>
  );
}
