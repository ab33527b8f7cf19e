import { berth } from "./berth";

export const FREE = 0;

export function price(guest) {
  return berth(guest);
}
