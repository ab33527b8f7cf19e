/** What can be done about all that failed of a turn at once; each edit's own card says why. */

import type { JSX } from "preact";
import type { Edit, Turn } from "../api/wire";
import { shownState } from "../text/words";
import { retry } from "../state/actions";
import { modelReady, settings } from "../state/store";
import { Button } from "../view/button";
import { Said } from "../view/said";
import { Path } from "../view/text";
import { CopyMessage } from "./copy_message";
import { Badge } from "./edit_head";
import { goToEdit } from "./go_to_edit";

/** Nothing where nothing failed: what waits for its file has not. */
export function FailedPart({ turn, inPanel = false }: { turn: Turn; inPanel?: boolean }): JSX.Element | null {
  const failed = turn.edits.filter((edit) => shownState(edit, false) === "failed");
  if (failed.length === 0) return null;
  if (inPanel && turn.plan?.retry == null) return null;
  const repairable = turn.state === "open" && failed.some((edit) => edit.repairable);
  return (
    <div class="failed-part" tabIndex={-1} role="group" aria-label="What failed">
      {!inPanel && <Failures turn={turn.id} failed={failed} />}
      {turn.plan?.retry != null && <Acts turn={turn.id} repairable={repairable} />}
    </div>
  );
}

/** What failed; each leads to its edit, which says why. */
function Failures({ turn, failed }: { turn: string; failed: readonly Edit[] }): JSX.Element {
  return (
    <ul class="failures" aria-label="Failed edits">
      {failed.map((edit) => (
        <li key={edit.n}>
          <button type="button" class="failure-link" onClick={() => goToEdit(turn, edit.n)}>
            <Badge state="failed" text={`#${edit.n}`} />
            <Path path={edit.path ?? "no path"} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Where no model can be asked, the message can be taken to one elsewhere; of what no model can mend there is none. */
function Acts({ turn, repairable }: { turn: string; repairable: boolean }): JSX.Element | null {
  const ready = modelReady.value;
  if (!repairable) return null;
  return (
    <div class="failed-acts">
      {ready && (
        <Button icon="again" onClick={() => void retry(turn, null)}>
          Retry all with the model
        </Button>
      )}
      <CopyMessage turn={turn} look={ready ? "quiet" : "plain"} />
      {!ready && (
        <p class="without-model">
          <Said text={settings.value?.problem?.message ?? ""} /> Take the message to any chat page instead, and paste the
          answer below.
        </p>
      )}
    </div>
  );
}
