export function hail(ship: Ship, word: string) {
  return send(
    ship.radio,
    `${word}, ${ship.name}`,
    { loud: true },
  );
}
