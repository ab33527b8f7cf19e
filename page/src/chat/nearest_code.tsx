/**
 * What a failed edit looks for, beside the code that is most like it: only what differs is marked.
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
import { ReviewDiff } from "../view/review_diff";

interface Properties {
  readonly turn: string;
  readonly edit: Edit;
  readonly nearest: Nearest;
  /** Its change can be made there now. */
  readonly live: boolean;
}

const MOST = 120;

export function NearestCode({ turn, edit, nearest, live }: Properties): JSX.Element {
  const rows = useMemo(
    () => diffRows(edit.search, nearest.corrected, { newStart: nearest.start, context: 3 }).slice(0, MOST),
    [edit.search, nearest],
  );
  const { carried } = edit;
  const go = (): void => {
    if (edit.path !== null) show({ kind: "file", path: edit.path, line: nearest.line ?? nearest.start });
  };
  return (
    <figure class="nearest">
      <div class="beside" tabIndex={0} role="group" aria-label={`What differs between edit ${edit.n} and the nearest code`}>
        <p class="side-title">
          <span class="legend-mark removed">−</span> The reply looks for
        </p>
        <p class="side-title">
          <span class="legend-mark added">+</span> The file has, {placeLabel(nearest.start, nearest.end)}
        </p>
        <ReviewDiff rows={rows} colours={NO_COLOURS} split digits={String(nearest.end).length} />
      </div>
      <figcaption>
        {edit.differs}
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
    </figure>
  );
}

const NO_COLOURS: readonly [] = [];
