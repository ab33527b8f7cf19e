function lift(boat) {
  if (boat.heavy) {
    return false;
  }
  gates.close();
  water.rise(boat.draught);
  gates.open();
  log.add(boat.name);
  return true;
}

function lower(boat) {
  return !lift(boat);
}
