export function area(width: number, height: number): number {
  return width * height
}

/** The way around a rectangle, its corners included. */
export function around(width: number, height: number): number {
  return 2 * (width + height)
}
