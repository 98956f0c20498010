/** The search and the filters: which instructions are shown. */
class Filters {
  /**
   * @param {HloModule} module
   * @param {{changed: function(), open: function(number)}} events
   */
  constructor(module, events) {
    Object.assign(this, { module, events, matches: [], active: -1 });
    const { data, records } = module;
    this.lower = module.names.map((name) => name.toLowerCase());
    this.opNames = data.instructions.op_names.map((name) => name.toLowerCase());
    this.sources = data.instructions.sources.map((name) => name.toLowerCase());
    this.rule = new Int32Array(module.size).fill(-1);
    this.tier = new Int32Array(module.size).fill(-2);
    for (let i = 0; i < module.size; i += 1) {
      const last = module.lastRecord(i);
      if (last < 0) continue;
      this.rule[i] = records.rule[last];
      this.tier[i] = records.tier[last];
    }
    const tierName = (tier) => (tier === -2 ? 'no rule set it' : tier < 0 ? 'outside the tiers' : `tier ${tier}`);
    this.selects = [
      this.#select('by-opcode', module.opcode, (k) => data.instructions.opcodes[k]),
      this.#select('by-sharding', module.sharding, (k) => short(module.shardingText(k), 70)),
      this.#select('by-rule', this.rule, (k) => (k < 0 ? 'no rule' : records.rules[k])),
      this.#select('by-tier', this.tier, tierName),
    ];
    const sizes = [0, 2 ** 20, 2 ** 24, 2 ** 28, 2 ** 30, 2 ** 32];
    byId('by-size').append(...sizes.map((size) => h('option', { value: size }, size ? `≥ ${bytes(size)}` : 'any')));
    const form = document.querySelector('.filters');
    form.addEventListener('change', () => this.apply());
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => setTimeout(() => this.apply()));
    this.input = byId('search');
    this.list = byId('matches');
    this.input.addEventListener('input', () => { this.apply(); this.#suggest(); });
    this.input.addEventListener('keydown', (event) => this.#key(event));
    this.input.addEventListener('blur', () => setTimeout(() => this.#close(), 150));
    this.#legend();
    this.apply();
  }

  #select(id, column, name) {
    const counts = new Map();
    for (const value of column) counts.set(value, (counts.get(value) ?? 0) + 1);
    const options = [...counts].sort((a, b) => b[1] - a[1])
      .map(([value, count]) => h('option', { value }, `${name(value)} (${count.toLocaleString('en')})`));
    const select = byId(id);
    select.append(h('option', { value: '' }, 'any'), ...options);
    return { select, column };
  }

  /** The colours by sharding; each is a button that shows only what has it. */
  #legend() {
    const { module } = this;
    const entries = module.counts.slice(0, 16).map(([sharding, count]) => {
      const choose = () => {
        const select = byId('by-sharding');
        select.value = select.value === String(sharding) ? '' : String(sharding);
        this.apply();
      };
      return h('li', {}, h('button', { type: 'button', onclick: choose, 'data-sharding': sharding },
        swatch(module, sharding), h('code', {}, short(module.shardingText(sharding), 64)),
        h('span', {}, count.toLocaleString('en'))));
    });
    byId('legend').append(...entries);
    const more = module.counts.length - entries.length;
    if (more > 0) byId('legend').append(h('li', { class: 'about' }, `and ${more} more, in the list of shardings`));
  }

  #fits(words) {
    const hit = (list) => list.map((text) => words.every((word) => text.includes(word)));
    const [byOpName, bySource] = [hit(this.opNames), hit(this.sources)];
    const { module } = this;
    return (i) => words.every((word) => this.lower[i].includes(word))
      || byOpName[module.op_name[i]] || bySource[module.source[i]];
  }

  /** Decide anew which instructions are shown. */
  apply() {
    const { module } = this;
    const wanted = this.selects.filter(({ select }) => select.value !== '')
      .map(({ select, column }) => [column, Number(select.value)]);
    const least = Number(byId('by-size').value);
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = words.length ? this.#fits(words) : () => true;
    let count = 0;
    for (let i = 0; i < module.size; i += 1) {
      const is = module.device[i] >= least && wanted.every(([column, value]) => column[i] === value) && fits(i);
      module.shown[i] = is ? 1 : 0;
      count += module.shown[i];
    }
    byId('matching').textContent = `${counted(count, 'instruction')}`;
    const chosen = byId('by-sharding').value;
    for (const button of byId('legend').querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button.dataset.sharding === chosen));
    }
    this.events.changed();
  }

  // ------------------------------------------------------------ the list below the search

  #suggest() {
    const text = this.input.value.trim().toLowerCase();
    this.matches = [];
    if (text) {
      const ranked = [[], [], []];
      for (let i = 0; i < this.module.size && ranked[0].length < 12; i += 1) {
        if (!this.module.shown[i]) continue;
        const rank = this.lower[i] === text ? 0 : this.lower[i].startsWith(text) ? 1 : 2;
        if (ranked[rank].length < 12) ranked[rank].push(i);
      }
      this.matches = ranked.flat().slice(0, 12);
    }
    this.list.replaceChildren(...this.matches.map((i, k) => h('li', {
      role: 'option', id: `match-${k}`, 'aria-selected': 'false', onpointerdown: () => this.#choose(k),
    }, swatch(this.module, this.module.sharding[i]), h('b', {}, this.module.names[i]),
    h('span', {}, ` ${this.module.opcodeOf(i)} ${short(this.module.shapeOf(i), 40)}`))));
    this.#mark(this.matches.length ? 0 : -1);
    const open = this.matches.length > 0;
    this.list.hidden = !open;
    this.input.setAttribute('aria-expanded', String(open));
  }

  #mark(k) {
    this.active = k;
    [...this.list.children].forEach((item, n) => {
      item.setAttribute('aria-selected', String(n === k));
      if (n === k) item.scrollIntoView({ block: 'nearest' });
    });
    if (k >= 0) this.input.setAttribute('aria-activedescendant', `match-${k}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  #close() {
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
  }

  #choose(k) {
    if (k < 0) return;
    this.#close();
    this.events.open(this.matches[k]);
  }

  #key(event) {
    const most = this.matches.length - 1;
    if (event.key === 'ArrowDown') this.#mark(Math.min(this.active + 1, most));
    else if (event.key === 'ArrowUp') this.#mark(Math.max(this.active - 1, 0));
    else if (event.key === 'Enter') this.#choose(this.active);
    else if (event.key === 'Escape' && !this.list.hidden) {
      this.#close();
      event.stopPropagation();
    } else return;
    event.preventDefault();
  }
}
