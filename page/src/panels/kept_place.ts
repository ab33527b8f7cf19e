/** A viewer that is drawn anew, because its file or its plan changed, is read on where it was read before. */

import { useRef } from "preact/hooks";
import type { Place, Shown } from "../editor/lazy";

export interface KeptPlace {
  /** Where the viewer before this one was read; null where this one was just opened. */
  place(): Place | null;
  /** A viewer is about to go. */
  leave(viewer: Shown | null): void;
}

/** `opened` is another value for each time that somebody opens it. */
export function useKeptPlace(opened: unknown): KeptPlace {
  const left = useRef<{ readonly opened: unknown; readonly place: Place } | null>(null);
  return {
    place() {
      const { current } = left;
      return current !== null && current.opened === opened ? current.place : null;
    },
    leave(viewer) {
      if (viewer !== null) left.current = { opened, place: viewer.place() };
    },
  };
}
