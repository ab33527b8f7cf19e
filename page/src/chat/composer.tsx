/** Where one writes to the model, or pastes a reply from anywhere else; no model is needed for that. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Settings } from "../api/wire";
import { ask, cancel, paste } from "../state/actions";
import { running, session } from "../state/store";
import { composing, dialog } from "../state/ui";
import { Button, Segmented } from "../view/button";
import { Visible } from "../view/text";
import { looksLikeReply } from "../text/looks_like_reply";
import { HeldFiles } from "./held_files";

const MODES = [
  { value: "ask", text: "Ask" },
  { value: "paste", text: "Paste a reply" },
] as const;

export function Composer(): JSX.Element {
  const [texts, setTexts] = useState({ ask: "", paste: "" });
  const [format, setFormat] = useState("auto");
  const mode = composing.value;
  const settings = session.value?.settings ?? null;
  const field = useRef<HTMLTextAreaElement>(null);
  const text = texts[mode];
  useHeight(field, text);

  const blocked = mode === "ask" && (settings?.ready !== true || running.value !== null);
  const send = async (): Promise<void> => {
    if (text.trim() === "" || blocked) return;
    const done = mode === "ask" ? await ask(text) : await paste(text, format);
    if (done !== null) setTexts((now) => ({ ...now, [mode]: "" }));
    field.current?.focus();
  };
  return (
    <form
      class={`composer ${mode}`}
      aria-label="Compose"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="composer-top">
        <Segmented name="composing" label="What to send" value={mode} choices={MODES} onChange={(value) => (composing.value = value)} />
        {mode === "ask" && <HeldFiles />}
        {mode === "paste" && settings !== null && <ReadAs settings={settings} value={format} onChange={setFormat} />}
      </div>
      {mode === "ask" && settings?.problem != null && <NoModel settings={settings} />}
      <label class="spoken" for="composer-text">
        {mode === "ask" ? "What the model is to do" : "The reply"}
      </label>
      <textarea
        id="composer-text"
        ref={field}
        class={mode === "paste" ? "code-text" : ""}
        rows={2}
        value={text}
        dir="auto"
        spellcheck={mode === "ask"}
        placeholder={mode === "ask" ? "What should change?" : "Paste a model’s reply here: any edit format."}
        onInput={(event) => setTexts({ ...texts, [mode]: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void send();
          }
        }}
      />
      {mode === "ask" && looksLikeReply(text) && (
        <p class="composer-hint">
          This looks like a reply with edits.{" "}
          <Button
            look="quiet"
            onClick={() => {
              setTexts({ ask: "", paste: text });
              composing.value = "paste";
            }}
          >
            Read it as one
          </Button>
        </p>
      )}
      <div class="composer-foot">
        <span class="keys-hint">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> sends
        </span>
        <span class="spacer" />
        {mode === "ask" && running.value !== null ? (
          <Button icon="stop" keys="Ctrl+." onClick={() => void cancel(running.value ?? "")}>
            Stop
          </Button>
        ) : (
          <button type="submit" class="button primary" disabled={text.trim() === "" || blocked}>
            {mode === "ask" ? "Ask" : "Read"}
          </button>
        )}
      </div>
    </form>
  );
}

function ReadAs({ settings, value, onChange }: { settings: Settings; value: string; onChange: (v: string) => void }): JSX.Element {
  return (
    <label class="read-as">
      <span>Format</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {["auto", ...settings.readings.filter((name) => name !== "auto")].map((name) => (
          <option key={name} value={name}>
            {name === "auto" ? "detect" : name}
          </option>
        ))}
      </select>
    </label>
  );
}

function NoModel({ settings }: { settings: Settings }): JSX.Element {
  return (
    <p class="composer-hint">
      <Visible text={settings.problem?.message ?? ""} /> <Visible text={settings.problem?.hint ?? ""} />{" "}
      <Button look="quiet" onClick={() => (dialog.value = "settings")}>
        Settings
      </Button>
    </p>
  );
}

/** The field grows with its text, up to what the style allows. */
function useHeight(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useEffect(() => {
    const area = field.current;
    if (area === null) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }, [text, field]);
}
