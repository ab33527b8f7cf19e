export const LIMIT = 99;
