/** Copies the message that asks any model for a turn's failed edits again. */

import type { JSX } from "preact";
import { turnById } from "../state/store";
import { CopyButton } from "../view/copy_button";

export function CopyMessage({ turn, look = "plain" }: { turn: string; look?: "plain" | "quiet" }): JSX.Element {
  return (
    <CopyButton look={look} text={() => turnById(turn)?.plan?.retry ?? null} what="the message for a model">
      Copy the message for a model
    </CopyButton>
  );
}
