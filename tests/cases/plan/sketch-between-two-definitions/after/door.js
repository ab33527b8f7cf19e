function open(door) {
  door.turn(90);
  return door;
}

function close(door) {
  door.turn(0);
  return door;
}

function knock(door) {
  door.sound("knock");
  return door;
}

function paint(door, colour) {
  door.colour = colour;
}
