const MOST_LISTED = 60;

/** The panel about what is chosen: an instruction with its proof, or a box of many. */
class Details {
  constructor(host, module) {
    Object.assign(this, { host, module, proofs: new Proofs(module) });
    this.findings = new Map();
    module.data.answers.findings.forEach((finding, k) => {
      for (const i of finding.instructions) this.findings.set(i, [...(this.findings.get(i) ?? []), k]);
    });
  }

  /** Tell of an instruction, or of one leaf of its tuple. */
  instruction(i, leaf) {
    const { module } = this;
    const name = module.names[i];
    const becomes = module.data.instructions.becomes[i];
    const given = module.part(module.given[i], leaf);
    const final = module.part(module.sharding[i], leaf);
    const facts = [
      ['Sharding', shardingChip(module, final)],
      ['Came with', given < 0 ? 'no annotation' : shardingChip(module, given)],
      ['Opcode', module.opcodeOf(i)],
      ['Shape', module.shapeOf(i)],
      ['Bytes', `${bytes(module.device[i])} on a device, ${bytes(module.whole[i])} in all`],
      ['op_name', module.opNameOf(i)],
      ['Source', module.sourceOf(i)],
      ['Computation', module.data.computations.names[module.computation[i]]],
      ['Becomes', becomes ?? ''],
    ];
    this.host.replaceChildren(
      h('h2', {}, name + (leaf === null ? '' : `{${leaf}}`)),
      h('dl', { class: 'facts' }, ...facts.filter(([, value]) => value)
        .flatMap(([term, value]) => [h('dt', {}, term), h('dd', {}, value)])),
      ...this.#found(i),
      ...this.#elements(i, leaf),
      h('h3', {}, 'Why'), this.#why(i, leaf),
      h('h3', {}, 'Why not otherwise'), ...this.#whyNot(i),
      ...this.#neighbours('Operands', module.operands.of(i)),
      ...this.#neighbours('Users', module.users.of(i)),
      ...this.#neighbours('Tied at a call', module.ties(i)),
    );
    this.host.scrollTop = 0;
  }

  #found(i) {
    return (this.findings.get(i) ?? []).map((k) => {
      const finding = this.module.data.answers.findings[k];
      return h('p', { class: 'found' }, h('b', {}, finding.kind), `: ${finding.cause} `,
        h('a', { href: `#finding-${k}` }, 'the finding'));
    });
  }

  #elements(i, leaf) {
    const { module } = this;
    if (!module.isTuple(i) || leaf !== null) return [];
    const count = module.leavesOf(i);
    const rows = Array.from({ length: Math.min(count, MOST_LISTED) }, (_, k) => h('li', {},
      linkTo(module, i, k), ' ', shardingChip(module, module.part(module.sharding[i], k))));
    if (count > rows.length) rows.push(h('li', { class: 'about' }, `and ${count - rows.length} more`));
    return [h('h3', {}, 'Elements'), h('ul', { class: 'neighbours' }, ...rows)];
  }

  #why(i, leaf) {
    const { module } = this;
    const reason = { i, leaf, before: Infinity };
    const part = h('div');
    if (module.data.provenance === false) {
      part.append(h('p', { class: 'about' }, 'The run kept no records.'));
      return part;
    }
    const smallest = leaf === null ? module.data.answers.why[i] : undefined;
    if (smallest !== undefined) part.append(h('pre', {}, smallest));
    const had = this.proofs.sharding(reason);
    if (had !== module.part(module.sharding[i], leaf)) {
      part.append(h('p', { class: 'about' }, 'At the end the masks of the module, or even division, changed it from ',
        shardingChip(module, had), '.'));
    }
    if (had < 0) part.append(h('p', { class: 'about' }, 'No rule ever gave it a sharding.'));
    else part.append(this.proofs.list(reason));
    part.append(h('p', { class: 'about' }, 'This is all that the rules read. The smallest proof, without what did not decide:'),
      this.command('why', i, leaf));
    return part;
  }

  #whyNot(i) {
    const { answers } = this.module.data;
    const same = answers.same[i];
    const text = answers.whynot[same ?? i];
    const parts = [];
    if (same !== undefined) parts.push(h('p', { class: 'about' }, 'Of ', linkTo(this.module, same), ', which is alike:'));
    if (text !== undefined) parts.push(h('pre', {}, text));
    if (text === undefined || same !== undefined) parts.push(this.command('whynot', i, null));
    return parts;
  }

  /** The command that answers a question about an instruction. */
  command(verb, i, leaf) {
    const { program, module: file, options } = this.module.data.command;
    const nested = /\(.*\(/.test(this.module.shapeOf(i));
    const name = this.module.names[i] + (leaf === null || nested ? '' : `{${leaf}}`);
    const words = `${program} ${verb} ${file} ${shellWord(name)}${options}`;
    const copy = h('button', { type: 'button', class: 'copy', 'aria-label': 'Copy the command' }, 'copy');
    copy.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(words);
        copy.textContent = 'copied';
      } catch {
        getSelection().selectAllChildren(copy.previousSibling);
        copy.textContent = 'selected';
      }
    });
    return h('p', { class: 'command' }, h('code', {}, words), copy);
  }

  #neighbours(title, numbers) {
    const { module } = this;
    const all = [...new Set(numbers)];
    if (!all.length) return [];
    const items = all.slice(0, MOST_LISTED).map((one) => h('li', {}, linkTo(module, one), ' ',
      shardingChip(module, module.sharding[one]), h('span', { class: 'about' }, ` ${module.opcodeOf(one)}`)));
    if (all.length > items.length) items.push(h('li', { class: 'about' }, `and ${all.length - items.length} more`));
    return [h('h3', {}, title), h('ul', { class: 'neighbours' }, ...items)];
  }

  /** Tell of a box that stands for many. */
  box(box) {
    const { module } = this;
    const total = box.members.reduce((sum, i) => sum + module.device[i], 0);
    const counts = grouped(box.members, (i) => module.sharding[i]);
    const shardings = [...counts].sort((a, b) => b[1].length - a[1].length).slice(0, 20)
      .map(([sharding, members]) => h('li', {}, shardingChip(module, sharding), ` ${members.length}`));
    const members = [...box.members].sort((a, b) => module.device[b] - module.device[a] || a - b);
    const listed = members.slice(0, MOST_LISTED).map((i) => h('li', {}, linkTo(module, i), ' ',
      shardingChip(module, module.sharding[i]), h('span', { class: 'about' }, ` ${bytes(module.device[i])}`)));
    if (members.length > listed.length) {
      listed.push(h('li', { class: 'about' }, `and ${members.length - listed.length} more, in the table`));
    }
    const inner = box.path ? h('p', {}, h('a', { href: scopeAddress(box.path) }, 'Open this scope')) : null;
    const layers = box.kind === 'scope' && box.count > 1
      ? h('p', {}, `${box.count} scopes that differ by numbers and hold the same instructions.`) : null;
    this.host.replaceChildren(h('h2', {}, box.label), ...[layers, inner].filter(Boolean),
      h('p', {}, `${counted(box.members.length, 'instruction')}, ${bytes(total)} on a device`),
      h('h3', {}, 'Shardings'), h('ul', { class: 'neighbours' }, ...shardings),
      h('h3', {}, 'Largest'), h('ul', { class: 'neighbours' }, ...listed));
    this.host.scrollTop = 0;
  }
}

const scopeAddress = (path) => `#s=${path.map(encodeURIComponent).join('/')}`;
