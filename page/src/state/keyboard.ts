/** Turns key presses into bindings' acts. */

import { BINDINGS, type Binding } from "./bindings";
import { dialog, singleKeys } from "./ui";

/** A key press as bindings name it: `Shift+A`, `Ctrl+.`, `?`; Command counts as Ctrl. */
export function nameOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">): string {
  const key = event.key === "Escape" ? "Esc" : event.key;
  const letter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  const named = letter ? (event.shiftKey ? key.toUpperCase() : key.toLowerCase()) : key;
  return [event.ctrlKey || event.metaKey ? "Ctrl" : "", event.shiftKey && letter ? "Shift" : "", named]
    .filter((part) => part !== "")
    .join("+");
}

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
    if (event.defaultPrevented || event.altKey || event.isComposing || dialog.value !== null) return;
    const name = nameOf(event);
    const binding = byKeys.get(name);
    if (binding === undefined || name === "Ctrl+Enter") return;
    const combined = name.startsWith("Ctrl+") || name === "Esc";
    if (!combined && (!singleKeys.value || takesLetters(document.activeElement) && !readsOnly(document.activeElement))) return;
    event.preventDefault();
    binding.act();
  });
}

/** A viewer takes no letters, although it looks like a field. */
function readsOnly(element: Element | null): boolean {
  return element?.getAttribute("aria-readonly") === "true";
}
