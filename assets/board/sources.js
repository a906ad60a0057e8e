// The other sources of a row: what each printed, as a row of its own below, never ranked.

/**
 * Add to unpacked `data` a row for every source of the rows that have several; returns a Map from row to the new rows.
 *
 * A source is a table of a paper or a submission; the row itself shows the figures that take precedence.
 */
export function addSourceRows(data) {
  const added = new Map();
  const until = data.ids.length;
  for (let row = data.references.length; row < until; row += 1) {
    if (!data.origins[row].some(({ passed }) => passed)) continue;
    const places = Map.groupBy(data.origins[row], (origin) => origin.place);
    added.set(row, [...places].map(([place, origins]) => addRow(data, row, place, origins)));
  }
  return added;
}

function addRow(data, row, place, origins) {
  const added = data.ids.length;
  data.ids.push(`${data.ids[row]}#${added}`);
  for (const [fact, values] of Object.entries(data.models)) {
    values.push(fact === "name" ? `${values[row]} (${place})` : values[row]);
  }
  const figures = new Map();
  for (const { shown = [], passed = [] } of origins) {
    for (const index of shown) figures.set(index, data.columns[index].values[row]);
    for (const [index, value] of passed) figures.set(index, value);
  }
  for (const column of data.columns) {
    column.values.push(figures.get(column.index) ?? null);
    for (const bounds of [column.low, column.high, column.ranges]) bounds?.push(null);
  }
  data.origins.push(origins);
  data.kinds.push([origins[0].kind]);
  data.places.set(added, place);
  data.parents.set(added, row);
  return added;
}
