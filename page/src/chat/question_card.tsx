/** A question about a file that the model's turn waits for. Any tab may answer it. */

import type { JSX } from "preact";
import type { Question } from "../api/wire";
import { answer } from "../state/actions";
import { Button } from "../view/button";
import { Path } from "../view/text";

const WHY_ADDED = {
  asked: "The model asks for a file:",
  edited: "The model edits a file that is not in the chat:",
  whole: "The model asks for more of a file that it sees a part of:",
};

export function QuestionCard({ question }: { question: Question }): JSX.Element {
  const whole = question.why === "whole";
  return (
    <section class="question" role="group" aria-label="A question">
      <p>
        {WHY_ADDED[question.why]} <Path path={question.path} />
      </p>
      <div class="answers">
        <Button look="primary" onClick={() => void answer(question.id, true)}>
          {whole ? "Send all of it" : "Add it to the chat"}
        </Button>
        <Button onClick={() => void answer(question.id, false)}>{whole ? "Leave it so" : "Leave it out"}</Button>
      </div>
    </section>
  );
}
