/**
 * The code that is most like what a failed edit looks for, what differs, and the edit's change made there.
 *
 * What is taken over is the edit's change, never its replacement: the server says how the edit reads on this code.
 */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Edit, Nearest } from "../api/wire";
import { diffRows } from "../text/diff_rows";
import { placeLabel } from "../text/words";
import { rewrite } from "../state/actions";
import { show } from "../state/ui";
import { Button } from "../view/button";
import { DiffTable } from "../view/diff_table";

interface Properties {
  readonly turn: string;
  readonly edit: Edit;
  readonly nearest: Nearest;
  /** Its change can be made there now. */
  readonly live: boolean;
}

export function NearestCode({ turn, edit, nearest, live }: Properties): JSX.Element {
  const rows = useMemo(
    () => diffRows(edit.search, nearest.corrected, { newStart: nearest.start, context: 3 }).map((row) => ({ ...row, old: null })),
    [edit.search, nearest],
  );
  const { carried } = edit;
  const go = (): void => {
    if (edit.path !== null) show({ kind: "file", path: edit.path, line: nearest.line ?? nearest.start });
  };
  return (
    <figure class="nearest">
      <figcaption>
        Nearest code: {placeLabel(nearest.start, nearest.end)}, {edit.differs}
        <span class="spacer" />
        <Button look="quiet" onClick={go}>
          Open there
        </Button>
        {live && carried !== null && (
          <Button look="quiet" onClick={() => void rewrite(turn, edit.n, { path: edit.path ?? "", ...carried })}>
            Make its change here
          </Button>
        )}
      </figcaption>
      <p class="legend">
        <span class="legend-mark removed">−</span> what the edit looks for <span class="legend-mark added">+</span> what the
        file has
      </p>
      <DiffTable rows={rows} path={edit.path} label={`What differs between edit ${edit.n} and the nearest code`} />
    </figure>
  );
}
