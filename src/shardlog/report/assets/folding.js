/** Up to how many boxes a picture has; beyond, alike ones are folded further. */
const MOST_BOXES = 160;
/** Up to how many boxes a fold has if folding alike ones further gives fewer. */
const READABLE = 80;
const NAMELESS = '(without op_name)';
const PARAMETERS = ['parameters'];

/**
 * A box of a picture: one instruction, several alike, or a scope.
 * @typedef {{kind: 'one'|'alike'|'scope'|'rest', label: string, members: number[],
 *            path: string[]|null, count: number}} Box
 */

/** Split an op_name into its scopes, at the slashes outside parentheses. */
function scopesOf(opName) {
  if (!opName) return [NAMELESS];
  const parts = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < opName.length; at += 1) {
    const c = opName[at];
    if (c === '(' || c === '[') depth += 1;
    else if (c === ')' || c === ']') depth -= 1;
    else if (c === '/' && depth <= 0) {
      parts.push(opName.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}

const pattern = (text) => text.replace(/\d+/g, '#');

/** The module folded by the scopes of op_name, and within a scope by what is alike. */
class Folding {
  constructor(module) {
    this.module = module;
    this.scopes = module.data.instructions.op_names.map(scopesOf);
    this.inside = [];
    for (let i = 0; i < module.size; i += 1) {
      if (module.runs(i) && !module.gone.has(i)) this.inside.push(i);
    }
    this.#passRoot();
    this.isParameter = new Uint8Array(module.size);
    const { entry, parameters } = module.data.computations;
    for (const i of parameters[entry]) this.isParameter[i] = 1;
  }

  /** The scope that holds nearly all, such as jit(f), says nothing: it is left out. */
  #passRoot() {
    const counts = new Map();
    for (const i of this.inside) {
      const root = this.scopeOf(i)[0];
      counts.set(root, (counts.get(root) ?? 0) + 1);
    }
    const [root, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [NAMELESS, 0];
    if (root === undefined || root === NAMELESS || count < this.inside.length / 2) return;
    this.scopes = this.scopes.map((scope) => (scope[0] === root ? scope.slice(1) : scope));
  }

  scopeOf(i) {
    return this.isParameter?.[i] ? PARAMETERS : this.scopes[this.module.op_name[i]];
  }

  /** The instructions within a scope; a segment with # stands for all that differ by numbers. */
  within(path) {
    const isFit = (scope) => scope.length >= path.length
      && path.every((segment, k) => segment === scope[k]
        || (segment.includes('#') && segment === pattern(scope[k])));
    const fits = this.scopes.map(isFit);
    const parameters = isFit(PARAMETERS);
    const { op_name: opName } = this.module;
    return this.inside.filter((i) => (this.isParameter[i] ? parameters : fits[opName[i]]));
  }

  /** The boxes and edges of a scope. Scopes that hold one scope and nothing else are passed. */
  level(path) {
    let members = this.within(path);
    let boxes = this.#boxes(path, members);
    while (boxes.length === 1 && boxes[0].kind === 'scope') {
      path = boxes[0].path;
      members = boxes[0].members;
      boxes = this.#boxes(path, members);
    }
    const ordered = alongEdges(boxes, this.edges(boxes));
    return { path, boxes: ordered, edges: this.edges(ordered) };
  }

  #boxes(path, members) {
    const depth = path.length;
    const scopes = new Map();
    const here = [];
    for (const i of members) {
      const scope = this.scopeOf(i);
      if (scope.length > depth) {
        const found = scopes.get(scope[depth]);
        if (found) found.push(i);
        else scopes.set(scope[depth], [i]);
      } else here.push(i);
    }
    const boxes = this.#layers(path, scopes);
    for (const key of [this.#alike, this.#akin, this.#opcode]) {
      const groups = grouped(here, (i) => key.call(this, i));
      if (boxes.length + groups.size > READABLE && key !== this.#opcode) continue;
      for (const group of groups.values()) boxes.push(this.#group(group));
      break;
    }
    boxes.sort((a, b) => a.members[0] - b.members[0]);
    return boxes.length > 2 * MOST_BOXES ? this.#largest(boxes) : boxes;
  }

  /** Boxes of scopes; those that differ by numbers and hold the same are one: layers. */
  #layers(path, scopes) {
    const layers = new Map();
    for (const [segment, members] of scopes) {
      const general = pattern(segment);
      const key = general === segment ? segment : `${general}|${this.#signature(members)}`;
      const found = layers.get(key);
      if (found) {
        found.members.push(...members);
        found.count += 1;
        found.label = general;
        found.path = [...path, general];
      } else {
        const own = [...path, segment];
        layers.set(key, { kind: 'scope', label: segment, members, path: own, count: 1 });
      }
    }
    for (const box of layers.values()) if (box.count > 1) box.members.sort((a, b) => a - b);
    return [...layers.values()];
  }

  /** A number that is the same for scopes that hold the same instructions, in any order. */
  #signature(members) {
    const { opcode, shape, sharding } = this.module;
    let sum = 0;
    for (const i of members) {
      const mixed = Math.imul(opcode[i] + 1, 0x9e3779b1) ^ Math.imul(shape[i] + 1, 0x85ebca6b)
        ^ Math.imul(sharding[i] + 2, 0xc2b2ae35);
      sum = (sum + Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)) | 0;
    }
    return `${members.length}:${sum}`;
  }

  #alike(i) {
    const { opcode, shape, sharding } = this.module;
    return `${opcode[i]}|${shape[i]}|${sharding[i]}|${pattern(this.module.opNameOf(i))}`;
  }

  #akin(i) {
    return `${this.module.opcode[i]}|${this.module.sharding[i]}`;
  }

  #opcode(i) {
    return this.module.opcode[i];
  }

  #group(members) {
    const one = members.length === 1;
    const label = one ? this.module.names[members[0]] : this.module.opcodeOf(members[0]);
    return { kind: one ? 'one' : 'alike', label, members, path: null, count: members.length };
  }

  /** The boxes that hold most bytes, and one for all others. */
  #largest(boxes) {
    const size = (box) => box.members.reduce((sum, i) => sum + this.module.device[i], 0);
    const order = boxes.map((box) => [size(box), box]).sort((a, b) => b[0] - a[0]);
    const kept = order.slice(0, MOST_BOXES).map(([, box]) => box);
    const rest = order.slice(MOST_BOXES).flatMap(([, box]) => box.members).sort((a, b) => a - b);
    kept.push({ kind: 'rest', label: 'all others', members: rest, path: null, count: rest.length });
    return kept.sort((a, b) => a.members[0] - b.members[0]);
  }

  /** The edges between boxes, with the number of operands that each stands for. */
  edges(boxes) {
    const { operands, size } = this.module;
    const boxOf = new Int32Array(size).fill(-1);
    boxes.forEach((box, k) => box.members.forEach((i) => { boxOf[i] = k; }));
    const counts = new Map();
    boxes.forEach((box, to) => box.members.forEach((i) => {
      for (const operand of operands.of(i)) {
        const from = boxOf[operand];
        if (from >= 0 && from !== to) {
          const key = from * boxes.length + to;
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
      }
    }));
    return [...counts].map(([key, count]) => ({
      from: Math.floor(key / boxes.length), to: key % boxes.length, count, tie: false,
    }));
  }

  /** The surroundings of an instruction, so many steps to operands and to users. */
  near(start, steps) {
    const { module } = this;
    const distance = new Map([[start, 0]]);
    let cut = 0;
    for (const direction of [module.operands, module.users]) {
      let front = [start];
      for (let step = 1; step <= steps; step += 1) {
        const next = [];
        for (const i of front) {
          const beside = [...new Set(direction.of(i))];
          if (step === 1 && direction === module.operands) beside.push(...module.ties(i));
          cut += Math.max(beside.length - 12, 0);
          for (const one of beside.slice(0, 12)) {
            if (distance.has(one)) continue;
            if (distance.size >= MOST_BOXES) {
              cut += 1;
              continue;
            }
            distance.set(one, step);
            next.push(one);
          }
        }
        front = next;
      }
    }
    const members = [...distance.keys()].sort((a, b) => a - b);
    const boxes = members.map((i) => this.#group([i]));
    const edges = this.edges(boxes);
    const place = new Map(members.map((i, k) => [i, k]));
    members.forEach((i, k) => {
      for (const tied of module.ties(i)) {
        const other = place.get(tied);
        if (other !== undefined && other > k) edges.push({ from: k, to: other, count: 1, tie: true });
      }
    });
    return { boxes, edges, cut };
  }
}

/** Boxes in an order in which most edges go forwards; where they go round, program order decides. */
function alongEdges(boxes, edges) {
  const waits = new Float64Array(boxes.length);
  const users = boxes.map(() => []);
  for (const { from, to, count } of edges) {
    waits[to] += count;
    users[from].push([to, count]);
  }
  const left = new Set(boxes.keys());
  const order = [];
  while (left.size) {
    let next = -1;
    for (const k of left) if (next < 0 || waits[k] < waits[next]) next = k;
    left.delete(next);
    order.push(boxes[next]);
    for (const [user, count] of users[next]) waits[user] -= count;
  }
  return order;
}

function grouped(items, key) {
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    const found = groups.get(name);
    if (found) found.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
