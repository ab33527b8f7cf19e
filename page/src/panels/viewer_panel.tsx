/** The viewer: a file of a turn before and after, in one column or two, opened at an edit; a file as it is; a conflict. */

import type { JSX } from "preact";
import { target, type Target } from "../state/ui";
import { ConflictView } from "./conflict_view";
import { FileViewer } from "./file_viewer";
import { TurnViewer } from "./turn_viewer";

export function ViewerPanel(): JSX.Element {
  const what = target.value;
  if (what === null) return <p class="empty">Open a file from the tree, or an edit’s path, to see it here.</p>;
  return <>{view(what)}</>;
}

function view(what: Target): JSX.Element {
  switch (what.kind) {
    case "turn":
      return <TurnViewer key={`turn ${what.turn} ${what.path}`} target={what} />;
    case "file":
      return <FileViewer key={`file ${what.path}`} target={what} />;
    case "conflict":
      return <ConflictView key={`conflict ${what.turn} ${what.path}`} target={what} />;
  }
}
