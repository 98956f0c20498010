/** What kinds of shardings are called, other than by their text. */
const UNSHARDED = 'no sharding';

/** Read the data that the page carries: base64 of gzipped JSON. */
async function readData() {
  const packed = Uint8Array.from(atob(byId('data').textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

/** The propagated module: instructions by number, their neighbours, and records. */
class HloModule {
  constructor(data) {
    const all = data.instructions;
    this.data = data;
    this.size = all.names.length;
    this.names = all.names;
    this.operands = Rows.relative(all.operands);
    this.users = this.operands.turned(this.size);
    this.computation = new Int32Array(this.size);
    for (let at = 0, k = 0; k < all.computation.length; k += 2) {
      this.computation.fill(all.computation[k], at, (at += all.computation[k + 1]));
    }
    for (const column of ['opcode', 'shape', 'op_name', 'source', 'sharding', 'given']) {
      this[column] = Int32Array.from(all[column]);
    }
    this.device = Float64Array.from(all.device);
    this.whole = Float64Array.from(all.whole);
    this.gone = new Set(all.gone);
    this.records = data.records;
    this.contributors = Rows.relative(data.records.contributors);
    this.mentions = Rows.relative(data.records.mentions);
    const entities = data.records.entity;
    const one = new Int32Array(entities.length).fill(1);
    this.history = new Rows(one, Int32Array.from(entities)).turned(this.size);
    this.shown = new Uint8Array(this.size);
    this.#colour();
    this.#number();
  }

  opcodeOf = (i) => this.data.instructions.opcodes[this.opcode[i]];
  shapeOf = (i) => this.data.instructions.shapes[this.shape[i]];
  opNameOf = (i) => this.data.instructions.op_names[this.op_name[i]];
  sourceOf = (i) => this.data.instructions.sources[this.source[i]];
  isTuple = (i) => this.data.instructions.leaves[this.shape[i]] >= 0;
  leavesOf = (i) => Math.max(this.data.instructions.leaves[this.shape[i]], this.isTuple(i) ? 0 : 1);

  /** The sharding of one leaf, or the whole one. */
  part(sharding, leaf) {
    if (sharding < 0 || leaf === null) return sharding;
    const row = this.data.shardings[sharding];
    return row.kind === 'tuple' ? row.elements[leaf] ?? -1 : sharding;
  }

  shardingText(sharding) {
    if (sharding < 0) return UNSHARDED;
    const row = this.data.shardings[sharding];
    if (row.kind !== 'tuple') return row.text;
    const some = row.elements.slice(0, 2).map((one) => this.shardingText(one)).join(', ');
    const more = row.elements.length > 2 ? `, … ${row.elements.length} elements` : '';
    return `{${some}${more}}`;
  }

  /** The number of the instruction of a name, before the pass or after it, or -1. */
  find(name) {
    return this.numbers.get(name) ?? -1;
  }

  #number() {
    this.numbers = new Map(Object.entries(this.data.instructions.becomes).map(([i, n]) => [n, +i]));
    this.names.forEach((name, i) => this.numbers.set(name, i));
  }

  /** Give each sharding its colour: the most frequent tiled ones differ most. */
  #colour() {
    const counts = new Map();
    for (const sharding of this.sharding) counts.set(sharding, (counts.get(sharding) ?? 0) + 1);
    this.counts = [...counts].sort((a, b) => b[1] - a[1]);
    const tiled = this.counts.filter(([k]) => k >= 0 && this.data.shardings[k].kind === 'tiled');
    this.hues = new Map(tiled.map(([k], place) => [k, Math.round(212 + place * 137.508) % 360]));
  }

  /** The class of a sharding's colour and, if it is tiled, its hue. */
  colourOf(sharding) {
    if (sharding < 0) return { kind: 'none', hue: null };
    const hue = this.hues.get(sharding) ?? null;
    return { kind: this.data.shardings[sharding].kind, hue };
  }

  /** The position of the last record of an instruction, -1 if it has none. */
  lastRecord(i) {
    const past = this.history.of(i);
    return past.length ? past[past.length - 1] : -1;
  }

  /** What else shares a sharding at a call: a caller with the roots and parameters it calls. */
  ties(i) {
    if (!this.tied) {
      const { roots, parameters, callers } = this.data.computations;
      this.tied = new Map();
      const tie = (a, b) => this.tied.set(a, [...(this.tied.get(a) ?? []), b]);
      callers.forEach((caller, computation) => {
        if (caller < 0) return;
        for (const inner of new Set([roots[computation], ...parameters[computation]])) {
          tie(caller, inner);
          tie(inner, caller);
        }
      });
    }
    return this.tied.get(i) ?? [];
  }

  /** Whether an instruction is no part of what a reduce or a sort applies. */
  runs(i) {
    const { entry, callers } = this.data.computations;
    return this.computation[i] === entry || callers[this.computation[i]] >= 0;
  }

  /** Where a leaf comes from in a neighbour: false if not at all, else the leaf there or null. */
  leafOfSource(i, leaf, source) {
    const first = this.data.instructions.first_leaf;
    const [mine, its] = [this.operands.of(i), this.operands.of(source)];
    if (this.opcodeOf(source) === 'get-tuple-element' && its.includes(i)) {
      if (leaf === null) return null;
      const at = leaf - first[source];
      if (at < 0 || at >= Math.max(this.leavesOf(source), 1)) return false;
      return this.isTuple(source) ? at : null;
    }
    if (this.opcodeOf(source) === 'tuple' && its.includes(i)) {
      return this.isTuple(i) && leaf === null ? null : this.offset(source, its.indexOf(i)) + (leaf ?? 0);
    }
    if (this.opcodeOf(i) === 'get-tuple-element' && mine.includes(source)) {
      return this.isTuple(i) && leaf === null ? null : first[i] + (leaf ?? 0);
    }
    if (this.opcodeOf(i) === 'tuple' && mine.includes(source)) {
      if (leaf === null) return null;
      for (let k = 0, start = 0; k < mine.length; k += 1) {
        const end = start + this.leavesOf(mine[k]);
        if (leaf < end) {
          if (mine[k] !== source) return false;
          return this.isTuple(source) ? leaf - start : null;
        }
        start = end;
      }
      return false;
    }
    return this.isTuple(source) && this.leavesOf(source) === this.leavesOf(i) ? leaf : null;
  }

  /** The first leaf of an operand in a tuple. */
  offset(tuple, place) {
    let start = 0;
    for (const operand of this.operands.of(tuple).subarray(0, place)) start += this.leavesOf(operand);
    return start;
  }
}

/** A small square in a sharding's colour. */
function swatch(module, sharding) {
  const { kind, hue } = module.colourOf(sharding);
  const mark = h('span', { class: `swatch ${kind}`, 'aria-hidden': 'true' });
  if (hue !== null) mark.style.setProperty('--hue', hue);
  return mark;
}

/** A sharding as text beside its colour. */
function shardingChip(module, sharding) {
  return h('span', { class: 'sharding' }, swatch(module, sharding),
    h('code', {}, module.shardingText(sharding)));
}

/** The address of an instruction, or of one of its leaves, within the page. */
function addressOf(module, i, leaf = null) {
  const part = leaf === null ? '' : `&leaf=${leaf}`;
  return `#i=${encodeURIComponent(module.names[i])}${part}`;
}

/** A link to an instruction. */
function linkTo(module, i, leaf = null) {
  const label = module.names[i] + (leaf === null ? '' : `{${leaf}}`);
  return h('a', { href: addressOf(module, i, leaf), class: 'instruction' }, label);
}
