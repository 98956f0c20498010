/** A picture of boxes and edges: zoom, pan, and keys that go from box to box. */
class Picture {
  /**
   * @param {HTMLElement} host
   * @param {HloModule} module
   * @param {{open: function(Box), select: function(Box)}} events
   */
  constructor(host, module, events) {
    Object.assign(this, { host, module, events, boxes: [], focused: -1 });
    this.stage = s('g');
    this.svg = s('svg', { role: 'group', 'aria-label': 'Graph' }, arrowHead(), this.stage);
    this.remark = h('p', { class: 'remark', 'aria-live': 'polite' });
    host.append(this.svg, this.remark);
    this.svg.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    this.svg.addEventListener('pointerdown', (event) => this.#drag(event));
    this.svg.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.#apply()).observe(this.svg);
  }

  /** Draw boxes and edges, `centre` marked and looked at if given. */
  show({ boxes, edges }, { centre = -1, remark = '', label }) {
    Object.assign(this, { boxes, edges });
    this.place = layered(boxes.length, edges);
    this.svg.setAttribute('aria-label', `${label}, ${counted(boxes.length, 'box')}`.replace('boxs', 'boxes'));
    this.beside = boxes.map(() => ({ above: [], below: [] }));
    for (const { from, to } of edges) {
      this.beside[to].above.push(from);
      this.beside[from].below.push(to);
    }
    const lines = edges.map((edge, k) => this.#edge(edge, this.place.bends[k]));
    this.nodes = boxes.map((box, k) => this.#node(box, k, k === centre));
    this.stage.replaceChildren(...lines, ...this.nodes);
    this.remark.textContent = remark;
    this.focused = -1;
    this.#rove(centre >= 0 ? centre : 0);
    this.centre = centre;
    this.fit();
  }

  #edge({ from, to, count, tie }, bends) {
    const { x, y } = this.place;
    const [top, bottom] = y[from] <= y[to] ? [from, to] : [to, from];
    const points = [
      [x[top] + BOX.width / 2, y[top] + BOX.height],
      ...bends.flatMap(([bx, by]) => [[bx + 7, by], [bx + 7, by + BOX.height]]),
      [x[bottom] + BOX.width / 2, y[bottom]],
    ];
    let path = `M${points[0]}`;
    for (let k = 1; k < points.length; k += 1) {
      const [[ax, ay], [bx, by]] = [points[k - 1], points[k]];
      const half = (ay + by) / 2;
      path += k % 2 ? `C${ax} ${half} ${bx} ${half} ${bx} ${by}` : `L${bx} ${by}`;
    }
    const kind = tie ? 'tie' : y[from] < y[to] ? '' : 'back';
    const ends = tie ? {} : kind === 'back' ? { 'marker-start': 'url(#head)' } : { 'marker-end': 'url(#head)' };
    const line = s('path', { d: path, class: `edge ${kind}`, ...ends });
    const what = tie ? 'tied at a call' : counted(count, 'operand');
    line.append(s('title', {}, `${this.boxes[from].label} to ${this.boxes[to].label}: ${what}`));
    line.style.strokeWidth = `${Math.min(1 + Math.log2(count) / 3, 4)}px`;
    return line;
  }

  #node(box, k, isCentre) {
    const { module } = this;
    const [first] = box.members;
    const many = box.members.length > 1;
    const amount = box.members.reduce((sum, i) => sum + module.device[i], 0);
    const times = box.kind === 'scope' && box.count > 1 ? ` ×${box.count}`
      : box.kind === 'alike' || box.kind === 'rest' ? ` ×${box.members.length}` : '';
    const about = box.kind === 'scope' ? `${counted(box.members.length, 'instruction')}, ${bytes(amount)}`
      : box.kind === 'one' ? `${module.opcodeOf(first)} ${module.shapeOf(first)}`
      : box.kind === 'alike' ? module.shapeOf(first) : bytes(amount);
    const sharding = many ? `${counted(new Set(box.members.map((i) => module.sharding[i])).size, 'sharding')}`
      : module.shardingText(module.sharding[first]);
    const text = (y, words, kind) => s('text', { x: 10, y, class: kind }, words);
    const label = times ? `${short(box.label, 25 - times.length)}${times}` : short(box.label, 27);
    const node = s('g', {
      class: `node ${box.kind}${isCentre ? ' centre' : ''}`,
      transform: `translate(${this.place.x[k]} ${this.place.y[k]})`,
      role: 'button', tabindex: -1, 'data-box': k,
      'aria-label': `${box.label}${times}, ${about}, ${sharding}`,
      onclick: () => { this.#rove(k); this.events.select(box); },
      ondblclick: () => this.events.open(box),
      onfocus: () => { this.#rove(k); this.#reveal(k); },
    },
    s('rect', { width: BOX.width, height: BOX.height, rx: 6, class: 'frame' }),
    text(19, label, 'name'), text(36, short(about, 31), 'about'), this.#strip(box),
    s('title', {}, `${box.label}${times}\n${about}\n${sharding}`));
    return node;
  }

  /** The shardings of a box's members, by their numbers, as a strip of colours. */
  #strip(box) {
    const { module } = this;
    const counts = new Map();
    for (const i of box.members) counts.set(module.sharding[i], (counts.get(module.sharding[i]) ?? 0) + 1);
    const strip = s('g');
    let x = 0;
    for (const [sharding, count] of [...counts].sort((a, b) => b[1] - a[1])) {
      const width = ((BOX.width - 20) * count) / box.members.length;
      const { kind, hue } = module.colourOf(sharding);
      const part = s('rect', { x: 10 + x, y: 44, width, height: 7, class: `swatch ${kind}` });
      if (hue !== null) part.style.setProperty('--hue', hue);
      strip.append(part);
      x += width;
    }
    return strip;
  }

  /** Fade the boxes none of whose members match. */
  fade() {
    this.boxes.forEach((box, k) => {
      this.nodes[k].classList.toggle('faded', !box.members.some((i) => this.module.shown[i]));
    });
  }

  // ------------------------------------------------------------ keys

  #rove(k) {
    if (this.focused >= 0) this.nodes[this.focused]?.setAttribute('tabindex', -1);
    this.focused = k;
    this.nodes[k]?.setAttribute('tabindex', 0);
  }

  focus(k = this.focused) {
    this.nodes[k]?.focus({ preventScroll: true });
  }

  #key(event) {
    const k = this.focused;
    if (event.altKey || event.ctrlKey || event.metaKey || k < 0) return;
    const { above, below } = this.beside[k];
    const row = this.place.rows.find((boxes) => boxes.includes(k)) ?? [k];
    const place = row.indexOf(k);
    const nearest = (list, side) => {
      if (list.length) return list.reduce((a, b) => (this.#off(a, k) <= this.#off(b, k) ? a : b));
      const other = this.place.rows[this.place.rows.indexOf(row) + side];
      return other?.length ? other.reduce((a, b) => (this.#off(a, k) <= this.#off(b, k) ? a : b)) : k;
    };
    const actions = {
      ArrowUp: () => this.focus(nearest(above, -1)),
      ArrowDown: () => this.focus(nearest(below, 1)),
      ArrowLeft: () => this.focus(row[Math.max(place - 1, 0)]),
      ArrowRight: () => this.focus(row[Math.min(place + 1, row.length - 1)]),
      Home: () => this.focus(this.place.rows[0][0]),
      End: () => this.focus(this.place.rows.at(-1)[0]),
      Enter: () => this.events.open(this.boxes[k]),
      ' ': () => this.events.select(this.boxes[k]),
      '+': () => this.zoom(1.25),
      '=': () => this.zoom(1.25),
      '-': () => this.zoom(0.8),
      0: () => this.fit(true),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  #off(a, b) {
    return Math.abs(this.place.x[a] - this.place.x[b]);
  }

  // ------------------------------------------------------------ zoom and pan

  /** Show the whole picture if it can be read, else its middle; `whole` shows it in any case. */
  fit(whole = false) {
    const { width, height } = this.svg.getBoundingClientRect();
    const { place } = this;
    const all = Math.min((width - 32) / place.width, (height - 32) / place.height, 1.2);
    const scale = whole ? all : Math.max(all, 0.62);
    const at = this.centre >= 0 ? this.centre : -1;
    const middle = at >= 0 ? place.x[at] + BOX.width / 2 : place.width / 2;
    const x = scale * place.width <= width ? (width - scale * place.width) / 2 : width / 2 - scale * middle;
    const fits = scale * place.height <= height;
    const y = fits ? (height - scale * place.height) / 2
      : at >= 0 ? height / 2 - scale * (place.y[at] + BOX.height / 2) : 16;
    this.view = { x, y, scale: Math.max(scale, 0.02) };
    this.#apply();
  }

  zoom(factor, at = null) {
    const { width, height } = this.svg.getBoundingClientRect();
    const [cx, cy] = at ?? [width / 2, height / 2];
    const scale = Math.min(Math.max(this.view.scale * factor, 0.02), 4);
    const change = scale / this.view.scale;
    this.view = { x: cx - (cx - this.view.x) * change, y: cy - (cy - this.view.y) * change, scale };
    this.#apply();
  }

  #apply() {
    if (!this.view) return;
    const { x, y, scale } = this.view;
    this.stage.setAttribute('transform', `translate(${x} ${y}) scale(${scale})`);
  }

  /** Move a box into sight. */
  #reveal(k) {
    const { width, height } = this.svg.getBoundingClientRect();
    const { view, place } = this;
    const moved = (from, offset, length, size) => {
      const start = from + offset * view.scale;
      if (start < 12) return from + 12 - start;
      const end = start + length * view.scale;
      return end > size - 12 ? from - (end - size + 12) : from;
    };
    view.x = moved(view.x, place.x[k], BOX.width, width);
    view.y = moved(view.y, place.y[k], BOX.height, height);
    this.#apply();
  }

  #wheel(event) {
    // without a key the wheel scrolls the page, as everywhere
    if (!event.ctrlKey && !event.metaKey && !this.svg.contains(document.activeElement)) return;
    event.preventDefault();
    const frame = this.svg.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY / 500), [event.clientX - frame.left, event.clientY - frame.top]);
  }

  #drag(event) {
    if (event.button !== 0) return;
    const start = { x: event.clientX, y: event.clientY, view: { ...this.view } };
    const move = (moved) => {
      const [dx, dy] = [moved.clientX - start.x, moved.clientY - start.y];
      if (Math.hypot(dx, dy) < 4) return;
      this.svg.classList.add('dragged');
      this.view = { ...start.view, x: start.view.x + dx, y: start.view.y + dy };
      this.#apply();
    };
    const end = () => {
      this.svg.classList.remove('dragged');
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', end);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', end);
  }
}

function arrowHead() {
  return s('defs', {}, s('marker', {
    id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8,
    markerUnits: 'userSpaceOnUse', orient: 'auto-start-reverse',
  }, s('path', { d: 'M0 0L8 4L0 8z', class: 'head' })));
}
