/** A new conversation, and the earlier ones of this folder. */

import type { JSX } from "preact";
import { beginAnew, goOn, listConversations } from "../state/actions";
import { focusSoon } from "../state/focus";
import { hasTurns, running } from "../state/store";
import { dialog } from "../state/ui";
import { clock, count } from "../text/words";
import { Button } from "../view/button";
import { Visible } from "../view/text";
import { useAnswer } from "../view/use_answer";
import { Modal } from "./dialog";

export function ConversationsDialog(): JSX.Element {
  const all = useAnswer(listConversations, []);
  const busy = running.value !== null;
  const close = (): void => {
    dialog.value = null;
    focusSoon("#composer-text");
  };
  const begin = async (): Promise<void> => {
    if ((await beginAnew()) !== null) close();
  };
  const open = async (id: string): Promise<void> => {
    if (await goOn(id)) close();
  };
  return (
    <Modal title="Conversations">
      <div class="answers">
        <Button look="primary" icon="plus" disabled={busy || !hasTurns.value} onClick={() => void begin()}>
          New conversation
        </Button>
      </div>
      <p class="muted">
        {busy
          ? "The model still answers. Stop it first."
          : "Files stay as they are, and History can undo what was written. Edits that you did not apply are gone from the page."}
      </p>
      <h3>Earlier ones</h3>
      {all?.length === 0 && <p class="muted">None yet. Each request to a model is kept here; pasted replies are not.</p>}
      <ul class="conversations">
        {all?.map((one) => (
          <li key={one.id}>
            <button type="button" class="way" disabled={busy || one.open} onClick={() => void open(one.id)}>
              <span>
                <strong>
                  <Visible text={one.title} />
                </strong>
                <span class="muted">
                  {clock(timeOf(one.id))}, {count(one.turns, "request")}
                  {one.open && ", open now"}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Modal>
  );
}

/** `20261121-084000-1f2e`, as the file of a conversation is called, in a form that a date is read from. */
function timeOf(id: string): string {
  return id.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d).*$/, "$1-$2-$3T$4:$5:$6");
}
