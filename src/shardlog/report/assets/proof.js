/** Ops that only pass a sharding on: they are told of in passing. */
const PLUMBING = new Set(['tuple', 'get-tuple-element', 'copy', 'convert', 'bitcast', 'bitcast-convert', 'opt-barrier']);
const LONGEST_CHAIN = 60;
const LONGEST_STRETCH = 64;

/**
 * Proofs put together from the records: how a sharding came about, back to the annotations.
 * A reason is {i, leaf, before}: a leaf of an instruction as it stood before some record.
 */
class Proofs {
  constructor(module) {
    this.module = module;
  }

  /** The positions of the records, latest first, that changed a leaf before a moment. */
  past(i, leaf, before) {
    const { module } = this;
    const { old, new: made } = module.records;
    const moves = (p) => p < before
      && (leaf === null || module.part(old[p], leaf) !== module.part(made[p], leaf));
    return [...module.history.of(i)].filter(moves).reverse();
  }

  /** What the value of a record rests on. */
  sources(p, leaf) {
    const i = this.module.records.entity[p];
    const found = [];
    for (const source of this.module.contributors.of(p)) {
      const part = this.module.leafOfSource(i, leaf, source);
      if (part !== false) found.push({ i: source, leaf: part, before: p });
    }
    return found;
  }

  /** The sharding that a reason is about, at its moment. */
  sharding({ i, leaf, before }) {
    const { module } = this;
    const [last] = this.past(i, leaf, before);
    return module.part(last === undefined ? module.given[i] : module.records.new[last], leaf);
  }

  /** What a rule says of a record, with links to the instructions that it names. */
  says(p) {
    const { records, mentions } = this.module;
    const named = mentions.of(p);
    const parts = records.sentences[records.sentence[p]].split('\0');
    return parts.flatMap((text, k) => (k ? [linkTo(this.module, named[k - 1]), text] : [text]));
  }

  /** The links of a chain: each rests on the next alone; those that only pass on are folded. */
  chain(reason) {
    const links = [];
    let next = reason;
    let through = [];
    while (next && links.length < LONGEST_CHAIN * LONGEST_STRETCH) {
      const past = this.past(next.i, next.leaf, next.before);
      const sources = past.length ? this.sources(past[0], next.leaf) : [];
      const sharding = this.sharding(next);
      const only = sources.length === 1 && past.length === 1 ? sources[0] : null;
      if (links.length && only && PLUMBING.has(this.module.opcodeOf(next.i))
        && this.sharding(only) === sharding) {
        through = [...through, next.i];
      } else {
        links.push({ ...next, past, sources, sharding, through, only });
        through = [];
      }
      next = only;
    }
    return links;
  }

  #mark({ i, sharding, past, through }) {
    const { module } = this;
    const { rule, tier, visit } = module.records;
    const [p] = past;
    return [module.opcode[i], module.shape[i], pattern(module.opNameOf(i)), sharding,
      p === undefined ? '' : `${rule[p]} ${tier[p]} ${visit[p]}`, through.length].join('|');
  }

  /** How often the stretch that begins somewhere in a chain repeats, and its length. */
  #repetition(marks, at) {
    for (let period = 1; period <= Math.min(LONGEST_STRETCH, (marks.length - at) >> 1); period += 1) {
      let count = 1;
      const same = (k) => marks[at + k] === marks[at + count * period + k];
      while (at + (count + 1) * period <= marks.length && [...Array(period).keys()].every(same)) count += 1;
      if (count > 2 || (count === 2 && period > 2)) return [count, period];
    }
    return [1, 1];
  }

  /** The proof of a reason as a list; what it rests on is opened when asked for. */
  list(reason, shown = new Set()) {
    const links = this.chain(reason);
    const marks = links.slice(0, -1).map((link) => this.#mark(link));
    const items = [];
    let at = 0;
    while (at < links.length && items.length < LONGEST_CHAIN) {
      const [count, period] = at < marks.length ? this.#repetition(marks, at) : [1, 1];
      for (const link of links.slice(at, at + period)) items.push(this.#item(link, shown));
      if (count > 1) {
        const steps = period === 1 ? 'rule' : `${period} rules`;
        const times = count === 2 ? 'once' : `${count - 1} times`;
        items.push(h('li', { class: 'folded' }, `the same ${steps} ${times} more, down to`));
      }
      at += count * period;
    }
    if (at < links.length) {
      items.push(h('li', { class: 'folded' }, `and ${links.length - at} further rules; asked of `,
        linkTo(this.module, links[at].i, links[at].leaf), ' it goes on'));
    }
    return h('ol', { class: 'proof' }, ...items);
  }

  #item(link, shown) {
    const { i, leaf, past, sources, sharding, through, only } = link;
    const { module } = this;
    const item = h('li', {}, h('div', {}, linkTo(module, i, leaf), ' ', shardingChip(module, sharding)),
      h('div', { class: 'about' }, aboutOf(module, i)));
    if (through.length) {
      const names = through.slice(0, 3).map((one) => module.names[one]).join(', ');
      const more = through.length > 3 ? ` and ${through.length - 3} more` : '';
      item.append(h('div', { class: 'about' }, `through ${names}${more}`));
    }
    if (!past.length) {
      if (sharding >= 0) item.append(h('div', { class: 'about' }, 'as the module came'));
      return item;
    }
    item.append(this.#rule(past[0], leaf));
    const key = `${i}|${leaf}|${past[0]}`;
    if (!only && sources.length) {
      if (shown.has(key)) item.append(h('div', { class: 'about' }, 'what it rests on is shown above'));
      else item.append(...sources.map((source) => this.#nested(source, shown)));
    }
    shown.add(key);
    if (past.length > 1) item.append(this.#earlier(past, leaf, shown));
    return item;
  }

  #rule(p, leaf) {
    const { records } = this.module;
    const tier = records.tier[p] < 0 ? '' : `, tier ${records.tier[p]}, iteration ${records.iteration[p]}`;
    const was = this.module.part(records.old[p], leaf);
    const before = was < 0 ? '' : `, was ${this.module.shardingText(was)}`;
    return h('div', { class: 'rule' }, h('b', {}, records.rules[records.rule[p]]),
      ` (${records.visits[records.visit[p]]}${tier}${before}): `, ...this.says(p));
  }

  #nested(source, shown) {
    const { module } = this;
    return lazily(h('summary', {}, linkTo(module, source.i, source.leaf), ' ',
      shardingChip(module, this.sharding(source))), () => [this.list(source, shown)]);
  }

  /** What had set the sharding before the latest rule did. */
  #earlier(past, leaf, shown) {
    const what = `before: ${counted(past.length - 1, 'earlier change')}`;
    return lazily(h('summary', { class: 'about' }, what), () => past.slice(1).flatMap((p) => [
      this.#rule(p, leaf), ...this.sources(p, leaf).map((source) => this.#nested(source, shown)),
    ]));
  }
}

/** Details whose inside is made when they are first opened. */
function lazily(summary, make) {
  const details = h('details', {}, summary);
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(...make());
  });
  return details;
}

/** Opcode, shape, op_name and source of an instruction in one line. */
function aboutOf(module, i) {
  const opName = module.opNameOf(i);
  return [`${module.opcodeOf(i)} ${module.shapeOf(i)}`, opName && `"${opName}"`, module.sourceOf(i)]
    .filter(Boolean).join('  ');
}
