/**
 * The server's events, in order, from a given one on, across breaks.
 *
 * The browser resumes a broken stream by itself with the last number it saw. Where it gave up (the server was away, or
 * refused), this opens a new one after a wait, from the number that the page has. A tab that nobody sees has none: a
 * stream takes a connection, of which browsers give one server six for all tabs, and requests would wait for good.
 */

import { EVENT_NAMES, type WireEvent } from "./events";
import { pageKey } from "./key";

export type Connection = "connecting" | "live" | "lost" | "refused";

export interface Listener {
  event(event: WireEvent, seq: number): void;
  connection(state: Connection): void;
  /** The number of the newest event that is known, and the session that gave it out. */
  after(): { readonly seq: number; readonly session: string };
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

/** Listen while the tab is seen, until `stop` is called. */
export function listen(listener: Listener): { stop(): void } {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT;

  const open = (): void => {
    const { seq, session } = listener.after();
    const opened = new EventSource(
      `/api/events?after=${seq}&session=${encodeURIComponent(session)}&key=${encodeURIComponent(pageKey())}`,
    );
    source = opened;
    opened.onopen = () => {
      wait = FIRST_WAIT;
      listener.connection("live");
    };
    opened.onerror = () => {
      if (source !== opened) return; // some browsers tell of one that was given up
      listener.connection("lost");
      if (opened.readyState !== EventSource.CLOSED) return;
      void refused().then((no) => {
        if (no) listener.connection("refused");
        else if (source === opened) timer = setTimeout(open, wait);
      });
      wait = Math.min(wait * 2, LONGEST_WAIT);
    };
    for (const name of EVENT_NAMES) {
      opened.addEventListener(name, (message: MessageEvent<string>) => {
        const event = { name, data: JSON.parse(message.data) } as WireEvent;
        listener.event(event, Number(message.lastEventId));
      });
    }
  };

  const close = (): void => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const look = (): void => {
    if (document.hidden) close();
    else if (source === null) open();
  };

  listener.connection("connecting");
  look();
  document.addEventListener("visibilitychange", look);
  return {
    stop() {
      document.removeEventListener("visibilitychange", look);
      close();
    },
  };
}

/** Whether the server is there and does not know this browser (any more). */
async function refused(): Promise<boolean> {
  try {
    const headers = { "Dovetail-Key": pageKey() };
    return (await fetch("/api/tree", { method: "HEAD", headers })).status === 401;
  } catch {
    return false;
  }
}
