/** A file that changed on the same lines as the reply: both sides, and the merged result to be made by hand. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Conflict } from "../api/answers";
import { attach, type Field, type Shown } from "../editor/lazy";
import { findClashes } from "../text/clashes";
import { count } from "../text/words";
import { conflictOf, resolve } from "../state/actions";
import { turns } from "../state/store";
import { show, type Target } from "../state/ui";
import { Button } from "../view/button";
import { CutPath } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { useTakesFocus } from "./takes_focus";

type ConflictTarget = Extract<Target, { kind: "conflict" }>;

export function ConflictView({ target }: { target: ConflictTarget }): JSX.Element {
  const { turn, path } = target;
  const version = turns.value.find((one) => one.id === turn)?.plan?.version ?? 0;
  const conflict = useAnswer(() => conflictOf(target), [turn, path, version], sameSides);
  if (conflict === null) return <p class="empty">Reading both sides…</p>;
  return <Sides key={`${conflict.digest} ${conflict.merged}`} target={target} conflict={conflict} />;
}

/** Whether what is typed into the one may be used for the other. */
function sameSides(one: Conflict, other: Conflict): boolean {
  return one.digest === other.digest && one.merged === other.merged && one.reply === other.reply;
}

function Sides({ target, conflict }: { target: ConflictTarget; conflict: Conflict }): JSX.Element {
  const { turn } = target;
  const { path, digest } = conflict;
  const [text, setText] = useState(conflict.merged);
  const left = findClashes(text).length;
  const settle = async (choice: "file" | "reply" | "text"): Promise<void> => {
    const done = await resolve(turn, path, choice, digest, choice === "text" ? text : null);
    if (done !== null) show({ kind: "turn", turn, path, n: null });
  };
  return (
    <div class="viewer conflict">
      <div class="viewer-head">
        <h3 class="viewer-path">
          <CutPath path={path} />
        </h3>
        <span class="tag">{left === 0 ? "resolved" : count(left, "conflict left", "conflicts left")}</span>
        <div class="viewer-acts">
          <Button look="quiet" onClick={() => void settle("file")}>
            Keep the file
          </Button>
          <Button look="quiet" onClick={() => void settle("reply")}>
            Take the reply
          </Button>
          <Button look="primary" icon="check" disabled={left > 0} onClick={() => void settle("text")}>
            Use this result
          </Button>
        </div>
      </div>
      <h4 class="conflict-title">Both sides: the file as it is now, and the reply’s version</h4>
      <Both conflict={conflict} />
      <h4 class="conflict-title">The merged result, which you edit</h4>
      <Merged target={target} text={text} onChange={setText} />
    </div>
  );
}

function Both({ conflict }: { conflict: Conflict }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let shown: Shown | null = null;
    let gone = false;
    void attach().then(async (editors) => {
      const { path, file, reply, clashes } = conflict;
      await editors.coloursReady(path);
      if (gone || place.current === null) return;
      const first = clashes[0];
      const lines = first === undefined ? null : ([first.start, first.start] as const);
      shown = editors.diff(place.current, { path, before: file ?? "", after: reply ?? "", mode: "split", lines, place: null });
    });
    return () => {
      gone = true;
      shown?.destroy();
    };
  }, [conflict]);
  return <div class="viewer-place split both" ref={place} />;
}

interface MergedProperties {
  readonly target: ConflictTarget;
  /** What is typed by now: what is shown is what will be used, whenever the field is made. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function Merged({ target, text, onChange }: MergedProperties): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const focus = useTakesFocus(target);
  const now = useRef(text);
  now.current = text;
  const { path } = target;
  useEffect(() => {
    let field: Field | null = null;
    let gone = false;
    void attach().then((editors) => {
      if (gone || place.current === null) return;
      field = editors.conflictField(place.current, { label: `Merged result of ${path}`, path, value: now.current, onChange });
      focus.take(field);
    });
    return () => {
      gone = true;
      focus.leave(place.current);
      field?.destroy();
    };
  }, [target]);
  return <div class="viewer-place merged" ref={place} />;
}
