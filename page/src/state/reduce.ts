/**
 * What each event does to the state: a pure function, so that a stream replayed gives the same state.
 *
 * Owns no rendering and no request. Values are replaced, never changed in place: what is the same object is unchanged,
 * which is how the view knows what to draw again. An event about a turn that is not known is left alone.
 */

import type { Events, PieceEvent, WireEvent } from "../api/events";
import type { Edit, Fate, Item, Round, State, Turn } from "../api/wire";

/** The state after an event. Events that the state contains already leave it as it is. */
export function reduce(state: State, event: WireEvent, seq: number): State {
  if (seq <= state.seq) return state;
  return { ...apply(state, event), seq };
}

function apply(state: State, event: WireEvent): State {
  switch (event.name) {
    case "turn":
      return { ...state, turns: withTurn(state.turns, event.data.turn) };
    case "turn-state": {
      const { turn: id, ...fields } = event.data;
      return changeTurn(state, id, (turn) => ({ ...turn, ...fields }));
    }
    case "round":
      return changeTurn(state, event.data.turn, (turn) => ({ ...turn, rounds: [...turn.rounds, event.data.round] }));
    case "piece":
      return changeTurn(state, event.data.turn, (turn) => addPiece(turn, event.data));
    case "edits":
      return changeTurn(state, event.data.turn, (turn) => ({ ...turn, edits: replaceEdits(turn.edits, event.data.edits) }));
    case "fates":
      return changeTurn(state, event.data.turn, (turn) => ({ ...turn, edits: mergeFates(turn.edits, event.data.fates) }));
    case "plan":
      return changeTurn(state, event.data.turn, (turn) => ({
        ...turn,
        plan: event.data.plan,
        edits: mergeFates(turn.edits, event.data.fates),
      }));
    case "answered":
      return changeTurn(state, event.data.turn, (turn) => endRound(turn, event.data));
    case "note": {
      const { turn: id, text, hint } = event.data;
      return changeTurn(state, id, (turn) => ({ ...turn, notes: [...turn.notes, { text, hint }] }));
    }
    case "comments":
      return changeTurn(state, event.data.turn, (turn) => ({ ...turn, comments: event.data.comments }));
    case "question":
      return { ...state, questions: [...without(state.questions, event.data.question.id), event.data.question] };
    case "question-closed":
      return { ...state, questions: without(state.questions, event.data.id) };
    case "journal": {
      const { undo, redo, count } = event.data;
      return { ...state, journal: { undo, redo, count } };
    }
    case "held":
      return { ...state, held: event.data };
    case "settings":
      return { ...state, settings: event.data };
    case "ledger": {
      const { request, total, by_step } = event.data;
      return { ...state, ledger: { requests: [...state.ledger.requests, request], total, by_step } };
    }
    case "running":
      return { ...state, running: event.data.turn };
    case "forgotten":
      return { ...state, turns: state.turns.filter((turn) => !event.data.turns.includes(turn.id)) };
    case "reset":
    case "waiting":
    case "written":
    case "tree":
      return state;
  }
}

function without<T extends { readonly id: string }>(values: readonly T[], id: string): T[] {
  return values.filter((value) => value.id !== id);
}

function withTurn(turns: readonly Turn[], turn: Turn): Turn[] {
  return turns.some((known) => known.id === turn.id)
    ? turns.map((known) => (known.id === turn.id ? turn : known))
    : [...turns, turn];
}

function changeTurn(state: State, id: string, change: (turn: Turn) => Turn): State {
  const index = state.turns.findIndex((turn) => turn.id === id);
  if (index < 0) return state;
  return { ...state, turns: state.turns.with(index, change(state.turns[index]!)) };
}

function changeRound(turn: Turn, index: number, change: (round: Round) => Round): Turn {
  return { ...turn, rounds: turn.rounds.map((round) => (round.index === index ? change(round) : round)) };
}

function endRound(turn: Turn, data: Events["answered"]): Turn {
  return changeRound(turn, data.round, (round) => ({
    ...round,
    answered: true,
    tail: "",
    truncated: data.truncated,
    mentions: data.mentions,
  }));
}

function addPiece(turn: Turn, data: Events["piece"]): Turn {
  const edits = data.events.reduce<readonly Edit[]>((sum, piece) => addToEdits(sum, piece, data.round), turn.edits);
  const changed = changeRound(turn, data.round, (round) => ({
    ...round,
    items: data.events.reduce<readonly Item[]>(addToItems, round.items),
    tail: data.tail,
    reasoning: round.reasoning + data.reasoning,
  }));
  return { ...changed, edits };
}

function addToItems(items: readonly Item[], piece: PieceEvent): readonly Item[] {
  switch (piece.k) {
    case "text": {
      const last = items.at(-1);
      if (last?.k !== "text" || last.code !== piece.code) return [...items, piece];
      return items.with(-1, { ...last, text: last.text + piece.text });
    }
    case "opened":
      return [...items, { k: "edit", n: piece.n }];
    case "lines":
    case "closed":
      return items;
    default:
      return [...items, piece];
  }
}

function addToEdits(edits: readonly Edit[], piece: PieceEvent, round: number): readonly Edit[] {
  switch (piece.k) {
    case "opened":
      return [...edits, opened(piece, round)];
    case "lines":
      return changeEdit(edits, piece.n, (edit) => ({ ...edit, [piece.part]: edit[piece.part] + piece.text }));
    case "closed":
      return replaceEdits(edits, [piece.edit]);
    default:
      return edits;
  }
}

function opened(piece: Extract<PieceEvent, { k: "opened" }>, round: number): Edit {
  return {
    n: piece.n, round, state: "arriving", path: piece.path, format: piece.format, kind: "edit", destination: null,
    line: piece.line, search: "", replace: "", original: null, raw: "", preview: "", diff: null, result: null,
    skip: false, place: null, written: null, repairable: false, differs: null, carried: null, hunks: null,
    creates: false,
  };
}

function changeEdit(edits: readonly Edit[], n: number, change: (edit: Edit) => Edit): readonly Edit[] {
  const index = edits.findIndex((edit) => edit.n === n);
  return index < 0 ? edits : edits.with(index, change(edits[index]!));
}

function replaceEdits(edits: readonly Edit[], fresh: readonly Edit[]): readonly Edit[] {
  const byNumber = new Map(fresh.map((edit) => [edit.n, edit]));
  const known = edits.map((edit) => {
    const other = byNumber.get(edit.n);
    byNumber.delete(edit.n);
    return other ?? edit;
  });
  return [...known, ...byNumber.values()];
}

function mergeFates(edits: readonly Edit[], fates: readonly Fate[]): readonly Edit[] {
  if (fates.length === 0) return edits;
  const byNumber = new Map(fates.map((fate) => [fate.n, fate]));
  return edits.map((edit) => {
    const fate = byNumber.get(edit.n);
    return fate === undefined ? edit : { ...edit, ...fate };
  });
}
