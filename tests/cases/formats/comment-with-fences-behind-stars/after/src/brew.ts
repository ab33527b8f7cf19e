/**
 * Brews one pot.
 *
 * ```ts
 * brew(3);
 * ```
 */
export const brew = (cups: number) => cups * 150;
