/** A file as it is on disk, opened at a line. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api/client";
import type { PlainFile } from "../api/answers";
import { attach, type Shown } from "../editor/lazy";
import { count } from "../text/words";
import { lineEnds } from "../text/line_ends";
import { attempt, hold } from "../state/actions";
import { filesVersion, held } from "../state/store";
import { Button } from "../view/button";
import { Visible } from "../view/text";

export function FileViewer({ path, line }: { path: string; line: number | null }): JSX.Element {
  const file = useFile(path);
  const inChat = held.value.editable.includes(path) || held.value.read_only.includes(path);
  const ends = lineEnds(file?.text ?? "");
  return (
    <div class="viewer">
      <header class="viewer-head">
        <h3 class="viewer-path">{path}</h3>
        {file?.text != null && <span class="muted">{count(file.lines, "line")}</span>}
        {ends !== "" && ends !== "LF" && <span class="tag">{ends}</span>}
        <span class="spacer" />
        {inChat ? (
          <span class="muted">in the chat</span>
        ) : (
          <Button icon="plus" onClick={() => void hold({ add: [path] })}>
            Add to the chat
          </Button>
        )}
      </header>
      {file !== null && file.text === null && (
        <p class="empty">
          <Visible text={file.detail ?? file.problem ?? "It cannot be shown."} />
        </p>
      )}
      {file !== null && file.text !== null && <Text path={path} text={file.text} line={line} />}
    </div>
  );
}

function useFile(path: string): PlainFile | null {
  const [file, setFile] = useState<PlainFile | null>(null);
  const version = filesVersion.value;
  useEffect(() => {
    let gone = false;
    void attempt(() => get<PlainFile>("file", { path })).then((answer) => {
      if (!gone && answer !== null) setFile((now) => (now?.digest === answer.digest && now !== null ? now : answer));
    });
    return () => {
      gone = true;
    };
  }, [path, version]);
  return file;
}

function Text({ path, text, line }: { path: string; text: string; line: number | null }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let shown: Shown | null = null;
    let gone = false;
    void attach().then((editors) => {
      if (gone || place.current === null) return;
      shown = editors.file(place.current, path, text, line === null ? null : [line, line]);
      shown.focus();
    });
    return () => {
      gone = true;
      shown?.destroy();
    };
  }, [path, text, line]);
  return <div class="viewer-place plain" ref={place} />;
}
