/**
 * What a screen reader is told of things that arrive: gathered, short, and never faster than it can be heard.
 *
 * Sentences of one interval become one announcement; past a few, what came is only counted.
 */

import { signal } from "@preact/signals";
import type { WireEvent } from "../api/events";
import type { State, Turn } from "../api/wire";
import { spelled } from "../text/visible";
import { countStates, shownState, stateLabel } from "../text/words";
import { watch } from "./store";

export const announcement = signal("");

const INTERVAL = 1200;
const MOST = 3;

let pending: string[] = [];
let timer: ReturnType<typeof setTimeout> | null = null;

/** Have a sentence read out politely. */
export function announce(sentence: string): void {
  pending.push(sentence);
  timer ??= setTimeout(speak, pending.length === 1 ? 150 : INTERVAL);
}

function speak(): void {
  const said = pending.slice(-MOST);
  const left = pending.length - said.length;
  announcement.value = spelled([left > 0 ? `${left} more messages.` : "", ...said].join(" ").trim());
  pending = [];
  timer = setTimeout(() => {
    timer = null;
    if (pending.length > 0) speak();
  }, INTERVAL);
}

/** What a batch of events says, in sentences. */
function sentences(events: readonly WireEvent[], before: State, after: State): string[] {
  const said: string[] = [];
  for (const event of events) {
    switch (event.name) {
      case "turn-state":
        said.push(...ended(event.data.turn, event.data.state, after));
        break;
      case "turn":
        if (turnOf(before, event.data.turn.id) === undefined) said.push(...summary(event.data.turn.id, after));
        break;
      case "piece":
        for (const piece of event.data.events) {
          if (piece.k === "opened") said.push(`Edit ${piece.n}${piece.path === null ? "" : ` of ${piece.path}`} arrives.`);
        }
        break;
      case "fates":
        for (const { n } of event.data.fates) {
          const edit = turnOf(after, event.data.turn)?.edits.find((one) => one.n === n);
          if (edit !== undefined) said.push(`Edit ${n} ${stateLabel(shownState(edit, false)).toLowerCase()}.`);
        }
        break;
      case "question":
        said.push("The model's turn waits for an answer of yours.");
        break;
      case "note":
        said.push(event.data.text);
        break;
      default:
    }
  }
  return said;
}

function ended(id: string, state: string, after: State): string[] {
  if (state === "running") return ["The model answers."];
  if (state === "failed") return ["The model's turn failed."];
  if (state === "cancelled") return ["Stopped."];
  return summary(id, after);
}

function summary(id: string, after: State): string[] {
  const turn = turnOf(after, id);
  if (turn === undefined || turn.plan === null) return turn?.state === "done" ? ["The answer is complete."] : [];
  const parts = countStates(turn).map(({ text }) => text);
  return parts.length > 0 ? [`Edits: ${parts.join(", ")}.`] : [];
}

function turnOf({ turns }: State, id: string): Turn | undefined {
  return turns.find((turn) => turn.id === id);
}

watch((events, before, after) => sentences(events, before, after).forEach(announce));
