/** What the commands of a reply without edits would change, with a yes of its own: none of them is run. */

import type { JSX } from "preact";
import type { CommandFile, Turn } from "../api/wire";
import { decline, reopen, writeCommands } from "../state/actions";
import { Button } from "../view/button";
import { DiffTable, rowsOfHunks } from "../view/diff_table";
import { Moved } from "../view/text";
import { Amounts } from "./banner";

export function CommandsCard({ turn }: { turn: Turn }): JSX.Element | null {
  const files = turn.plan?.commands?.files ?? [];
  if (files.length === 0) return null;
  return (
    <section class="banner" role="group" aria-label="What the commands would change">
      <p>
        <strong>What the commands would change.</strong> No command is run.
      </p>
      {files.map((file) => (
        <FileChange key={file.path} file={file} />
      ))}
      <div class="plan-acts">
        {turn.state === "open" ? (
          <>
            <Button look="quiet" onClick={() => void decline(turn.id)}>
              Discard
            </Button>
            <Button look="primary" icon="check" onClick={() => void writeCommands(turn)}>
              Write these changes
            </Button>
          </>
        ) : (
          <>
            <span class="muted">Discarded.</span>
            <Button look="quiet" onClick={() => void reopen(turn.id)}>
              Think again
            </Button>
          </>
        )}
      </div>
    </section>
  );
}

function FileChange({ file }: { file: CommandFile }): JSX.Element {
  const rows = rowsOfHunks(file.hunks);
  const gone = file.change === "deleted";
  return (
    <div>
      <p>
        <Moved source={file.source} path={file.path} /> {gone ? "is removed" : <Amounts file={file} />}
      </p>
      {!gone && rows.length > 0 && <DiffTable rows={rows} path={file.path} label={`${file.path}, lines that change`} />}
    </div>
  );
}
