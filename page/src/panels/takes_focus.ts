/** A viewer takes the focus once each time that it is opened, and again where it had it when it was drawn anew. */

import { useRef } from "preact/hooks";
import type { Shown } from "../editor/lazy";

export interface TakesFocus {
  /** A viewer stands. */
  take(shown: Shown): void;
  /** The one in `place` is about to go. */
  leave(place: Element | null): void;
}

/** `opened` is another value for each time that somebody opens it. */
export function useTakesFocus(opened: unknown): TakesFocus {
  const taken = useRef<unknown>(null);
  const had = useRef(false);
  return {
    take(shown) {
      if (taken.current !== opened || had.current) shown.focus();
      taken.current = opened;
      had.current = false;
    },
    leave(place) {
      had.current = place?.contains(document.activeElement) ?? false;
    },
  };
}
