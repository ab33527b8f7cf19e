/** The conversation: turns one after another, kept at its end while new things arrive there. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Question, Turn } from "../api/wire";
import { questions, turns } from "../state/store";
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

/**
 * Follow what arrives, unless one has scrolled up, however little; near the end it follows again. Who begins to scroll
 * is let be: a browser that moves smoothly gives up the movement when the position is set meanwhile.
 *
 * It moves when the browser has laid out what is new and tells its size: asking for the size any earlier would have
 * it lay out everything twice for each piece.
 */
function useStayAtEnd(box: { readonly current: HTMLDivElement | null }, all: readonly Turn[]): void {
  const follows = useRef(true);
  const last = all.at(-1);
  const running = useRef(false);
  running.current = last?.state === "running";
  useEffect(() => {
    const element = box.current;
    const inside = element?.firstElementChild;
    if (element === null || inside == null) return;
    let top = element.scrollTop;
    let begun = -BEGUN;
    const begin = (): void => void (begun = performance.now());
    const look = (): void => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      follows.current = left < AT_END || (element.scrollTop >= top && left < NEAR);
      top = element.scrollTop;
    };
    const toEnd = new ResizeObserver(() => {
      if (follows.current && running.current && performance.now() - begun > BEGUN) element.scrollTop = element.scrollHeight;
    });
    toEnd.observe(inside);
    element.addEventListener("scroll", look, { passive: true });
    for (const name of BEGINS) element.addEventListener(name, begin, { passive: true });
    return () => {
      toEnd.disconnect();
      element.removeEventListener("scroll", look);
      for (const name of BEGINS) element.removeEventListener(name, begin);
    };
  }, [box]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [box, last?.id]);
}
