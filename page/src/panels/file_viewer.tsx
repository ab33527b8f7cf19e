/** A file as it is on disk, opened at a line. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PlainFile } from "../api/answers";
import { attach, type Shown } from "../editor/lazy";
import { count } from "../text/words";
import { lineEnds } from "../text/lines";
import { hold, plainFile } from "../state/actions";
import { filesVersion, held } from "../state/store";
import type { Target } from "../state/ui";
import { Button } from "../view/button";
import { Said } from "../view/said";
import { CutPath } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { useKeptPlace } from "./kept_place";
import { useTakesFocus } from "./takes_focus";

type FileTarget = Extract<Target, { kind: "file" }>;

export function FileViewer({ target }: { target: FileTarget }): JSX.Element {
  const { path } = target;
  const file = useAnswer(() => plainFile(path), [path, filesVersion.value], isSame);
  const inChat = held.value.editable.includes(path) || held.value.read_only.includes(path);
  const ends = lineEnds(file?.text ?? "");
  return (
    <div class="viewer">
      <div class="viewer-head">
        <h3 class="viewer-path">
          <CutPath path={path} />
        </h3>
        {file?.text != null && <span class="muted">{count(file.lines, "line")}</span>}
        {ends !== "" && ends !== "LF" && <span class="tag">{ends}</span>}
        <span class="spacer" />
        {inChat && <span class="muted">in the chat</span>}
        {!inChat && file?.text != null && (
          <Button icon="plus" onClick={() => void hold({ add: [path] })}>
            Add to the chat
          </Button>
        )}
      </div>
      {file === null && <p class="empty">Reading the file…</p>}
      {file !== null && file.text === null && (
        <p class="empty">
          <Said text={file.detail ?? file.problem ?? "It cannot be shown."} />
        </p>
      )}
      {file !== null && file.text !== null && <Text target={target} text={file.text} />}
    </div>
  );
}

function isSame(one: PlainFile, other: PlainFile): boolean {
  return one.digest === other.digest && one.detail === other.detail;
}

function Text({ target, text }: { target: FileTarget; text: string }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const focus = useTakesFocus(target);
  const kept = useKeptPlace(target);
  useEffect(() => {
    let shown: Shown | null = null;
    let gone = false;
    const { path, line } = target;
    void attach().then((editors) => {
      if (gone || place.current === null) return;
      const lines = line === null ? null : ([line, line] as const);
      shown = editors.file(place.current, { path, text, lines, place: kept.place() });
      focus.take(shown);
    });
    return () => {
      gone = true;
      focus.leave(place.current);
      kept.leave(shown);
      shown?.destroy();
    };
  }, [target, text]);
  return <div class="viewer-place plain" ref={place} />;
}
