/** Text of unknown origin, as text nodes, with what cannot be seen made visible. */

import type { ComponentChild, ComponentChildren, JSX } from "preact";
import { codePoint, mayHaveUnseen, spelled, visiblePieces } from "../text/visible";

export function Visible({ text }: { text: string }): JSX.Element {
  return <>{visible(text)}</>;
}

/** The same without a component around it, for texts that come by the thousand. */
export function visible(text: string): ComponentChild {
  if (!mayHaveUnseen(text)) return text;
  return visiblePieces(text).map((piece) =>
    piece.hidden === undefined ? (
      piece.text
    ) : (
      <span class="unseen" title={piece.hidden}>
        {codePoint(piece.text)}
      </span>
    ),
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
      {cut > 0 && <span class="folders">{named(path.slice(0, cut))}</span>}
      {named(path.slice(cut))}
    </span>
  );
}

/** A path on one line, whose beginning is cut off where it is too long: its end is what tells files apart. */
export function CutPath({ path }: { path: string }): JSX.Element {
  return (
    <span class="cut-path" title={spelled(path)}>
      <bdi dir="ltr">
        <Path path={path} />
      </bdi>
    </span>
  );
}

interface MovedProperties {
  readonly source: string | null;
  readonly path: string;
  readonly cut?: boolean;
}

/** A path, behind the one that it had before where it gets another. */
export function Moved({ source, path, cut = false }: MovedProperties): JSX.Element {
  const Shown = cut ? CutPath : Path;
  if (source === null) return <Shown path={path} />;
  return (
    <span class="moved">
      <Shown path={source} />
      <span class="becomes" aria-hidden="true">
        →
      </span>
      <Spoken> becomes </Spoken>
      <Shown path={path} />
    </span>
  );
}

/** A name has no lines, so a line end in it is nothing that may be drawn as one. */
function named(name: string): ComponentChild {
  return /[\t\n\r]/.test(name) ? spelled(name) : visible(name);
}
