/** The conversation: turns one after another, kept at its end while new things arrive there. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Question, Turn } from "../api/wire";
import { questions, turns } from "../state/store";
import { readingHere } from "../state/ui";
import { cardId } from "./card_id";
import { TurnView } from "./turn_view";
import { Welcome } from "./welcome";

const UNFOLDED = 6;
const NEAR = 120;
const AT_END = 2;
/** How long after one has begun to scroll, in milliseconds, that shows in the position. */
const BEGUN = 250;
const BEGINS = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
const NONE: readonly Question[] = [];

export function ChatLog(): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const all = turns.value;
  useStayAtEnd(box, all);
  const byTurn = useQuestions();
  return (
    <div class="chat-log" ref={box} role="log" aria-live="off" aria-label="Conversation" tabIndex={0}>
      <div class="chat-turns">
        {all.length === 0 && <Welcome />}
        {all.map((turn, n) => (
          <TurnView
            key={turn.id}
            turn={turn}
            questions={byTurn.get(turn.id) ?? NONE}
            folded={n < all.length - UNFOLDED && turn.state !== "running" && turn.state !== "open"}
          />
        ))}
      </div>
    </div>
  );
}

function useQuestions(): ReadonlyMap<string, readonly Question[]> {
  const all = questions.value;
  return useMemo(() => {
    const byTurn = new Map<string, readonly Question[]>();
    for (const question of all) byTurn.set(question.turn, [...(byTurn.get(question.turn) ?? []), question]);
    return byTurn;
  }, [all]);
}

/** How the log stands to its end; `own` is where it moved by itself, until somebody moves it. */
interface Place {
  follows: boolean;
  arrives: boolean;
  running: boolean;
  own: number;
}

/**
 * A reply that comes whole is shown from its first edit on. Follow what arrives, unless one has scrolled up, however little; near the end it follows again. What arrives is a new
 * turn, a running one, and whatever its end brings (an error, the list of failures, a lower composer), until one does
 * something in the log: what one opens there stays where it is. Who begins to scroll is let be: a browser that moves
 * smoothly gives up the movement when the position is set meanwhile.
 *
 * It moves when the browser has laid out what is new and tells its size: asking for the size any earlier would have
 * it lay out everything twice for each piece. More may have come when the movement is told, so that its own say nothing,
 * nor do those that the browser makes where the log itself gets higher.
 */
function useStayAtEnd(box: { readonly current: HTMLDivElement | null }, all: readonly Turn[]): void {
  const place = useRef<Place>({ follows: true, arrives: true, running: false, own: -1 });
  const last = all.at(-1);
  place.current.running = last?.state === "running";
  place.current.arrives ||= place.current.running;
  useEffect(() => {
    const element = box.current;
    const inside = element?.firstElementChild;
    if (element === null || inside == null) return;
    const at = place.current;
    let top = element.scrollTop;
    let room = element.clientHeight;
    let begun = -BEGUN;
    let later = 0;
    const begin = (): void => {
      begun = performance.now();
      at.arrives = at.running;
    };
    const look = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const left = scrollHeight - scrollTop - clientHeight;
      const makesRoom = scrollTop < top && top - scrollTop <= Math.ceil(clientHeight - room);
      if (scrollTop !== top && scrollTop !== at.own && !makesRoom) {
        at.own = -1;
        at.follows = left < AT_END || (scrollTop >= top && left < NEAR);
      }
      [top, room] = [scrollTop, clientHeight];
    };
    const follow = (): void => {
      clearTimeout(later);
      if (!at.follows || !at.arrives) return;
      const wait = begun + BEGUN - performance.now();
      if (wait > 0) later = window.setTimeout(follow, wait);
      else toEnd(element, at);
    };
    const sizes = new ResizeObserver(follow);
    sizes.observe(inside);
    sizes.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    for (const name of BEGINS) element.addEventListener(name, begin, { passive: true });
    return () => {
      clearTimeout(later);
      sizes.disconnect();
      element.removeEventListener("scroll", look);
      for (const name of BEGINS) element.removeEventListener(name, begin);
    };
  }, [box]);
  const mounted = useRef(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const at = place.current;
    const first = mounted.current && last !== undefined && last.kind === "paste" ? firstEdit(last) : null;
    mounted.current = true;
    at.follows = at.arrives = first === null;
    if (first === null) toEnd(element, at);
    else readOn(element, first, last?.id ?? "");
    const sent = readingHere.peek();
    if (last?.kind === "paste" && sent !== null) {
      readingHere.value = null;
      const typed = document.querySelector<HTMLTextAreaElement>("#composer-text")?.value ?? "";
      if (typed === "" || typed === sent) (first ?? document.getElementById(`turn-${last.id}`))?.focus({ preventScroll: true });
    }
  }, [box, last?.id]);
}

/** The card of a turn's first edit. */
function firstEdit({ id, edits }: Turn): HTMLElement | null {
  return edits[0] === undefined ? null : document.getElementById(cardId(id, edits[0].n));
}

const ABOVE = 12; // pixels above what is scrolled to
const LEAD = 0.4; // of the height: a longer introduction is scrolled over

/** A reply that came whole is read from its first edit on, with what leads up to it if that is short. */
function readOn(log: HTMLElement, edit: HTMLElement, turn: string): void {
  const top = (element: Element): number => element.getBoundingClientRect().top - log.getBoundingClientRect().top + log.scrollTop;
  const begin = document.getElementById(`turn-${turn}`);
  const near = begin !== null && top(edit) - top(begin) < log.clientHeight * LEAD;
  log.scrollTop = top(near ? begin : edit) - ABOVE;
}

function toEnd(element: HTMLElement, at: Place): void {
  element.scrollTop = element.scrollHeight;
  at.own = element.scrollTop;
}
