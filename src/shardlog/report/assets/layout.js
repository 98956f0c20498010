const BOX = { width: 204, height: 58, across: 26, down: 46 };
const WIDEST = 9;
const MOST_BENDS = 1500;

/**
 * Place boxes in rows so that edges go downwards, as far as the order of the boxes allows.
 * @param {number} count boxes, in program order
 * @param {{from: number, to: number}[]} edges
 * @returns {{x: number[], y: number[], rows: number[][], bends: [number, number][][],
 *            width: number, height: number}}
 */
function layered(count, edges) {
  const down = edges.map(({ from, to }) => (from < to ? [from, to] : [to, from]));
  const rowOf = broken(rowsOf(count, down), count);
  const cells = Array.from({ length: count }, (_, box) => ({ box, row: rowOf[box], above: [], below: [] }));
  const chains = down.map(([from, to]) => chainOf(cells, from, to));
  const rows = [];
  for (const cell of cells) (rows[cell.row] ??= []).push(cell);
  arrange(rows);
  spread(rows);
  const left = Math.min(...cells.map((cell) => cell.x));
  const result = { x: [], y: [], rows: [], bends: [], width: 0, height: 0 };
  const yOf = (row) => row * (BOX.height + BOX.down);
  for (const cell of cells.slice(0, count)) {
    result.x[cell.box] = cell.x - left;
    result.y[cell.box] = yOf(cell.row);
    result.width = Math.max(result.width, cell.x - left + BOX.width);
  }
  result.rows = rows.map((row) => row.filter((cell) => cell.box !== null).map((cell) => cell.box));
  result.height = rows.length * (BOX.height + BOX.down) - BOX.down;
  result.bends = chains.map((chain) => chain.map((cell) => [cell.x - left, yOf(cell.row)]));
  return result;
}

/** The longest way from above to each box; what nothing leads to stands just above its user. */
function rowsOf(count, down) {
  const row = new Array(count).fill(0);
  const into = new Array(count).fill(0);
  const sorted = [...down].sort((a, b) => a[0] - b[0]);
  for (const [from, to] of sorted) {
    row[to] = Math.max(row[to], row[from] + 1);
    into[to] += 1;
  }
  const nearest = new Array(count).fill(Infinity);
  for (const [from, to] of down) nearest[from] = Math.min(nearest[from], row[to]);
  for (let box = 0; box < count; box += 1) {
    if (!into[box] && nearest[box] < Infinity) row[box] = nearest[box] - 1;
  }
  return row;
}

/** Rows that are too wide are broken into several. */
function broken(row, count) {
  const members = [];
  for (let box = 0; box < count; box += 1) (members[row[box]] ??= []).push(box);
  const result = new Array(count);
  let next = 0;
  for (const boxes of members) {
    if (!boxes) continue;
    const lines = Math.ceil(boxes.length / WIDEST);
    const width = Math.ceil(boxes.length / lines);
    boxes.forEach((box, k) => { result[box] = next + Math.floor(k / width); });
    next += lines;
  }
  return result;
}

/** The bends of an edge that passes rows; with too many in all, long edges go straight. */
function chainOf(cells, from, to) {
  const [start, end] = [cells[from], cells[to]];
  const bends = [];
  if (cells.length < MOST_BENDS && end.row - start.row <= 40) {
    for (let row = start.row + 1; row < end.row; row += 1) {
      bends.push({ box: null, row, above: [], below: [] });
    }
  }
  let last = start;
  for (const cell of [...bends, end]) {
    last.below.push(cell);
    cell.above.push(last);
    last = cell;
  }
  cells.push(...bends);
  return bends;
}

/** Order the rows so that few edges cross: each cell goes to the middle of its neighbours. */
function arrange(rows) {
  const renumber = (row) => row.forEach((cell, place) => { cell.place = place - row.length / 2; });
  rows.forEach(renumber);
  const sweep = (list, side) => {
    for (const row of list) {
      for (const cell of row) {
        const beside = cell[side];
        const sum = beside.reduce((total, other) => total + other.place, 0);
        cell.wish = beside.length ? sum / beside.length : cell.place;
      }
      row.sort((a, b) => a.wish - b.wish);
      renumber(row);
    }
  };
  for (let round = 0; round < 6; round += 1) {
    sweep(rows, 'above');
    sweep([...rows].reverse(), 'below');
  }
}

/** Give cells their x: near their neighbours, without overlap. */
function spread(rows) {
  const widthOf = (cell) => (cell.box === null ? 14 : BOX.width + BOX.across);
  for (const row of rows) {
    const total = row.reduce((sum, cell) => sum + widthOf(cell), 0);
    let x = -total / 2;
    for (const cell of row) {
      cell.x = x;
      x += widthOf(cell);
    }
  }
  const middle = (cell) => cell.x + widthOf(cell) / 2;
  for (let round = 0; round < 8; round += 1) {
    for (const row of round % 2 ? [...rows].reverse() : rows) {
      for (const cell of row) {
        const beside = [...cell.above, ...cell.below];
        const sum = beside.reduce((total, other) => total + middle(other), 0);
        cell.wish = beside.length ? sum / beside.length - widthOf(cell) / 2 : cell.x;
      }
      push(row, widthOf);
    }
  }
}

/** Put a row's cells where they wish to be, each pair at least its width apart. */
function push(row, widthOf) {
  // stretches of touching cells share the mean of their wishes
  const stretches = [];
  for (const cell of row) {
    let stretch = { cells: [cell], wish: cell.wish, width: widthOf(cell) };
    let before = stretches.at(-1);
    while (before && before.wish + before.width > stretch.wish) {
      stretches.pop();
      const all = before.cells.length + stretch.cells.length;
      const wish = (before.wish * before.cells.length
        + (stretch.wish - before.width) * stretch.cells.length) / all;
      stretch = { cells: [...before.cells, ...stretch.cells], wish, width: before.width + stretch.width };
      before = stretches.at(-1);
    }
    stretches.push(stretch);
  }
  for (const stretch of stretches) {
    let x = stretch.wish;
    for (const cell of stretch.cells) {
      cell.x = x;
      x += widthOf(cell);
    }
  }
}
