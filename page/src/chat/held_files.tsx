/** The files in the conversation, as chips that can be taken out or made read-only. */

import type { JSX } from "preact";
import { spelled } from "../text/visible";
import { count } from "../text/words";
import { hold } from "../state/actions";
import { held } from "../state/store";
import { dialog, filesOpen } from "../state/ui";
import { Button } from "../view/button";
import { Icon } from "../view/icons";
import { Path } from "../view/text";

/** From more files on their number is said: not all of them are in sight. */
const MANY = 6;

/** Opens the files, also from a dialog. */
function open(): void {
  dialog.value = null;
  filesOpen.value = true;
}

export function HeldFiles(): JSX.Element {
  const { editable, read_only } = held.value;
  const all = [
    ...editable.map((path) => ({ path, name: spelled(path), locked: false })),
    ...read_only.map((path) => ({ path, name: spelled(path), locked: true })),
  ];
  return (
    <ul class="held" aria-label="Files in the chat">
      <li>
        <Button look="quiet" icon="plus" keys="f" onClick={open}>
          {all.length === 0 ? "Add files to the chat" : "Add"}
        </Button>
      </li>
      {all.length > MANY && <li class="muted">{count(all.length, "file")}</li>}
      {all.map(({ path, name, locked }) => (
        <li key={path} class="held-file">
          <button
            type="button"
            class="held-lock"
            title={locked ? `${name} is only read. Allow edits to it.` : `${name} may be edited. Make it read-only.`}
            aria-label={locked ? `Allow edits to ${name}` : `Make ${name} read-only`}
            aria-pressed={locked}
            onClick={() => void hold(locked ? { add: [path] } : { read_only: [path] })}
          >
            <Icon name={locked ? "lock" : "pen"} />
          </button>
          <Path path={path} />
          <button type="button" class="held-drop" aria-label={`Remove ${name} from the chat`} onClick={() => void hold({ drop: [path] })}>
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
  );
}
