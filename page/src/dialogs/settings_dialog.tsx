/** How the model is asked and its replies are read, for as long as this server runs, or kept in the user's file. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Problem, Settings } from "../api/wire";
import { configure, connect, keepSettings, listModels } from "../state/actions";
import { settings } from "../state/store";
import { theme, type Theme } from "../state/ui";
import { Button, Segmented } from "../view/button";
import { FieldError, useRefusal } from "../view/field_error";
import { Path } from "../view/text";
import { Modal } from "./dialog";

const THEMES: readonly { readonly value: Theme; readonly text: string }[] = [
  { value: "auto", text: "System" },
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
];

const EDITS_BY = { text: "text in that format", tools: "calls of tools" } as const;
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
        <ProviderFields />
        <Name label="Editor model" value={now.editor_model} set={(editor_model) => configure({ editor_model })} hint="The same one" />
        <Select label="Format the model is taught" value={now.format} options={now.formats} set={(format) => configure({ format })} />
        <Select label="Edits come as" value={now.edits_by} options={["text", "tools"]} words={EDITS_BY} set={(edits_by) => configure({ edits_by: edits_by as Settings["edits_by"] })} />
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
        <Keep />
      </div>
    </Modal>
  );
}

/** Where the model is asked, and with which key: for this session alone, and shown nowhere again. */
function ProviderFields(): JSX.Element {
  const [provider, setProvider] = useState("openai");
  const [address, setAddress] = useState("");
  const [key, setKey] = useState("");
  const [models, setModels] = useState<readonly string[]>([]);
  const [used, setUsed] = useState(false);
  const { problem, send, describedBy } = useRefusal(async (_: null) => {
    const given = { provider, ...(address.trim() === "" ? {} : { address: address.trim() }), ...(key === "" ? {} : { key }) };
    const refused = await connect(given);
    setUsed(refused === null);
    if (refused === null) setKey("");
    return refused;
  });
  const list = async (): Promise<void> => setModels((await listModels(provider)) ?? []);
  return (
    <details class="provider">
      <summary>Provider: address, key, its models</summary>
      <label class="field">
        <span>Provider</span>
        <select value={provider} onChange={(event) => setProvider(event.currentTarget.value)}>
          <option value="openai">OpenAI, or a server that speaks like it</option>
          <option value="anthropic">Anthropic</option>
        </select>
      </label>
      <label class="field">
        <span>Address</span>
        <input type="text" value={address} placeholder="http://localhost:8080/v1" spellcheck={false} autocomplete="off" {...describedBy} onInput={(event) => setAddress(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Key</span>
        <input type="password" value={key} autocomplete="off" onInput={(event) => setKey(event.currentTarget.value)} />
      </label>
      <FieldError problem={problem} id={describedBy["aria-describedby"]} />
      <div class="answers">
        <Button onClick={() => send(null)} disabled={address.trim() === "" && key === ""}>
          Use for this session
        </Button>
        <Button look="quiet" onClick={() => void list()}>
          List its models
        </Button>
      </div>
      <p class="field-note" role="status">
        {used ? "In use until the server ends. " : ""}The key stays in the server’s memory. It is written nowhere, and not shown again.
      </p>
      {models.length > 0 && (
        <label class="field">
          <span>Its models</span>
          <select
            value={settings.value?.model ?? ""}
            onChange={(event) => void configure({ model: event.currentTarget.value })}
          >
            <option value="">Choose one</option>
            {models.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </details>
  );
}

/** Keeps the settings in the user's own file. */
function Keep(): JSX.Element {
  const [path, setPath] = useState<string | null>(null);
  return (
    <div class="keep">
      <Button onClick={() => void keepSettings().then(setPath)}>Keep these settings</Button>
      <p class="field-note" role="status">
        {path === null ? (
          "They last as long as this server runs. Kept are all but the key, the address, the colours, and the two boxes above."
        ) : (
          <>
            Kept in <Path path={path} />. The terminal uses them too.
          </>
        )}
      </p>
    </div>
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
  useEffect(() => setText(value ?? ""), [value]); // it may be chosen elsewhere
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
