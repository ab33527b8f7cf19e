const all = [
  // ...
  1,
  2,
];
