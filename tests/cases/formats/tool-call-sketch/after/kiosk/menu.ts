export const open = false;

export function close(): void {
  saveAll();
}

export function reopen(): void {
  load();
}
