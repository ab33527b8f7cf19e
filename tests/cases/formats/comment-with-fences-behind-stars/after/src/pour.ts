/**
 * Pours it.
 * ```
 * pour();
 * ```
 */
export const pour = () => undefined;
