/** Id of an edit's card in the document. */
export function cardId(turn: string, n: number): string {
  return `${turn}-edit-${n}`;
}
