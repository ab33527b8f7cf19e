const all = [
  // ...
  1,
];
