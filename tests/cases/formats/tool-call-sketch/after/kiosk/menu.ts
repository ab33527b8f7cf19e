export const open = false;

export function close(): void {
  save();
}

export function reopen(): void {
  load();
}
