export const labels = {
  moor: "Moor",
  depart: "Depart",
  weigh: "Weigh anchor",
};
