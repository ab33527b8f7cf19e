/**
 * The door to the editors, which are loaded when the first of them is wanted, or when the page has nothing to do. Where
 * the server is away that is said, and whoever wants one next tries again.
 */

import { UNREACHABLE } from "../api/client";
import { complain } from "../state/notices";
import type * as Editors from "./editors";

export type { Field, Lines, Shown } from "./editors";
export type { Place } from "./place";

let loading: Promise<typeof Editors> | null = null;

/** The editors' module. */
export function attach(): Promise<typeof Editors> {
  loading ??= import("./editors").catch(() => {
    loading = null;
    complain(UNREACHABLE, "server");
    return new Promise<never>(() => undefined);
  });
  return loading;
}
