/** Starter templates, the base that later edits change; they go into an empty folder only. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get } from "../api/client";
import type { Template } from "../api/answers";
import { Command } from "../chat/round_view";
import { attempt, useTemplate, type Made } from "../state/actions";
import { dialog, filesOpen } from "../state/ui";
import { Button } from "../view/button";
import { Visible } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { Modal } from "./dialog";

interface Listed {
  readonly templates: readonly Template[];
  readonly empty: boolean;
}

export function TemplatesDialog(): JSX.Element {
  const listed = useAnswer(() => attempt(() => get<Listed>("templates"), "view"), []);
  const [made, setMade] = useState<Made | null>(null);
  if (made !== null) return <Begin made={made} />;
  return (
    <Modal title="Start from a template">
      {listed?.empty === false && <p class="turn-note">This folder has files already; a template goes into an empty one.</p>}
      <ul class="templates">
        {listed?.templates.map((template) => <TemplateCard key={template.name} template={template} usable={listed.empty} onMade={setMade} />)}
      </ul>
    </Modal>
  );
}

/** What one may type now; the page runs nothing. */
function Begin({ made }: { made: Made }): JSX.Element {
  const close = (): void => {
    dialog.value = null;
    filesOpen.value = true;
  };
  return (
    <Modal title={`${made.files.length} files are there`}>
      {made.begin.length > 0 && <p class="muted">To begin, in a terminal:</p>}
      {made.begin.map((command) => (
        <Command key={command} command={command} />
      ))}
      <div class="answers">
        <Button look="primary" onClick={close}>
          See the files
        </Button>
      </div>
    </Modal>
  );
}

interface CardProperties {
  readonly template: Template;
  readonly usable: boolean;
  readonly onMade: (made: Made) => void;
}

function TemplateCard({ template, usable, onMade }: CardProperties): JSX.Element {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const make = async (): Promise<void> => {
    const made = await useTemplate(template.name, values);
    if (made !== null) onMade(made);
  };
  return (
    <li class="template">
      <h3>
        <Visible text={template.name} />
      </h3>
      <p class="muted">
        <Visible text={template.summary} />
      </p>
      {usable &&
        template.variables.map((variable) => (
          <label key={variable.name} class="field">
            <span>
              <Visible text={variable.summary ?? variable.name} />
            </span>
            <input
              type="text"
              placeholder={(variable.default ?? "").includes("{{") ? "from the folder’s name" : (variable.default ?? "")}
              value={values[variable.name] ?? ""}
              onInput={(event) => setValues({ ...values, [variable.name]: event.currentTarget.value })}
            />
          </label>
        ))}
      <Button disabled={!usable} onClick={() => void make()}>
        Use it<span class="spoken"> {template.name}</span>
      </Button>
    </li>
  );
}
