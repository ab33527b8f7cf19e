/**
 * Where the keyboard's focus goes when what has it goes away.
 *
 * Acts answer through the server, so the control that was pressed often vanishes a moment later, and the browser would
 * drop the focus to nowhere. Here it goes to the same control where that was only drawn anew (it has its `id`), else to
 * the nearest part around it that is still there and takes the focus (`tabindex`: a card, a file's group, a turn), else
 * to where one was before: so closing a panel leads back. Who gave the focus away was nowhere, and is led nowhere.
 * Invariant: a focus that somebody has is never moved.
 */

/** The parts of the page between which one goes back. */
const REGIONS = "header, main, nav, .panel, dialog, .notices";

const TAKES_FOCUS = '[tabindex], button, input, select, textarea, summary, a[href], [contenteditable="true"]';

/** An element that had the focus, with what stood around it then, from the inside out. */
type Spot = readonly HTMLElement[];

/** The last spot of each part of the page, the newest at the end. */
const trail = new Map<Element, Spot>();
let current: HTMLElement | null = null;

/** Watch over the focus, from now on. */
export function keepFocus(): void {
  document.addEventListener("focusin", (event) => {
    if (!(event.target instanceof HTMLElement)) return;
    current = event.target;
    remember(event.target);
  });
  document.addEventListener("focusout", (event) => {
    const from = event.target;
    if (event.relatedTarget !== null) return;
    queueMicrotask(() => {
      if (current === null || from !== current || !usable(current) || document.activeElement !== document.body) return;
      current = null;
      trail.clear(); // given away: who left a field for the single keys is not led back into it
    });
  });
  const vanishing = new MutationObserver(() => {
    if (current !== null && !usable(current)) recover();
  });
  vanishing.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
}

/** Focus what a selector finds, once it is drawn. */
export function focusSoon(selector: string): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus());
}

function remember(element: HTMLElement): void {
  const region = element.closest(REGIONS) ?? document.body;
  trail.delete(region);
  trail.set(region, around(element));
}

function around(element: HTMLElement): Spot {
  const spot = [];
  for (let at: HTMLElement | null = element; at !== null && at !== document.body; at = at.parentElement) spot.push(at);
  return spot;
}

function recover(): void {
  current = null;
  const active = document.activeElement;
  if (active instanceof HTMLElement && active !== document.body && usable(active)) return;
  for (const [region, spot] of [...trail].reverse()) {
    const place = standIn(spot);
    if (place !== undefined) return place.focus({ preventScroll: true });
    if (!region.isConnected) trail.delete(region);
  }
}

/** What takes the focus in the place of a spot's element. */
function standIn(spot: Spot): HTMLElement | undefined {
  const again = spot[0]?.id ? document.getElementById(spot[0].id) : null;
  if (again !== null && usable(again)) return again;
  return spot.find((one) => usable(one) && one.matches(TAKES_FOCUS));
}

function usable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(":disabled") && element.closest("[inert]") === null;
}
