/** A part of the page that is loaded when it is first shown, or when the page is idle. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { UNREACHABLE } from "../api/client";
import { complain } from "../state/notices";

type Part = () => JSX.Element | null;

const loads: (() => Promise<unknown>)[] = [];

/** The part that `load` brings; nothing is drawn before it is there. */
export function later(load: () => Promise<Part>): Part {
  let found: Part | null = null;
  const get = async (): Promise<Part> => (found ??= await load());
  loads.push(get);
  return function Later(): JSX.Element | null {
    const [, redraw] = useState(0);
    useEffect(() => {
      if (found === null) void get().then(() => redraw((n) => n + 1), () => complain(UNREACHABLE, "server"));
    }, []);
    const Found = found;
    return Found === null ? null : <Found />;
  };
}

/** Load every part that is not there yet; one that cannot be had now is asked for again when it is shown. */
export async function loadParts(): Promise<void> {
  await Promise.allSettled(loads.map((load) => load()));
}
