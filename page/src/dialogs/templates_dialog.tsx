/** Starter templates, the base that later edits change; they go into an empty folder only. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import type { Template } from "../api/wire";
import { attempt, useTemplate } from "../state/actions";
import { dialog, filesOpen } from "../state/ui";
import { Button } from "../view/button";
import { Visible } from "../view/text";
import { Modal } from "./dialog";

interface Listed {
  readonly templates: readonly Template[];
  readonly empty: boolean;
}

export function TemplatesDialog(): JSX.Element {
  const [listed, setListed] = useState<Listed | null>(null);
  useEffect(() => {
    void attempt(() => get<Listed>("templates")).then(setListed);
  }, []);
  return (
    <Modal title="Start from a template">
      {listed?.empty === false && <p class="turn-note">This folder has files already; a template goes into an empty one.</p>}
      <ul class="templates">
        {listed?.templates.map((template) => <TemplateCard key={template.name} template={template} usable={listed.empty} />)}
      </ul>
    </Modal>
  );
}

function TemplateCard({ template, usable }: { template: Template; usable: boolean }): JSX.Element {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const make = async (): Promise<void> => {
    const files = await useTemplate(template.name, values);
    if (files === null) return;
    dialog.value = null;
    filesOpen.value = true;
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
              <Visible text={variable.about ?? variable.name} />
            </span>
            <input
              type="text"
              placeholder={variable.default ?? ""}
              value={values[variable.name] ?? ""}
              onInput={(event) => setValues({ ...values, [variable.name]: event.currentTarget.value })}
            />
          </label>
        ))}
      <Button disabled={!usable} onClick={() => void make()}>
        Use it<span class="spoken">: {template.name}</span>
      </Button>
    </li>
  );
}
