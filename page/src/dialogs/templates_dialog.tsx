/** Starter templates, the base that later edits change; they go into an empty folder only, this one or another. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { get } from "../api/client";
import type { Template } from "../api/answers";
import { Command } from "../chat/round_view";
import { attempt, useTemplate, type Made } from "../state/actions";
import { dialog, filesOpen } from "../state/ui";
import { Button } from "../view/button";
import { Path, Visible } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { Modal } from "./dialog";

interface Listed {
  readonly templates: readonly Template[];
  readonly empty: boolean;
}

export function TemplatesDialog(): JSX.Element {
  const listed = useAnswer(() => attempt(() => get<Listed>("templates"), "view"), []);
  const [made, setMade] = useState<Made | null>(null);
  const [folder, setFolder] = useState("");
  if (made !== null) return <Begin made={made} />;
  return (
    <Modal title="Start from a template">
      <label class="field">
        <span>Folder</span>
        <input
          type="text"
          value={folder}
          placeholder={listed?.empty === false ? "another folder, new or empty: ../project" : "this one"}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setFolder(event.currentTarget.value)}
        />
      </label>
      {listed?.empty === false && folder.trim() === "" && (
        <p class="turn-note">This folder has files already; a template goes into an empty one. Name another folder.</p>
      )}
      <ul class="templates">
        {listed?.templates.map((template) => <TemplateCard key={template.name} template={template} usable={listed.empty || folder.trim() !== ""} folder={folder} onMade={setMade} />)}
      </ul>
    </Modal>
  );
}

/** What one may type now; the page runs nothing. */
function Begin({ made }: { made: Made }): JSX.Element {
  const close = (): void => {
    dialog.value = null;
    filesOpen.value = made.folder === null;
  };
  return (
    <Modal title={`${made.files.length} files are there`}>
      {made.folder !== null && (
        <p>
          In <Path path={made.folder} />. To work there, run dovetail serve in it.
        </p>
      )}
      {made.begin.length > 0 && <p class="muted">To begin, in a terminal:</p>}
      {made.begin.map((command) => (
        <Command key={command} command={command} />
      ))}
      <div class="answers">
        <Button look="primary" onClick={close}>
          {made.folder === null ? "See the files" : "Close"}
        </Button>
      </div>
    </Modal>
  );
}

interface CardProperties {
  readonly template: Template;
  readonly usable: boolean;
  readonly folder: string;
  readonly onMade: (made: Made) => void;
}

function TemplateCard({ template, usable, folder, onMade }: CardProperties): JSX.Element {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const make = async (): Promise<void> => {
    const made = await useTemplate(template.name, values, folder);
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
