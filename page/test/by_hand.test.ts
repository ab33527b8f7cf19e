import { describe, expect, it, vi } from "vitest";
import type { Plan, State, Turn } from "../src/api/wire";
import { settled, typing } from "../src/state/by_hand";
import { session } from "../src/state/store";

const show = (version: number): void => {
  session.value = { turns: [{ id: "t1", plan: { version } as Plan } as Turn] } as unknown as State;
};

describe("what is typed into an edit", () => {
  it("goes one at a time, the newest alone, and settles when its plan is shown", async () => {
    vi.useFakeTimers();
    show(1);
    const sent: string[] = [];
    const answers: (() => void)[] = [];
    const send = (text: string): Promise<{ plan: Plan }> =>
      new Promise((resolve) => {
        sent.push(text);
        answers.push(() => resolve({ plan: { version: 1 + sent.length } as Plan }));
      });
    const type = typing("t1", send);
    expect(await settled("t1")).toBe(false);
    type("a");
    type("ab");
    let done: boolean | null = null;
    void settled("t1").then((waited) => (done = waited));
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toEqual(["ab"]);
    type("abc");
    type("abcd");
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toEqual(["ab"]);
    answers[0]!();
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toEqual(["ab"]);
    show(2);
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toEqual(["ab", "abcd"]);
    expect(done).toBe(null);
    answers[1]!();
    await vi.advanceTimersByTimeAsync(100);
    expect(done).toBe(null);
    show(3);
    await vi.advanceTimersByTimeAsync(100);
    expect(done).toBe(true);
    vi.useRealTimers();
  });
});
