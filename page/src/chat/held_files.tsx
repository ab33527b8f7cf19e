/** The files in the conversation, as chips that can be taken out or made read-only. */

import type { JSX } from "preact";
import { hold } from "../state/actions";
import { held } from "../state/store";
import { filesOpen } from "../state/ui";
import { Button } from "../view/button";
import { Icon } from "../view/icons";
import { Path } from "../view/text";

export function HeldFiles(): JSX.Element {
  const { editable, read_only } = held.value;
  const all = [
    ...editable.map((path) => ({ path, locked: false })),
    ...read_only.map((path) => ({ path, locked: true })),
  ];
  return (
    <ul class="held" aria-label="Files in the chat">
      {all.map(({ path, locked }) => (
        <li key={path} class="held-file">
          <button
            type="button"
            class="held-lock"
            title={locked ? `${path} is only read. Let it be edited.` : `${path} may be edited. Make it read-only.`}
            aria-label={locked ? `Let ${path} be edited` : `Make ${path} read-only`}
            aria-pressed={locked}
            onClick={() => void hold(locked ? { add: [path] } : { read_only: [path] })}
          >
            <Icon name={locked ? "lock" : "pen"} />
          </button>
          <Path path={path} />
          <button type="button" class="held-drop" aria-label={`Take ${path} out of the chat`} onClick={() => void hold({ drop: [path] })}>
            <Icon name="cross" />
          </button>
        </li>
      ))}
      <li>
        <Button look="quiet" icon="plus" keys="f" onClick={() => (filesOpen.value = true)}>
          {all.length === 0 ? "Add files to the chat" : "Add"}
        </Button>
      </li>
    </ul>
  );
}
