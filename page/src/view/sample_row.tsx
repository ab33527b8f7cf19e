/** What the sample is, and the way out of it. */

import type { JSX } from "preact";
import { leaveSample } from "../state/actions";
import { inSample } from "../state/store";
import { Button } from "./button";

export function SampleRow(): JSX.Element | null {
  if (!inSample.value) return null;
  return (
    <section class="sample-row" aria-label="Sample">
      <p>This is a sample project in a temporary folder. Apply, change, undo: nothing of yours is touched.</p>
      <Button onClick={() => void leaveSample()}>Leave the sample</Button>
    </section>
  );
}
