/** Turns key presses into bindings' acts. */

import { composes, keyName } from "../text/keys";
import { BINDINGS, type Binding } from "./bindings";
import { dialog, singleKeys } from "./ui";

const byKeys = new Map<string, Binding>(BINDINGS.map((binding) => [binding.keys, binding]));

/** Whether what has the focus takes letters itself. */
function takesLetters(element: Element | null): boolean {
  return (
    element instanceof HTMLElement &&
    element.closest('input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"]') !== null
  );
}

/** The page's keys, from now on. */
export function bindKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.altKey || composes(event) || dialog.value !== null) return;
    const name = keyName(event);
    const binding = byKeys.get(name);
    if (binding === undefined || name === "Ctrl+Enter") return;
    const combined = name.startsWith("Ctrl+") || name === "Esc";
    const writes = takesLetters(document.activeElement) && !readsOnly(document.activeElement);
    if (!combined && (!singleKeys.value || writes)) return;
    event.preventDefault();
    binding.act();
  });
}

/** A viewer takes no letters, although it looks like a field. */
function readsOnly(element: Element | null): boolean {
  return element?.getAttribute("aria-readonly") === "true";
}
