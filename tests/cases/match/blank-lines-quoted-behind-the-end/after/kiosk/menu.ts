export function soup() {
  return 4;
}

export function stew() {
  return 6;
}
