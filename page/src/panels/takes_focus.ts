/**
 * A viewer takes the focus once each time that it is opened, and again where it had it when it was drawn anew.
 *
 * It takes a moment to load. Who has gone on to something else by then, to type there, is left alone.
 */

import { useRef } from "preact/hooks";
import type { Field } from "../editor/lazy";

export interface TakesFocus {
  /** A viewer stands. */
  take(viewer: Field): void;
  /** The one in `place` is about to go. */
  leave(place: Element | null): void;
}

/** `opened` is another value for each time that somebody opens it. */
export function useTakesFocus(opened: unknown): TakesFocus {
  const taken = useRef<unknown>(null);
  const had = useRef(false);
  const from = useRef<{ opened: unknown; element: Element | null }>({ opened: null, element: null });
  if (from.current.opened !== opened) from.current = { opened, element: document.activeElement };
  return {
    take(viewer) {
      if ((taken.current !== opened && isFree(from.current.element)) || had.current) viewer.focus();
      taken.current = opened;
      had.current = false;
    },
    leave(place) {
      had.current = place?.contains(document.activeElement) ?? false;
    },
  };
}

/** Whether the focus is nowhere, in the panel, or still on what opened the viewer. */
function isFree(opener: Element | null): boolean {
  const at = document.activeElement;
  return at === null || at === document.body || at === opener || at.closest(".panel") !== null;
}
