/** The viewer that the shortcuts for changes speak to. */

import { signal } from "@preact/signals";
import type { Shown } from "../editor/lazy";

export const viewerKeys = signal<Shown | null>(null);
