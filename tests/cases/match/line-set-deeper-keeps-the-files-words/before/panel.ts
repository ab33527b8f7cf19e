export function refresh(panel: Panel) {
  const rows = harvest.filter(row => row.weight > 0);
  chart.scale(rows, { unit: 'kg', ticks: 12 });
  chart.draw(rows);
  legend.fill(rows.map(row => row.field));
}
