/** Comments between the lines of the review: what was written, and the form for one. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Row } from "../text/diff_rows";
import { changeComment, dropComment, type LineComment } from "../state/comments";
import { Button } from "../view/button";
import { Visible } from "../view/text";

/** On which line a comment is being written; `changes` is one that stands there already. */
export interface Writing {
  readonly line: number;
  readonly side: "old" | "new";
  readonly changes?: LineComment;
}

export function Comment({ turn, comment, answers }: { turn: string; comment: LineComment; answers: readonly number[] }): JSX.Element {
  const [changing, setChanging] = useState(false);
  if (changing) {
    return (
      <CommentForm
        writing={{ line: comment.line, side: comment.side, changes: comment }}
        rows={null}
        onMove={() => undefined}
        onDone={(text) => {
          if (text !== null) changeComment(turn, comment, text);
          setChanging(false);
        }}
      />
    );
  }
  return (
    <div class="line-comment">
      <p dir="auto">
        <Visible text={comment.text} />
        {comment.round !== null && (
          <span class="muted comment-answer">
            {answers.length === 0 ? "Sent to the model." : `The model answered with ${answers.map((n) => `edit ${n}`).join(", ")}.`}
          </span>
        )}
      </p>
      <span class="acts">
        <Button look="quiet" icon="pen" label={`Change the comment on line ${comment.line}`} onClick={() => setChanging(true)} />
        <Button look="quiet" icon="cross" label={`Remove the comment on line ${comment.line}`} onClick={() => dropComment(turn, comment)} />
      </span>
    </div>
  );
}

interface FormProperties {
  readonly writing: Writing;
  /** The lines that it may move to; null where it stays. */
  readonly rows: readonly Row[] | null;
  readonly onMove: (line: number) => void;
  /** With the comment, or null where none is wanted. */
  readonly onDone: (text: string | null) => void;
}

export function CommentForm({ writing, rows, onMove, onDone }: FormProperties): JSX.Element {
  const [text, setText] = useState(writing.changes?.text ?? "");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const done = (): void => onDone(text.trim() === "" ? null : text);
  return (
    <form
      class="line-comment"
      aria-label={`Comment on line ${writing.line}`}
      onSubmit={(event) => {
        event.preventDefault();
        done();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onDone(null);
        } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          done();
        }
      }}
    >
      {rows !== null && (
        <label class="field inline">
          <span>Line</span>
          <input
            type="number"
            value={writing.line}
            onChange={(event) => {
              const line = Number(event.currentTarget.value);
              if (rows.some((row) => row[writing.side] === line)) onMove(line);
            }}
          />
        </label>
      )}
      <textarea
        ref={field}
        rows={2}
        value={text}
        aria-label={`Comment on line ${writing.line}`}
        placeholder="What should the model change here?"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="answers">
        <Button look="quiet" onClick={() => onDone(null)}>
          Cancel
        </Button>
        <Button look="primary" onClick={done}>
          {writing.changes === undefined ? "Add the comment" : "Change the comment"}
        </Button>
      </div>
    </form>
  );
}
