import { post } from "./wire";
import { clock } from "./clock";

const RETRIES = 3;

interface Lamp {
  id: string;
  lit: boolean;
}

// A lamp on the quay.
export function switchLamp(id: string) {
  return post(id, { at: clock(), retries: RETRIES });
}

export function allLamps() {
  return post("all", {});
}
