/** How the model is asked and its replies are read, for as long as this server runs. */

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Problem, Settings } from "../api/wire";
import { configure } from "../state/actions";
import { settings } from "../state/store";
import { theme, type Theme } from "../state/ui";
import { Segmented } from "../view/button";
import { FieldError, useRefusal } from "../view/field_error";
import { Modal } from "./dialog";

const THEMES: readonly { readonly value: Theme; readonly text: string }[] = [
  { value: "auto", text: "System" },
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
];

const READINGS = { auto: "detect" } as const;
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
        <Name first label="Model" value={now.model} set={(model) => configure({ model: model ?? "" })} hint="NAME, or anthropic/NAME">
          {now.problem !== null && <WhyNoModel problem={now.problem} />}
        </Name>
        <Name label="Editor model" value={now.editor_model} set={(editor_model) => configure({ editor_model })} hint="The same one" />
        <Select label="Format the model is taught" value={now.format} options={now.formats} set={(format) => configure({ format })} />
        <Select
          label="Formats replies are read in"
          value={now.reading}
          options={now.readings}
          words={READINGS}
          set={(reading) => configure({ reading })}
        />
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
        <Rounds value={now.max_rounds} set={(max_rounds) => configure({ max_rounds })} />
        <Check label="One model plans, another writes the edits" value={now.architect} set={(architect) => configure({ architect })} />
        <Check label="The model may suggest commands" value={now.shell} set={(shell) => configure({ shell })} />
        <div class="field">
          <span>Colours</span>
          <Segmented name="theme" label="Colours" value={theme.value} choices={THEMES} onChange={(value) => (theme.value = value)} />
        </div>
        <p class="muted">These settings last as long as this server runs. To keep them, use the config file or the environment.</p>
      </div>
    </Modal>
  );
}

interface NameProperties {
  readonly label: string;
  readonly value: string | null;
  readonly hint: string;
  /** It has the focus when the dialog opens. */
  readonly first?: boolean;
  readonly set: (value: string | null) => Promise<Problem | null>;
  readonly children?: ComponentChildren;
}

function Name({ label, value, hint, first = false, set, children }: NameProperties): JSX.Element {
  const [text, setText] = useState(value ?? "");
  const { problem, send, describedBy } = useRefusal(set);
  return (
    <div>
      <label class="field">
        <span>{label}</span>
        <input
          type="text"
          autofocus={first}
          value={text}
          placeholder={hint}
          spellcheck={false}
          autocomplete="off"
          {...describedBy}
          onInput={(event) => setText(event.currentTarget.value)}
          onChange={() => send(text.trim() === "" ? null : text.trim())}
        />
      </label>
      <FieldError problem={problem} id={describedBy["aria-describedby"]} />
      {problem === null && children}
    </div>
  );
}

/** Without a model there is nothing wrong, as long as replies are only pasted. */
function WhyNoModel({ problem }: { problem: Problem }): JSX.Element {
  if (problem.code === "no-model") return <p class="field-note">No model is named: you can paste replies, but not ask for them.</p>;
  return <FieldError problem={problem} />;
}

const MOST_ROUNDS = 20;

function Rounds({ value, set }: { value: number; set: (value: number) => Promise<Problem | null> }): JSX.Element {
  const [typed, setTyped] = useState(String(value));
  const bounds = `A whole number from 0 to ${MOST_ROUNDS}.`;
  const check = async (text: string): Promise<Problem | null> => {
    const rounds = text.trim() === "" ? NaN : Number(text);
    if (!Number.isInteger(rounds) || rounds < 0 || rounds > MOST_ROUNDS) return { code: "", message: bounds, hint: null };
    return set(rounds);
  };
  const { problem, send, describedBy } = useRefusal(check);
  return (
    <div>
      <label class="field">
        <span>Rounds of repair</span>
        <input
          type="number"
          min={0}
          max={MOST_ROUNDS}
          value={typed}
          {...describedBy}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onChange={(event) => send(event.currentTarget.value)}
        />
      </label>
      <FieldError problem={problem} id={describedBy["aria-describedby"]} />
    </div>
  );
}

interface SelectProperties {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly words?: Readonly<Record<string, string>>;
  readonly set: (value: string) => Promise<Problem | null>;
}

function Select({ label, value, options, words, set }: SelectProperties): JSX.Element {
  const { problem, send, describedBy } = useRefusal(set);
  return (
    <div>
      <label class="field">
        <span>{label}</span>
        <select value={value} {...describedBy} onChange={(event) => send(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={option} value={option}>
              {words?.[option] ?? option}
            </option>
          ))}
        </select>
      </label>
      <FieldError problem={problem} id={describedBy["aria-describedby"]} />
    </div>
  );
}

function Check({ label, value, set }: { label: string; value: boolean; set: (value: boolean) => Promise<Problem | null> }): JSX.Element {
  const { problem, send, describedBy } = useRefusal(set);
  return (
    <div>
      <label class="check">
        <input type="checkbox" checked={value} {...describedBy} onChange={(event) => send(event.currentTarget.checked)} />
        {label}
      </label>
      <FieldError problem={problem} id={describedBy["aria-describedby"]} />
    </div>
  );
}
