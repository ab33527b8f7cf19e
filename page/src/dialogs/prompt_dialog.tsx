/** What to paste into any chat page, so that its model answers with edits that Dovetail reads. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get, post } from "../api/client";
import { attempt } from "../state/actions";
import { held, settings } from "../state/store";
import { HeldFiles } from "../chat/held_files";
import { CopyButton } from "../view/copy_button";
import { Visible } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { Modal } from "./dialog";

interface Prompt {
  readonly format: string;
  readonly system: string;
  readonly reminder: string;
}

export function PromptDialog(): JSX.Element {
  const now = settings.value;
  const [format, setFormat] = useState(now?.format ?? "diff");
  const prompt = useAnswer(() => attempt(() => get<Prompt>("prompt", { format }), "view"), [format]);
  const holdsFiles = held.value.editable.length + held.value.read_only.length > 0;
  const context = async (): Promise<string | null> =>
    (await attempt(() => post<{ text: string }>("context", { paths: null, map: true })))?.text ?? null;
  return (
    <Modal title="Use another chat page">
      <p class="muted">
        Give its model these instructions and your files, then paste its reply here. This page sends nothing anywhere.
      </p>
      <div class="field">
        <span>Files in the chat</span>
        <HeldFiles />
      </div>
      <label class="field">
        <span>Format</span>
        <select value={format} onChange={(event) => setFormat(event.currentTarget.value)}>
          {(now?.formats ?? [format]).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {prompt !== null && (
        <>
          <pre class="prompt" tabIndex={0} role="group" aria-label="Instructions for the model">
            <Visible text={prompt.system} />
          </pre>
          <div class="answers">
            <CopyButton look="primary" text={() => `${prompt.system}\n\n${prompt.reminder}`.trim()} what="the instructions">
              Copy the instructions
            </CopyButton>
            <CopyButton text={context} what={holdsFiles ? "the files in the chat" : "a map of the folder"}>
              {holdsFiles ? "Copy the chat’s files" : "Copy a map of the folder"}
            </CopyButton>
          </div>
        </>
      )}
    </Modal>
  );
}
