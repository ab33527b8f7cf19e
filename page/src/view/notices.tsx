/** What was refused, with the next step, until it is closed; and the voice that tells of things that arrive. */

import type { JSX } from "preact";
import { announcement } from "../state/announce";
import { dismiss, notices } from "../state/ui";
import { Button } from "./button";
import { Icon } from "./icons";
import { InlineText } from "./prose";

const noFile = (): null => null;

export function Notices(): JSX.Element {
  return (
    <div class="notices">
      {notices.value.map((notice) => (
        <div key={notice.id} class={`notice ${notice.tone}`} role={notice.tone === "error" ? "alert" : "status"}>
          <Icon name={notice.tone === "error" ? "warn" : "check"} />
          <p>
            <InlineText text={notice.text} fileOf={noFile} />{" "}
            {notice.hint !== null && (
              <span class="muted">
                <InlineText text={notice.hint} fileOf={noFile} />
              </span>
            )}
          </p>
          <Button look="quiet" icon="cross" label="Close" onClick={() => dismiss(notice.id)} />
        </div>
      ))}
    </div>
  );
}

export function Voice(): JSX.Element {
  return (
    <div class="spoken" role="status" aria-live="polite" aria-atomic="true">
      {announcement.value}
    </div>
  );
}
