/** What needs attention, in a strip of its own; and the voice that tells of things that arrive. */

import type { JSX } from "preact";
import { announcement } from "../state/announce";
import { dismiss, notices } from "../state/notices";
import type { Dialog } from "../state/ui";
import { Button } from "./button";
import { Icon } from "./icons";
import { Complaint } from "./said";

/** The notices that came up in a dialog, or in none; what lies behind a dialog nobody sees. */
export function Notices({ within = null }: { within?: Dialog | null }): JSX.Element {
  return (
    <div class="notices">
      {notices.value.map(
        (notice) =>
          notice.within === within && (
            <div key={notice.id} class={`notice ${notice.tone}`} role={notice.tone === "error" ? "alert" : undefined}>
              <Icon name={notice.tone === "error" ? "warn" : "check"} />
              <p>
                <Complaint {...notice.problem} />
              </p>
              <Button look="quiet" icon="cross" label="Close" onClick={() => dismiss(notice.id)} />
            </div>
          ),
      )}
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
