import { afterEach, describe, expect, it, vi } from "vitest";
import { listen, type Connection } from "../src/api/stream";

class Stream {
  static readonly CLOSED = 2;
  static readonly all: Stream[] = [];
  readyState = 0;
  onopen = (): void => undefined;
  onerror = (): void => undefined;
  constructor(readonly url: string) {
    Stream.all.push(this);
  }
  addEventListener(): void {}
  close(): void {
    this.readyState = Stream.CLOSED;
  }
}

class Tab extends EventTarget {
  hidden = false;
  show(seen: boolean): void {
    this.hidden = !seen;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

afterEach(() => vi.unstubAllGlobals());

describe("listen", () => {
  it("has a stream while the tab is seen, and tells of none that it gave up", () => {
    const tab = new Tab();
    const said: Connection[] = [];
    vi.stubGlobal("document", tab);
    vi.stubGlobal("EventSource", Stream);
    vi.stubGlobal("location", { hash: "#key=K", pathname: "/" });
    vi.stubGlobal("history", { replaceState: () => undefined });
    vi.stubGlobal("localStorage", { setItem: () => undefined, getItem: () => "K" });
    let after = 3;
    const listening = listen({
      event: () => undefined,
      connection: (state) => said.push(state),
      after: () => ({ seq: after, session: "9f3c" }),
    });
    const [first] = Stream.all;
    first!.onopen();
    tab.show(false);
    expect(first!.readyState).toBe(Stream.CLOSED);
    after = 7;
    tab.show(true);
    first!.onerror();
    expect(Stream.all.map((stream) => stream.url)).toEqual([
      "/api/events?after=3&session=9f3c&key=K",
      "/api/events?after=7&session=9f3c&key=K",
    ]);
    expect(said).toEqual(["connecting", "live"]);
    listening.stop();
    tab.show(false);
    tab.show(true);
    expect(Stream.all).toHaveLength(2);
  });
});
