/** What to paste into any chat page, so that its model answers with edits that Dovetail reads. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, post } from "../api/client";
import { attempt, copy } from "../state/actions";
import { settings } from "../state/store";
import { tokens } from "../text/words";
import { Button } from "../view/button";
import { Visible } from "../view/text";
import { Modal } from "./dialog";

interface Prompt {
  readonly format: string;
  readonly system: string;
  readonly reminder: string;
}

export function PromptDialog(): JSX.Element {
  const now = settings.value;
  const [format, setFormat] = useState(now?.format ?? "diff");
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  useEffect(() => {
    void attempt(() => get<Prompt>("prompt", { format })).then(setPrompt);
  }, [format]);
  const context = async (): Promise<void> => {
    const made = await attempt(() => post<{ text: string; tokens: number }>("context", { paths: null, map: true }));
    if (made !== null) await copy(made.text, `the files in the chat, about ${tokens(made.tokens)} tokens`);
  };
  return (
    <Modal title="Use another chat page">
      <p class="muted">
        Give its model these instructions and your files, then paste its reply here. Nothing is sent anywhere by this page.
      </p>
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
            <Button look="primary" icon="copy" onClick={() => void copy(`${prompt.system}\n\n${prompt.reminder}`.trim(), "the instructions")}>
              Copy the instructions
            </Button>
            <Button icon="copy" onClick={() => void context()}>
              Copy the chat’s files
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}
