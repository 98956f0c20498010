const LINE = 28;

/** All instructions that are shown as a table, of which only the lines in sight exist. */
class Table {
  /**
   * @param {HTMLElement} host
   * @param {HloModule} module
   * @param {Filters} filters
   * @param {function(number)} open
   */
  constructor(host, module, filters, open) {
    Object.assign(this, { host, module, open, current: 0, order: [] });
    const record = (column, names) => (i) => {
      const last = module.lastRecord(i);
      return last < 0 ? '' : names(module.records[column][last]);
    };
    this.columns = [
      ['Name', 'name', (i) => module.names[i]],
      ['Opcode', 'opcode', module.opcodeOf],
      ['Shape', 'shape', module.shapeOf],
      ['Sharding', 'sharding', (i) => module.shardingText(module.sharding[i])],
      ['On a device', 'size', (i) => bytes(module.device[i]), (i) => -module.device[i]],
      ['Rule', 'rule', record('rule', (k) => module.records.rules[k])],
      ['Tier', 'tier', record('tier', (k) => (k < 0 ? '' : String(k)))],
      ['op_name', 'op-name', module.opNameOf],
      ['Source', 'source', module.sourceOf],
    ];
    // what takes most memory comes first
    this.sorted = { k: this.columns.findIndex(([, kind]) => kind === 'size'), down: false };
    this.heads = this.columns.map(([title, kind], k) => h('div', {
      role: 'columnheader', class: kind, 'aria-sort': 'none',
    }, h('button', { type: 'button', onclick: () => this.#sort(k) }, title)));
    this.body = h('div', { class: 'lines', role: 'rowgroup' });
    this.scroll = h('div', { class: 'scroll' }, this.body);
    this.grid = h('div', { role: 'grid', 'aria-label': 'Instructions', class: 'grid' },
      h('div', { role: 'rowgroup' }, h('div', { role: 'row', class: 'line heads' }, ...this.heads)), this.scroll);
    host.append(this.grid);
    this.scroll.addEventListener('scroll', () => this.#draw());
    this.scroll.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(this.scroll);
  }

  /** Take what is shown now. */
  update() {
    this.order = [];
    for (let i = 0; i < this.module.size; i += 1) if (this.module.shown[i]) this.order.push(i);
    this.#arrange();
    this.current = 0;
    this.scroll.scrollTop = 0;
    this.#draw();
  }

  #sort(k) {
    const { sorted } = this;
    this.sorted = { k, down: sorted.k === k ? !sorted.down : false };
    this.#arrange();
    this.#draw();
  }

  #arrange() {
    const [, , text, number] = this.columns[this.sorted.k];
    // sizes go by their negative, so that the first click shows the largest
    const isDown = this.sorted.down !== Boolean(number);
    this.heads.forEach((head, n) => head.setAttribute('aria-sort',
      n !== this.sorted.k ? 'none' : isDown ? 'descending' : 'ascending'));
    const keys = new Map(this.order.map((i) => [i, (number ?? text)(i)]));
    const sign = this.sorted.down ? -1 : 1;
    this.order.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      return sign * (x < y ? -1 : x > y ? 1 : a - b);
    });
  }

  #draw() {
    if (this.host.hidden) return;
    this.body.style.height = `${this.order.length * LINE}px`;
    this.grid.setAttribute('aria-rowcount', this.order.length + 1);
    const first = Math.max(Math.floor(this.scroll.scrollTop / LINE) - 4, 0);
    const count = Math.ceil(this.scroll.clientHeight / LINE) + 8;
    const held = this.body.contains(document.activeElement);
    this.body.replaceChildren(...this.order.slice(first, first + count)
      .map((i, k) => this.#line(i, first + k)));
    if (held) this.#focus();
  }

  #line(i, place) {
    const cells = this.columns.map(([, kind, text]) => {
      const mark = kind === 'sharding' ? swatch(this.module, this.module.sharding[i]) : null;
      return h('div', { role: 'gridcell', class: kind, title: text(i) }, mark, text(i));
    });
    const line = h('div', {
      role: 'row', class: 'line', 'aria-rowindex': place + 2, 'data-place': place,
      tabindex: place === this.current ? 0 : -1,
      onclick: () => { this.current = place; this.open(i); },
    }, ...cells);
    line.style.top = `${place * LINE}px`;
    return line;
  }

  /** Put the focus on the current line. */
  focus() {
    const top = this.current * LINE;
    const { scrollTop, clientHeight } = this.scroll;
    if (top < scrollTop) this.scroll.scrollTop = top;
    else if (top + LINE > scrollTop + clientHeight) this.scroll.scrollTop = top + LINE - clientHeight;
    this.#draw();
    this.#focus();
  }

  #focus() {
    this.body.querySelector(`[data-place="${this.current}"]`)?.focus({ preventScroll: true });
  }

  #key(event) {
    const page = Math.floor(this.scroll.clientHeight / LINE) - 1;
    const steps = {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity,
    };
    if (event.key === 'Enter') this.open(this.order[this.current]);
    else if (event.key in steps) {
      this.current = Math.min(Math.max(this.current + steps[event.key], 0), this.order.length - 1);
      this.focus();
    } else return;
    event.preventDefault();
  }
}
