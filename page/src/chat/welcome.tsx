/** What one sees first: the ways to begin. */

import type { JSX } from "preact";
import { trySample } from "../state/actions";
import { focusSoon } from "../state/focus";
import { folderName, modelReady, paths, settings } from "../state/store";
import { composing, dialog } from "../state/ui";
import { Icon, type IconName } from "../view/icons";
import { Visible } from "../view/text";

export function Welcome(): JSX.Element {
  const model = settings.value?.model ?? "";
  const focus = (mode: "ask" | "paste"): void => {
    composing.value = mode;
    focusSoon("#composer-text");
  };
  return (
    <section class="welcome" aria-label="Begin">
      <h2>
        Edits for{" "}
        <span class="root-name">
          <Visible text={folderName.value} />
        </span>
      </h2>
      <p class="muted">
        Every edit shows where it fits before anything is written, and can be undone byte for byte.
      </p>
      <ul class="ways">
        <Way icon="play" title="Try a sample reply" text="Five edits on a sample project. Nothing of yours is touched." onClick={() => void trySample()} />
        <Way icon="copy" title="Paste a reply" text="From any chat page, in any edit format. No model is needed." onClick={() => focus("paste")} />
        <Way
          icon="send"
          title="Ask a model"
          text={modelReady.value ? `${model} answers; edits are located as they stream.` : "Name a model in the settings first."}
          onClick={() => (modelReady.value ? focus("ask") : (dialog.value = "settings"))}
        />
        <Way icon="terminal" title="Use another chat page" text="Copy the instructions and files that its model needs." onClick={() => (dialog.value = "prompt")} />
        {paths.value.length === 0 && (
          <Way icon="template" title="Start from a template" text="This folder is empty: begin with a small project." onClick={() => (dialog.value = "templates")} />
        )}
      </ul>
    </section>
  );
}

function Way({ icon, title, text, onClick }: { icon: IconName; title: string; text: string; onClick: () => void }): JSX.Element {
  return (
    <li>
      <button type="button" class="way" onClick={onClick}>
        <Icon name={icon} />
        <span>
          <strong>{title}</strong>
          <span class="muted">
            <Visible text={text} />
          </span>
        </span>
      </button>
    </li>
  );
}
