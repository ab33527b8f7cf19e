/** What stands in the composer, kept for this tab alone, so that loading the page again loses nothing. */

export interface Texts {
  readonly ask: string;
  readonly paste: string;
}

const NAME = "dovetail.composer";

export function keptTexts(): Texts {
  try {
    const { ask, paste } = JSON.parse(sessionStorage.getItem(NAME) ?? "{}") as Partial<Record<keyof Texts, unknown>>;
    return { ask: typeof ask === "string" ? ask : "", paste: typeof paste === "string" ? paste : "" };
  } catch {
    return { ask: "", paste: "" }; // the browser keeps nothing for this page, or something else is kept
  }
}

export function keepTexts(texts: Texts): void {
  try {
    if (texts.ask + texts.paste === "") sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, JSON.stringify(texts));
  } catch {
    // it lasts as long as the page
  }
}
