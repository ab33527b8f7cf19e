/** The door to the editors, which are loaded when the first of them is wanted, or when the page has nothing to do. */

import type * as Editors from "./editors";

export type { Field, Shown } from "./editors";
export type { Place } from "./place";

let loading: Promise<typeof Editors> | null = null;

/** The editors' module. */
export function attach(): Promise<typeof Editors> {
  loading ??= import("./editors");
  return loading;
}
