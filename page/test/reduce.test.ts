import { describe, expect, it } from "vitest";
import type { EventName, Events, WireEvent } from "../src/api/events";
import type { Edit, Round, State, Turn } from "../src/api/wire";
import { reduce } from "../src/state/reduce";

const round: Round = {
  index: 0, step: "request", model: "m", tokens: 1, message: null, repairs: [], reasoning: "", items: [], tail: "",
  answered: false, truncated: false, mentions: {},
};
const turn: Turn = {
  id: "t1", kind: "ask", time: "", request: "x", state: "running", error: null, rounds: [], edits: [], plan: null,
  stopped: null, wanted: [], notes: [], comments: [],
};
const empty = { seq: 10, turns: [turn], questions: [], ledger: { requests: [], total: {}, by_step: {} } } as unknown as State;

function event<N extends EventName>(name: N, data: Events[N]): WireEvent {
  return { name, data } as WireEvent;
}

function after(...events: WireEvent[]): State {
  return events.reduce((state, one, n) => reduce(state, one, 11 + n), empty);
}

const piece = (events: Events["piece"]["events"], tail = ""): WireEvent =>
  event("piece", { turn: "t1", round: 0, events, tail, reasoning: "" });
const begun = event("round", { turn: "t1", round });

describe("reduce", () => {
  it("joins texts of one kind and keeps the others apart", () => {
    const state = after(
      begun,
      piece([{ k: "text", text: "a\n", code: false, line: 1 }], "b"),
      piece([{ k: "text", text: "b\n", code: false, line: 2 }, { k: "text", text: "```\n", code: true, line: 3 }]),
    );
    expect(state.turns[0]!.rounds[0]!.items.map((item) => (item.k === "text" ? item.text : item.k))).toEqual(["a\nb\n", "```\n"]);
    expect(state.turns[0]!.rounds[0]!.tail).toBe("");
  });

  it("lets an edit grow and then be what it is", () => {
    const growing = [
      begun,
      piece([{ k: "opened", n: 1, format: "diff", path: "a.py", line: 3 }]),
      piece([{ k: "lines", n: 1, part: "search", text: "x\n" }]),
      piece([{ k: "lines", n: 1, part: "replace", text: "y\n" }, { k: "lines", n: 1, part: "replace", text: "z\n" }]),
    ];
    expect(after(...growing).turns[0]!.edits[0]).toMatchObject({ state: "arriving", search: "x\n", replace: "y\nz\n", path: "a.py" });
    const closed = { ...after(...growing).turns[0]!.edits[0]!, state: "fits" } as Edit;
    expect(after(...growing, piece([{ k: "closed", edit: closed }])).turns[0]!.edits).toEqual([closed]);
  });

  it("merges fates and leaves other edits the same values", () => {
    const opened = after(
      begun,
      piece([{ k: "opened", n: 1, format: "diff", path: null, line: 1 }, { k: "opened", n: 2, format: "diff", path: null, line: 9 }]),
    );
    const fate = { n: 2, state: "failed", path: "b.py", result: null, skip: false, place: null, written: null, repairable: true, differs: null, carried: null, hunks: null, creates: false } as const;
    const state = reduce(opened, event("plan", { turn: "t1", plan: null, fates: [fate] }), 99);
    expect(state.turns[0]!.edits[0]).toBe(opened.turns[0]!.edits[0]);
    expect(state.turns[0]!.edits[1]).toMatchObject({ n: 2, state: "failed", line: 9 });
  });

  it("takes no event twice", () => {
    const state = after(begun, piece([{ k: "text", text: "a", code: false, line: 1 }]));
    expect(reduce(state, piece([{ k: "text", text: "a", code: false, line: 1 }]), 12)).toBe(state);
  });

  it("leaves events of unknown turns alone, and forgets what the server forgot", () => {
    expect(after(event("plan", { turn: "t9", plan: null, fates: [] })).turns).toEqual([turn]);
    expect(after(event("forgotten", { turns: ["t1"] })).turns).toEqual([]);
  });

  it("opens and closes questions", () => {
    const question = { id: "q1", turn: "t1", kind: "add-file", path: "a", why: "asked" } as const;
    expect(after(event("question", { question })).questions).toEqual([question]);
    expect(after(event("question", { question }), event("question-closed", { id: "q1" })).questions).toEqual([]);
  });
});
