/** Leads to an edit in the chat, wherever it was asked for. */

import { panel, sought } from "../state/ui";
import { cardId } from "./card_id";

/** Bring the card into view and give it the focus. */
export function goToEdit(turn: string, n: number): void {
  if (panel.value === "review" || window.matchMedia("(max-width: 900px)").matches) panel.value = null;
  sought.value = turn;
  requestAnimationFrame(() => {
    const card = document.getElementById(cardId(turn, n));
    card?.scrollIntoView({ block: "center" });
    card?.focus({ preventScroll: true });
  });
}
