/** The conversation: turns one after another, kept at its end while new things arrive there. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Question, Turn } from "../api/wire";
import { questions, turns } from "../state/store";
import { TurnView } from "./turn_view";
import { Welcome } from "./welcome";

const UNFOLDED = 6;
const NEAR = 120;
const NONE: readonly Question[] = [];

export function ChatLog(): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const all = turns.value;
  useStayAtEnd(box, all);
  const byTurn = useQuestions();
  return (
    <div class="chat-log" ref={box} role="log" aria-live="off" aria-label="Conversation" tabIndex={0}>
      {all.length === 0 ? (
        <Welcome />
      ) : (
        all.map((turn, n) => (
          <TurnView
            key={turn.id}
            turn={turn}
            questions={byTurn.get(turn.id) ?? NONE}
            folded={n < all.length - UNFOLDED && turn.state !== "running" && turn.state !== "open"}
          />
        ))
      )}
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

/** Follow what arrives, unless one has scrolled away from the end. */
function useStayAtEnd(box: { readonly current: HTMLDivElement | null }, all: readonly Turn[]): void {
  const follows = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = (): void => {
      follows.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [box]);
  const last = all.at(-1);
  const before = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const fresh = before.current !== last?.id;
    before.current = last?.id;
    if (fresh || (follows.current && last?.state === "running")) element.scrollTop = element.scrollHeight;
  }, [last]);
}
