/**
 * What is typed into an edit, on its way to the plan.
 *
 * One request at a time, always with the newest text, so that no older text arrives behind a newer one. A turn is
 * settled when the plan with all that was typed is the one on the screen; only then is anything of it applied.
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
    if (idle) queue(turn, drain);
  };
}

/** Wait until all that was typed into a turn's edits is planned and shown; false where there was nothing to wait for. */
export async function settled(turn: string): Promise<boolean> {
  const work = unsettled.get(turn);
  await work;
  return work !== undefined;
}

function queue(turn: string, act: () => Promise<void>): void {
  const work = (unsettled.get(turn) ?? Promise.resolve()).then(act).finally(() => {
    if (unsettled.get(turn) === work) unsettled.delete(turn);
  });
  unsettled.set(turn, work);
}

/** Resolves once a turn shows a plan of this version or a later one, or is gone. */
function shown(turn: string, version: number): Promise<void> {
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
