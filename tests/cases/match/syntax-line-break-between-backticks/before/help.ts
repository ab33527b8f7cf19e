export const help = `ferry [command]
  board    takes cars aboard
  depart   casts off`;
export const name = "ferry";
