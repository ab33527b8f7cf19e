function kettle(heat, pour, lid, steam) {
  return {
    heat,
    pour,
    lid,
  };
}
