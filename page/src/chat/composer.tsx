/** Where one writes to the model, or pastes a reply from anywhere else; no model is needed for that. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Settings } from "../api/wire";
import { ask, cancel, paste } from "../state/actions";
import { running, settings } from "../state/store";
import { composing, dialog } from "../state/ui";
import { Button, Segmented } from "../view/button";
import { Icon } from "../view/icons";
import { Visible } from "../view/text";
import { looksLikeReply } from "../text/looks_like_reply";
import { count } from "../text/words";
import { HeldFiles } from "./held_files";

const MODES = [
  { value: "ask", text: "Ask" },
  { value: "paste", text: "Paste a reply" },
] as const;

/** From this length on a pasted text is kept aside, for a field of that size would be slow. */
const LARGE = 60_000;

export function Composer(): JSX.Element {
  const [texts, setTexts] = useState({ ask: "", paste: "" });
  const [format, setFormat] = useState("auto");
  const [large, setLarge] = useState<string | null>(null);
  const mode = composing.value;
  const now = settings.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const text = texts[mode];
  useHeight(field, text);

  const blocked = mode === "ask" && (now?.ready !== true || running.value !== null);
  const whole = mode === "paste" && large !== null ? large + text : text;
  const send = async (): Promise<void> => {
    if (whole.trim() === "" || blocked) return;
    const done = mode === "ask" ? await ask(whole) : await paste(whole, format);
    if (done !== null) {
      setTexts((now) => ({ ...now, [mode]: "" }));
      if (mode === "paste") setLarge(null);
    }
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
        {mode === "paste" && now !== null && <ReadAs settings={now} value={format} onChange={setFormat} />}
      </div>
      {mode === "ask" && now?.problem != null && <NoModel settings={now} />}
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
        onPaste={(event) => {
          const pasted = event.clipboardData?.getData("text/plain") ?? "";
          if (mode !== "paste" || pasted.length < LARGE) return;
          event.preventDefault();
          setLarge(pasted);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void send();
          }
        }}
      />
      {mode === "paste" && large !== null && (
        <p class="attached">
          <Icon name="file" /> {count(large.split("\n").length, "line")} pasted
          <Button look="quiet" icon="cross" label="Take the pasted text out" onClick={() => setLarge(null)} />
        </p>
      )}
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
          <button type="submit" class="button primary" disabled={whole.trim() === "" || blocked}>
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
