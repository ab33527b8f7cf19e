/** Text of unknown origin, as text nodes, with what cannot be seen made visible. */

import type { ComponentChildren, JSX } from "preact";
import { codePoint, hasUnseen, visiblePieces } from "../text/visible";

export function Visible({ text }: { text: string }): JSX.Element {
  if (!hasUnseen(text)) return <>{text}</>;
  return (
    <>
      {visiblePieces(text).map((piece) =>
        piece.hidden === undefined ? (
          piece.text
        ) : (
          <span class="unseen" title={piece.hidden}>
            {codePoint(piece.text)}
          </span>
        ),
      )}
    </>
  );
}

/** For screen readers alone. */
export function Spoken({ children }: { children: ComponentChildren }): JSX.Element {
  return <span class="spoken">{children}</span>;
}

/** A path whose folders step back behind its name. */
export function Path({ path }: { path: string }): JSX.Element {
  const cut = path.lastIndexOf("/") + 1;
  return (
    <span class="path">
      <span class="folders">
        <Visible text={path.slice(0, cut)} />
      </span>
      <span class="name">
        <Visible text={path.slice(cut)} />
      </span>
    </span>
  );
}
