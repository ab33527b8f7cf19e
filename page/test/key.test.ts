import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** A browser's tab at an address, with what it keeps for this server. */
function open(hash: string, kept: Map<string, string> | null): { shown: string } {
  const tab = { shown: `/${hash}` };
  vi.stubGlobal("location", { hash, pathname: "/" });
  vi.stubGlobal("history", { replaceState: (_state: unknown, _title: string, url: string) => (tab.shown = url) });
  const storage = {
    getItem: (name: string) => {
      if (kept === null) throw new Error("nothing is kept");
      return kept.get(name) ?? null;
    },
    setItem: (name: string, value: string) => {
      if (kept === null) throw new Error("nothing is kept");
      kept.set(name, value);
    },
  };
  vi.stubGlobal("localStorage", storage);
  return tab;
}

const read = async (): Promise<string> => (await import("../src/api/key")).pageKey();

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllGlobals());

describe("pageKey", () => {
  it("takes the key from the address, clears it there, and keeps it for other tabs", async () => {
    const kept = new Map<string, string>();
    const tab = open("#key=a-1_b", kept);
    expect(await read()).toBe("a-1_b");
    expect(tab.shown).toBe("/");
    vi.resetModules();
    open("", kept);
    expect(await read()).toBe("a-1_b");
  });

  it("lets a new key win over an old one", async () => {
    const kept = new Map([["dovetail.key", "old"]]);
    open("#key=new", kept);
    expect(await read()).toBe("new");
    expect([...kept.values()]).toEqual(["new"]);
  });

  it("reads the key that another tab was given since", async () => {
    const kept = new Map([["dovetail.key", "old"]]);
    open("", kept);
    const { pageKey } = await import("../src/api/key");
    expect(pageKey()).toBe("old");
    kept.set("dovetail.key", "new");
    expect(pageKey()).toBe("new");
  });

  it("works in a browser that keeps nothing, and without a key", async () => {
    open("#key=once", null);
    expect(await read()).toBe("once");
    vi.resetModules();
    open("#composer-text", null);
    expect(await read()).toBe("");
  });
});
