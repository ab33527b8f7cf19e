/** What is open and chosen in this tab alone: panels, dialogs, the theme, the edit that has the focus. */

import { effect, signal } from "@preact/signals";

export type Panel = "review" | "diff" | "history" | "tokens";
export type Dialog = "help" | "settings" | "templates" | "prompt" | "conversations";
export type Theme = "auto" | "light" | "dark";
export type DiffMode = "unified" | "split";

/** What the viewer shows. */
export type Target =
  | { readonly kind: "turn"; readonly turn: string; readonly path: string; readonly n: number | null }
  | { readonly kind: "file"; readonly path: string; readonly line: number | null }
  | { readonly kind: "conflict"; readonly turn: string; readonly path: string };

export const panel = signal<Panel | null>(null);
export const filesOpen = signal(false);
export const dialog = signal<Dialog | null>(null);
export const target = signal<Target | null>(null);
/** The turn that was led to last: it is shown whole. */
export const sought = signal<string | null>(null);
export const reviewed = signal<string | null>(null);
export const editing = signal<{ readonly turn: string; readonly n: number } | null>(null);
export const composing = signal<"ask" | "paste">("ask");
/** What the composer's field held when this tab sent a reply, whose turn is still to come: it leads to the first edit. */
export const readingHere = signal<string | null>(null);
export const theme = signal<Theme>(kept("theme", ["auto", "light", "dark"], "auto"));
export const diffMode = signal<DiffMode>(kept("diff-mode", ["unified", "split"], "unified"));
/** Of the review: side by side where that fits, unless one column is wanted. */
export const reviewMode = signal<DiffMode>(kept("review-mode", ["unified", "split"], "split"));
export const singleKeys = signal(kept("single-keys", ["on", "off"], "on") === "on");

/** Open the viewer. */
export function show(what: Target): void {
  target.value = what;
  panel.value = "diff";
}

function kept<T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
  try {
    const value = localStorage.getItem(`dovetail.${name}`);
    return allowed.find((one) => one === value) ?? otherwise;
  } catch {
    return otherwise; // the browser keeps nothing for this page
  }
}

function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`dovetail.${name}`, value);
  } catch {
    // the choice lasts as long as the tab
  }
}

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
  keep("theme", theme.value);
});
effect(() => keep("diff-mode", diffMode.value));
effect(() => keep("review-mode", reviewMode.value));
effect(() => keep("single-keys", singleKeys.value ? "on" : "off"));

// Back closes the panel: opening one is a step in the browser's history, and closing it by other means takes that back.
let deep = false;
effect(() => {
  const open = panel.value !== null;
  if (open === deep) return;
  deep = open;
  if (open) history.pushState({ panel: true }, "");
  else if ((history.state as { panel?: boolean } | null)?.panel === true) history.back();
});
addEventListener("popstate", () => {
  if (!deep) return;
  deep = false;
  panel.value = null;
});
