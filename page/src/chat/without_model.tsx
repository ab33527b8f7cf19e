/** The way on for failed edits where no model can be asked: their message, to be taken to any chat page, and why so. */

import type { JSX } from "preact";
import { settings, turnById } from "../state/store";
import { CopyButton } from "../view/copy_button";
import { Said } from "../view/said";

export function WithoutModel({ turn, look = "plain" }: { turn: string; look?: "plain" | "primary" }): JSX.Element {
  return (
    <>
      <CopyButton look={look} text={() => turnById(turn)?.plan?.retry ?? null} what="the message for a model">
        Copy the message for a model
      </CopyButton>
      <p class="without-model">
        <Said text={settings.value?.problem?.message ?? ""} /> Take the message to any chat page instead, and paste the answer
        below.
      </p>
    </>
  );
}
