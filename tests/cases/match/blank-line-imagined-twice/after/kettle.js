function kettle(heat, pour, lid, steam) {
  const parts = {
    heat,
    pour,
    lid,
    steam,
  };
  parts.pour();
  return {
    heat,
    pour,
    lid,
    parts,
  };
}
