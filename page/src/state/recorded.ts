/** The review of what agents did, in this tab: which changes are shown, and what the keys for edits do there. */

import { signal } from "@preact/signals";
import type { Recorded } from "./actions";
import { panel } from "./ui";

/** What is shown in place of a reply; null for the replies. */
export const recordedOf = signal<Recorded | null>(null);

export interface RecordedKeys {
  /** Take an edit back, or bring it back again. */
  back(n: number): void;
  again(n: number): void;
  open(n: number): void;
  lines(n: number): void;
}

/** What the keys act on while recorded changes are shown. */
export const recordedKeys = signal<RecordedKeys | null>(null);

export function showRecorded(wanted: Recorded): void {
  recordedOf.value = wanted;
  panel.value = "review";
}
