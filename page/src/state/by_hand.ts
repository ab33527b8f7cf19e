/**
 * What is decided about a turn, on its way to the plan: what is typed into an edit, choices, writes.
 *
 * One request at a time for each turn, in the order in which they were made, and of a text always the newest. A turn is
 * settled when the plan with all that was decided is the one on the screen; only then is anything of it applied.
 */

import { effect } from "@preact/signals";
import type { Plan } from "../api/wire";
import { turns } from "./store";

const PAUSE = 80;

const unsettled = new Map<string, Promise<void>>();

/**
 * Where the texts of one edit go while they are typed. `send` plans one and answers with that plan, or null where it
 * was refused; it is called for the newest text, a moment after the first that it has not seen.
 */
export function typing<T>(turn: string, send: (text: T) => Promise<{ plan: Plan } | null>): (text: T) => void {
  let newest: { text: T } | null = null;
  const drain = async (): Promise<void> => {
    while (newest !== null) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      const { text } = newest;
      newest = null;
      const answer = await send(text);
      if (answer !== null) await shown(turn, answer.plan.version);
    }
  };
  return (text) => {
    const idle = newest === null;
    newest = { text };
    if (idle) void queue(turn, drain);
  };
}

/** Have an act done after all that were begun before; it answers with the plan that comes of it, null where there is none. */
export async function inTurn<T extends { readonly plan: number | null }>(turn: string, act: () => Promise<T | null>): Promise<T | null> {
  let answer: T | null = null;
  await queue(turn, async () => {
    answer = await act();
    if (answer !== null && answer.plan !== null) await shown(turn, answer.plan);
  });
  return answer;
}

/** Wait until all that was decided about a turn is planned and shown; false where there was nothing to wait for. */
export async function settled(turn: string): Promise<boolean> {
  const work = unsettled.get(turn);
  await work;
  return work !== undefined;
}

function queue(turn: string, act: () => Promise<void>): Promise<void> {
  const work = (unsettled.get(turn) ?? Promise.resolve()).then(act).finally(() => {
    if (unsettled.get(turn) === work) unsettled.delete(turn);
  });
  unsettled.set(turn, work);
  return work;
}

/** Resolves once a turn shows a plan of this version or a later one, or is gone. */
export function shown(turn: string, version: number): Promise<void> {
  return new Promise((resolve) => {
    let stop = (): void => undefined;
    let done = false;
    stop = effect(() => {
      const plan = turns.value.find((one) => one.id === turn)?.plan;
      if (plan != null && plan.version < version) return;
      done = true;
      resolve();
      stop();
    });
    if (done) stop();
  });
}
