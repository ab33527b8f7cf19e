/** Where one writes to the model, or pastes a reply from anywhere else; no model is needed for that. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem, Settings } from "../api/wire";
import { hold, sendReply, sendRequest } from "../state/actions";
import { comments, dropComment, withComments } from "../state/comments";
import { hasTurns, paths, running, settings } from "../state/store";
import { composing, dialog, readingHere } from "../state/ui";
import { Button, Segmented } from "../view/button";
import { Icon } from "../view/icons";
import { FieldError } from "../view/field_error";
import { Complaint } from "../view/said";
import { Path } from "../view/text";
import { filesLike, wordAt } from "../text/at_file";
import { composes } from "../text/keys";
import { linesOf } from "../text/lines";
import { looksLikeReply } from "../text/looks_like_reply";
import { count } from "../text/words";
import { HeldFiles } from "./held_files";
import { keepTexts, keptTexts } from "./kept_texts";

const MODES = [
  { value: "ask", text: "Ask" },
  { value: "paste", text: "Paste a reply" },
] as const;

/** From this length on a pasted text is kept aside, for a field of that size would be slow. */
const LARGE = 60_000;

const LARGEST = 8_000_000; // characters of a reply that the server reads

/** A text file that is dropped anywhere on the page is a reply to paste. */
function useDroppedFile(take: (text: string) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      const file = event.dataTransfer?.files[0];
      if (file === undefined) return;
      event.preventDefault();
      if (file.size <= LARGEST) void file.text().then((text) => latest.current(text));
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", drop);
    };
  }, []);
}

export function Composer(): JSX.Element {
  const [texts, setTexts] = useState(keptTexts);
  const [format, setFormat] = useState("auto");
  const [large, setLarge] = useState<string | null>(null);
  const [refused, setRefused] = useState<Problem | null>(null);
  const mode = composing.value;
  const now = settings.value;
  const field = useRef<HTMLTextAreaElement>(null);
  const text = texts[mode];
  useHeight(field, text);
  const form = useRef<HTMLFormElement>(null);
  const inside = useInside(form);
  useLayoutEffect(() => keepTexts(texts), [texts]); // before anything else can happen, a reload among it
  useEffect(() => setRefused(null), [mode, text, large, format]);
  useDroppedFile((dropped) => {
    composing.value = "paste";
    const isLarge = dropped.length >= LARGE;
    setLarge(isLarge ? dropped : null);
    setTexts((before) => ({ ...before, paste: isLarge ? "" : dropped }));
    field.current?.focus();
  });

  const blocked = mode === "ask" && (now?.ready !== true || running.value !== null);
  const whole = mode === "paste" && large !== null ? large + text : text;
  const [cursor, setCursor] = useState(-1);
  const naming = mode === "ask" ? wordAt(text, cursor) : null;
  const files = naming === null ? NO_FILES : filesLike(paths.value, naming.word);
  const [pointed, setPointed] = useState(0);
  useEffect(() => setPointed(0), [naming?.word]);
  const name = (path: string): void => {
    if (naming === null) return;
    const before = `${text.slice(0, naming.from)}${path} `;
    setTexts({ ...texts, ask: before + text.slice(cursor) });
    setCursor(-1);
    void hold({ add: [path] });
    requestAnimationFrame(() => field.current?.setSelectionRange(before.length, before.length));
  };
  const sending = useRef(false);
  const send = async (): Promise<void> => {
    if (whole.trim() === "" || blocked || sending.current) return;
    sending.current = true;
    readingHere.value = mode === "paste" ? text : null; // before the turn can come
    const about = mode === "ask" ? comments.peek() : [];
    const sent = mode === "ask" ? sendRequest(withComments(whole, about)) : sendReply(whole, format);
    const problem = await sent.finally(() => (sending.current = false));
    setRefused(problem);
    if (problem !== null) readingHere.value = null;
    if (problem === null) {
      about.forEach((one) => dropComment(one.turn, one));
      setTexts((now) => ({ ...now, [mode]: withoutSent(now[mode], text) }));
      if (mode === "paste") setLarge((now) => (now === large ? null : now));
    }
    if (mode === "ask" || problem !== null) field.current?.focus();
  };
  return (
    <form
      ref={form}
      class={`composer ${mode} ${text === "" && large === null && !inside ? "unused" : ""}`}
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
        {mode === "ask" ? "What the model should do" : "The reply"}
      </label>
      <textarea
        id="composer-text"
        ref={field}
        class={mode === "paste" ? "code-text" : ""}
        rows={2}
        value={text}
        dir="auto"
        aria-describedby={refused === null ? undefined : "composer-refused"}
        spellcheck={mode === "ask"}
        placeholder={mode === "ask" ? "What should change? @ names a file." : "Paste a model’s reply here."}
        aria-autocomplete={mode === "ask" ? "list" : undefined}
        aria-controls={files.length > 0 ? "composer-files" : undefined}
        aria-activedescendant={files.length > 0 ? `composer-file-${pointed}` : undefined}
        onInput={(event) => {
          setTexts({ ...texts, [mode]: event.currentTarget.value });
          setCursor(event.currentTarget.selectionStart);
        }}
        onBlur={() => setCursor(-1)}
        onPaste={(event) => {
          const pasted = event.clipboardData?.getData("text/plain") ?? "";
          if (mode !== "paste" || pasted.length < LARGE) return;
          event.preventDefault();
          setLarge(whole + pasted);
          setTexts({ ...texts, paste: "" });
        }}
        onKeyDown={(event) => {
          const act = files.length === 0 || composes(event) ? undefined : NAMING_KEYS[event.key];
          if (act !== undefined && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            act({ files, pointed, setPointed, name, close: () => setCursor(-1) });
          } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !composes(event)) {
            event.preventDefault();
            void send();
          }
        }}
      />
      {files.length > 0 && (
        <ul id="composer-files" class="composer-files" role="listbox" aria-label="Files">
          {files.map((path, n) => (
            <li
              key={path}
              id={`composer-file-${n}`}
              role="option"
              aria-selected={n === pointed}
              onMouseDown={(event) => {
                event.preventDefault(); // the field keeps the focus
                name(path);
              }}
            >
              <Path path={path} />
            </li>
          ))}
        </ul>
      )}
      {mode === "ask" && comments.value.length > 0 && (
        <p class="composer-hint">{count(comments.value.length, "comment")} on lines of the review will be sent with it.</p>
      )}
      {mode === "paste" && large !== null && (
        <p class="attached">
          <Icon name="file" /> {count(linesOf(large).length, "line")} pasted
          <Button look="quiet" icon="cross" label="Remove the pasted text" onClick={() => setLarge(null)} />
        </p>
      )}
      <FieldError id="composer-refused" problem={refused} />
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
        {hasTurns.value && (mode === "paste" || now?.ready === false) && (
          <Button look="quiet" icon="terminal" keys="c" onClick={() => (dialog.value = "prompt")}>
            Use another chat page
          </Button>
        )}
        <button type="submit" class="button primary" disabled={whole.trim() === "" || blocked}>
          {mode === "ask" ? "Ask" : "Read"}
        </button>
      </div>
    </form>
  );
}

const NO_FILES: readonly string[] = [];

interface Naming {
  readonly files: readonly string[];
  readonly pointed: number;
  readonly setPointed: (n: number) => void;
  readonly name: (path: string) => void;
  readonly close: () => void;
}

/** The keys of the list of files, while one names one. */
const NAMING_KEYS: Readonly<Record<string, (naming: Naming) => void>> = {
  ArrowDown: ({ files, pointed, setPointed }) => setPointed((pointed + 1) % files.length),
  ArrowUp: ({ files, pointed, setPointed }) => setPointed((pointed + files.length - 1) % files.length),
  Enter: ({ files, pointed, name }) => name(files[pointed]!),
  Tab: ({ files, pointed, name }) => name(files[pointed]!),
  Escape: ({ close }) => close(),
};

/** What was typed while the text before it was on its way stays. */
function withoutSent(now: string, sent: string): string {
  return now.startsWith(sent) ? now.slice(sent.length) : now;
}

function ReadAs({ settings, value, onChange }: { settings: Settings; value: string; onChange: (v: string) => void }): JSX.Element {
  return (
    <label class="read-as">
      <span>Read it as</span>
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
      {settings.problem !== null && <Complaint {...settings.problem} />}{" "}
      <Button look="quiet" onClick={() => (dialog.value = "settings")}>
        Settings
      </Button>
    </p>
  );
}

/**
 * Whether one is in the composer. A press takes the focus when it begins; one has left only when it ended, since what is
 * pressed would move away otherwise.
 */
function useInside(form: { readonly current: HTMLFormElement | null }): boolean {
  const [inside, setInside] = useState(false);
  useEffect(() => {
    const look = (): void => setInside(form.current?.contains(document.activeElement) ?? false);
    let pressed = false;
    const press = (): void => void (pressed = true);
    const enter = (): void => {
      if (form.current?.contains(document.activeElement) === true) setInside(true);
      else if (!pressed) look();
    };
    const later = (): void => {
      pressed = false;
      setTimeout(look);
    };
    document.addEventListener("pointerdown", press);
    document.addEventListener("focusin", enter);
    document.addEventListener("click", later);
    document.addEventListener("keyup", later);
    return () => {
      document.removeEventListener("pointerdown", press);
      document.removeEventListener("focusin", enter);
      document.removeEventListener("click", later);
      document.removeEventListener("keyup", later);
    };
  }, [form]);
  return inside;
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
