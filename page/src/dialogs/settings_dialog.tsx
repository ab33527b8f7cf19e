/** How the model is asked and its replies are read, for as long as this server runs. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Settings } from "../api/wire";
import { configure } from "../state/actions";
import { settings } from "../state/store";
import { theme, type Theme } from "../state/ui";
import { Segmented } from "../view/button";
import { Visible } from "../view/text";
import { Modal } from "./dialog";

const THEMES: readonly { readonly value: Theme; readonly text: string }[] = [
  { value: "auto", text: "System" },
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
];

const OCCURRENCES = { unique: "refuse it", first: "take the first exact place" } as const;
const CONFLICTS = {
  refuse: "ask me",
  markers: "write conflict markers",
  ours: "keep the file’s lines",
  theirs: "take the reply’s lines",
} as const;

export function SettingsDialog(): JSX.Element | null {
  const now = settings.value;
  if (now === null) return null;
  return (
    <Modal title="Settings">
      <div class="form">
        {now.problem !== null && (
          <p class="turn-note error">
            <span>
              <Visible text={now.problem.message} /> <Visible text={now.problem.hint ?? ""} />
            </span>
          </p>
        )}
        <Name label="Model" value={now.model} set={(model) => configure({ model })} hint="NAME, or anthropic/NAME" />
        <Name label="Editor model" value={now.editor_model} set={(editor_model) => configure({ editor_model })} hint="The same one" />
        <Select label="Format the model is taught" value={now.format} options={now.formats} set={(format) => configure({ format })} />
        <Select label="Formats replies are read in" value={now.reading} options={now.readings} set={(reading) => configure({ reading })} />
        <Select
          label="An edit that fits several places"
          value={now.occurrence}
          options={Object.keys(OCCURRENCES)}
          words={OCCURRENCES}
          set={(value) => configure({ occurrence: value as Settings["occurrence"] })}
        />
        <Select
          label="A file that changed on the same lines"
          value={now.conflicts}
          options={Object.keys(CONFLICTS)}
          words={CONFLICTS}
          set={(value) => configure({ conflicts: value as Settings["conflicts"] })}
        />
        <label class="field">
          <span>Rounds of repair</span>
          <input
            type="number"
            min={0}
            max={9}
            value={now.max_rounds}
            onChange={(event) => void configure({ max_rounds: Number(event.currentTarget.value) })}
          />
        </label>
        <Check label="One model plans, another writes the edits" value={now.architect} set={(architect) => configure({ architect })} />
        <Check label="The model may suggest commands" value={now.shell} set={(shell) => configure({ shell })} />
        <div class="field">
          <span>Colours</span>
          <Segmented name="theme" label="Colours" value={theme.value} choices={THEMES} onChange={(value) => (theme.value = value)} />
        </div>
        <p class="muted">These last as long as this server runs; the config file and the environment keep what should stay.</p>
      </div>
    </Modal>
  );
}

interface NameProperties {
  readonly label: string;
  readonly value: string | null;
  readonly hint: string;
  readonly set: (value: string | null) => Promise<unknown>;
}

function Name({ label, value, hint, set }: NameProperties): JSX.Element {
  const [text, setText] = useState(value ?? "");
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        value={text}
        placeholder={hint}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={() => void set(text.trim() === "" ? null : text.trim())}
      />
    </label>
  );
}

interface SelectProperties {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly words?: Readonly<Record<string, string>>;
  readonly set: (value: string) => Promise<unknown>;
}

function Select({ label, value, options, words, set }: SelectProperties): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => void set(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {words?.[option] ?? option}
          </option>
        ))}
      </select>
    </label>
  );
}

function Check({ label, value, set }: { label: string; value: boolean; set: (value: boolean) => Promise<unknown> }): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" checked={value} onChange={(event) => void set(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
