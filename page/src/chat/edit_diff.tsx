/**
 * What an edit changes: in the file, as it will be written, once it is located; before, and where it does not land, as
 * the reply says it. Where the two read differently, a switch shows the reply's own.
 */

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Edit } from "../api/wire";
import { diffRows, type Row } from "../text/diff_rows";
import { readsDifferently } from "../text/reads_differently";
import { isSettled, stateLabel, type Shown } from "../text/words";
import { Button } from "../view/button";
import { DiffTable, rowsOfHunks } from "../view/diff_table";
import { Path } from "../view/text";

export function EditDiff({ edit, shown }: { edit: Edit; shown: Shown }): JSX.Element | null {
  const { hunks, diff, result } = edit;
  const [asSaid, setAsSaid] = useState(false);
  const differs = useMemo(() => readsDifferently(hunks, diff, result?.tier ?? null), [hunks, diff, result?.tier]);
  const movesOnly = edit.destination !== null && hunks === null && (edit.state === "fits" || edit.state === "written");
  const inFile = hunks !== null && hunks.length > 0 && !(differs && asSaid);
  const rows = useRows(edit, inFile);
  const comes = shown === "fits" || shown === "written" || shown === "stands-already";
  if (edit.kind === "delete") return <p class="edit-note">{comes ? "The file is removed." : "It would remove the file."}</p>;
  if (movesOnly || (edit.kind === "rename" && rows.length === 0)) {
    return (
      <p class="edit-note">
        It {comes ? "moves" : "would move"} to <Path path={edit.destination ?? ""} />.
        {rows.length > 0 && " What else the edit says is in the file already."}
      </p>
    );
  }
  if (rows.length === 0) return null;
  const what = inFile ? "lines that change" : "as the reply says";
  const label = `Edit ${edit.n}, ${stateLabel(shown).toLowerCase()}, ${what}`;
  if (shown === "failed") {
    return (
      <details class="would">
        <summary>What it would change</summary>
        <DiffTable rows={rows} path={edit.path} label={label} numbered={false} />
      </details>
    );
  }
  return (
    <>
      {isSettled(edit) && <p class="would">As the reply says</p>}
      <DiffTable rows={rows} path={edit.path} label={label} tail={shown === "arriving"} numbered={inFile} />
      {differs && (
        <p class="as-said">
          <Button look="quiet" pressed={asSaid} onClick={() => setAsSaid(!asSaid)}>
            As the reply says
          </Button>
        </p>
      )}
    </>
  );
}

const LONGEST_ARRIVING = 24_000;

/** Only while it arrives are its rows made here; afterwards the server's hunks say what changes. */
function useRows(edit: Edit, inFile: boolean): readonly Row[] {
  const { diff, hunks, search, replace, state } = edit;
  return useMemo(() => {
    const told = inFile ? hunks : diff;
    if (told !== null) return rowsOfHunks(told);
    const arriving = state === "arriving";
    if (!arriving || search.length + replace.length < LONGEST_ARRIVING) {
      return diffRows(search, replace, { arriving, context: 3 });
    }
    const tail = (replace === "" ? search : replace).slice(-LONGEST_ARRIVING);
    return diffRows("", tail.slice(tail.indexOf("\n") + 1), { arriving });
  }, [inFile, hunks, diff, search, replace, state]);
}
