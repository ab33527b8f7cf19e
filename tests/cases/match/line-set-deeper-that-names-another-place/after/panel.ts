export function refreshSowing(panel: Panel) {
  const rows = harvest.filter(row => row.weight > 0);
  chart.scale(rows, { unit: 'kg', ticks: 12 });
  chart.draw(rows);
}

export function refreshReaping(panel: Panel) {
  const rows = harvest.filter(row => row.weight > 0);
  chart.scale(rows, { unit: 'kg', ticks: 16 });
  chart.draw(rows);
}
