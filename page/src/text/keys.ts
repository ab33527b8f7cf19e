/** A key press as bindings name it: `Shift+A`, `Ctrl+.`, `?`, `Esc`. Command counts as Ctrl. */
export function keyName(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">): string {
  const key = event.key === "Escape" ? "Esc" : event.key;
  const letter = key.length === 1 && key.toLowerCase() !== key.toUpperCase();
  const named = letter && event.shiftKey ? key.toUpperCase() : letter ? key.toLowerCase() : key;
  const held = [event.ctrlKey || event.metaKey ? "Ctrl" : "", event.shiftKey && letter ? "Shift" : ""];
  return [...held.filter((part) => part !== ""), named].join("+");
}

/**
 * Whether a press is the input method's, with which a character is put together. Of the press that ends it Safari tells
 * by the number of the key alone.
 */
export function composes(event: Pick<KeyboardEvent, "isComposing" | "keyCode">): boolean {
  return event.isComposing || event.keyCode === 229;
}
