/**
 * The one state of the page, kept equal to the server's by its events.
 *
 * Events of one frame are taken in together, so a piece costs one drawing however many came with it. Nothing here
 * draws; views read the signals.
 */

import { batch, computed, signal } from "@preact/signals";
import { ApiError, get, speakFor } from "../api/client";
import { listen, type Connection } from "../api/stream";
import type { Events, WireEvent } from "../api/events";
import type { Held, Question, State, Turn } from "../api/wire";
import { fileFinder } from "../text/prose";
import { reduce } from "./reduce";

const NOTHING_HELD: Held = { editable: [], read_only: [] };
const NO_QUESTIONS: readonly Question[] = [];
const AGAIN = 2000; // milliseconds between two attempts to begin again

export const session = signal<State | null>(null);
export const connection = signal<Connection>("connecting");
export const paths = signal<readonly string[]>([]);
export const pathsTruncated = signal(false);
/** The provider is asked again after a wait. */
export const waiting = signal<Events["waiting"] | null>(null);
/** Grows whenever files on disk may have changed. */
export const filesVersion = signal(0);

// Parts of the state, each a signal of its own: what reads one is drawn again only when that one changes.
export const begun = computed(() => session.value !== null);
export const turns = computed<readonly Turn[]>(() => session.value?.turns ?? []);
export const hasTurns = computed(() => turns.value.length > 0);
export const running = computed(() => session.value?.running ?? null);
export const settings = computed(() => session.value?.settings ?? null);
export const held = computed(() => session.value?.held ?? NOTHING_HELD);
export const ledger = computed(() => session.value?.ledger ?? null);
export const journal = computed(() => session.value?.journal ?? null);
export const questions = computed(() => session.value?.questions ?? NO_QUESTIONS);
export const folderName = computed(() => session.value?.name ?? "");
export const inSample = computed(() => session.value?.sample ?? false);
export const folderRoot = computed(() => session.value?.root ?? "");
/** A model can be asked. */
export const modelReady = computed(() => session.value?.settings.ready ?? false);
export const findFile = computed(() => fileFinder(paths.value));

type Watcher = (events: readonly WireEvent[], before: State, after: State) => void;
const watchers: Watcher[] = [];
let queue: { event: WireEvent; seq: number }[] = [];
let scheduled = false;
let listening: { stop(): void } | null = null;
/** Which list of files was asked for last: none that was asked for before it counts. */
let wanted = {};
type Tree = { readonly paths: readonly string[]; readonly truncated: boolean };

/** Be told what came with each frame. */
export function watch(watcher: Watcher): void {
  watchers.push(watcher);
}

/** Fetch the state and follow it from there on. Throws `ApiError` where the server refuses. */
export async function start(): Promise<void> {
  listening?.stop();
  queue = [];
  const state = await get<State>("state");
  speakFor(state.session);
  session.value = state;
  void loadTree();
  listening = listen({
    event: take,
    connection: (now) => (connection.value = now),
    after: () => ({ seq: queue.at(-1)?.seq ?? session.value?.seq ?? 0, session: state.session }),
  });
}

/** Begin again where events were missed, as often as it takes. */
async function startAgain(): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    connection.value = error.status === 401 ? "refused" : "lost";
    if (error.status !== 401) setTimeout(() => void startAgain(), AGAIN);
  }
}

/** Fetch the list of files; where the server is away, the last one stays until it tells of another. */
async function loadTree(): Promise<void> {
  const mine = (wanted = {});
  const tree = await get<Tree>("tree").catch(() => null);
  if (tree === null || mine !== wanted) return;
  batch(() => {
    paths.value = tree.paths;
    pathsTruncated.value = tree.truncated;
  });
}

/** A turn by its id. */
export function turnById(id: string): Turn | null {
  return session.peek()?.turns.find((turn) => turn.id === id) ?? null;
}

function take(event: WireEvent, seq: number): void {
  if (event.name === "reset") {
    void startAgain();
    return;
  }
  queue.push({ event, seq });
  if (scheduled) return;
  scheduled = true;
  if (document.hidden) setTimeout(flush, 250);
  else requestAnimationFrame(flush);
}

function flush(): void {
  scheduled = false;
  const came = queue;
  queue = [];
  const before = session.peek();
  if (before === null || came.length === 0) return;
  const after = came.reduce((state, { event, seq }) => reduce(state, event, seq), before);
  const events = came.filter(({ seq }) => seq > before.seq).map(({ event }) => event);
  batch(() => {
    session.value = after;
    events.forEach(aside);
  });
  for (const watcher of watchers) watcher(events, before, after);
}

/** What events mean beside the state. */
function aside(event: WireEvent): void {
  switch (event.name) {
    case "waiting":
      waiting.value = event.data;
      break;
    case "piece":
    case "running":
    case "turn-state":
      waiting.value = null;
      break;
    case "tree":
      void loadTree();
      break;
    case "written":
    case "journal":
      filesVersion.value++;
      break;
    default:
  }
}
