/** The page: what the address says is shown; everything else follows from it. */
class Page {
  constructor(data) {
    this.module = new HloModule(data);
    this.folding = new Folding(this.module);
    this.details = new Details(byId('details'), this.module);
    const app = byId('app');
    app.hidden = false;
    this.picture = new Picture(byId('graph'), this.module, {
      open: (box) => this.#open(box), select: (box) => this.#select(box),
    });
    this.filters = new Filters(this.module, {
      changed: () => this.#filtered(), open: (i) => this.go(addressOf(this.module, i)),
    });
    this.table = new Table(byId('table'), this.module, this.filters,
      (i) => this.go(addressOf(this.module, i)));
    this.scope = [];
    this.chosen = -1;
    this.#controls();
    window.addEventListener('hashchange', () => this.#follow());
    this.#follow();
  }

  go(address) {
    if (location.hash === address) this.#follow();
    else location.hash = address;
  }

  /** Show what the address names. */
  #follow() {
    const address = location.hash;
    if (address.startsWith('#i=')) {
      const [, name, , leaf] = /^#i=([^&]*)(&leaf=(\d+))?/.exec(address);
      const i = this.module.find(decodeURIComponent(name));
      if (i >= 0) this.#near(i, leaf === undefined ? null : Number(leaf));
    } else if (address.startsWith('#finding-')) {
      const finding = document.getElementById(address.slice(1));
      finding?.closest('details')?.setAttribute('open', '');
      finding?.scrollIntoView({ block: 'center' });
      finding?.focus();
      if (!this.picture.boxes.length) this.#fold([]);
    } else if (address.startsWith('#s=')) {
      this.#fold(address.slice(3).split('/').filter(Boolean).map(decodeURIComponent));
    } else if (address === '' || address === '#' || !this.picture.boxes.length) this.#fold([]);
  }

  #fold(path) {
    const held = this.#holdsFocus();
    const level = this.folding.level(path);
    this.scope = level.path;
    this.chosen = -1;
    document.body.classList.remove('is-near');
    const label = level.path.length ? level.path.join('/') : 'the whole module';
    this.picture.show(level, { label: `Graph of ${label}`, remark: 'Folded by op_name; a box opens with a double click or Enter.' });
    this.#trail();
    this.#filtered();
    if (held) this.picture.focus();
    const members = level.boxes.flatMap((box) => box.members).sort((a, b) => a - b);
    if (members.length) this.details.box({ label, kind: 'rest', members, path: null, count: 1 });
  }

  #near(i, leaf) {
    const held = this.#holdsFocus();
    const changed = this.chosen !== i;
    this.chosen = i;
    this.leaf = leaf;
    this.scope = this.folding.scopeOf(i);
    document.body.classList.add('is-near');
    if (changed) this.#draw();
    this.#trail();
    this.details.instruction(i, leaf);
    if (held) this.picture.focus();
    const { top, bottom } = byId('app').getBoundingClientRect();
    if (top > innerHeight * 0.6 || bottom < 200) byId('app').scrollIntoView();
  }

  #draw() {
    const near = this.folding.near(this.chosen, Number(byId('hops').value));
    const centre = near.boxes.findIndex((box) => box.members[0] === this.chosen);
    const cut = near.cut ? ` ${counted(near.cut, 'neighbour')} left out.` : '';
    this.picture.show(near, {
      centre, label: `Surroundings of ${this.module.names[this.chosen]}`,
      remark: `Operands above, users below.${cut}`,
    });
    this.#filtered();
  }

  #holdsFocus() {
    return byId('graph').contains(document.activeElement) || document.activeElement === byId('search')
      || document.activeElement?.classList.contains('instruction') === true && byId('details').contains(document.activeElement);
  }

  /** Where the picture is: the scopes around it, each a link. */
  #trail() {
    const links = [h('a', { href: '#s=' }, 'module')];
    this.scope.forEach((segment, k) => links.push(h('a', { href: scopeAddress(this.scope.slice(0, k + 1)) }, short(segment, 28))));
    if (this.chosen >= 0) links.push(h('span', { 'aria-current': 'location' }, this.module.names[this.chosen]));
    byId('trail').replaceChildren(...links.flatMap((link, k) => (k ? [' / ', link] : [link])));
  }

  #open(box) {
    if (box.path) this.go(scopeAddress(box.path));
    else this.go(addressOf(this.module, box.members[0]));
  }

  #select(box) {
    if (box.kind === 'one') {
      this.details.instruction(box.members[0], null);
    } else this.details.box(box);
  }

  #filtered() {
    if (this.picture.boxes.length) this.picture.fade();
    this.table?.update();
  }

  #tab(name) {
    for (const other of ['graph', 'table']) {
      const is = other === name;
      byId(other).hidden = !is;
      byId(`tab-${other}`).setAttribute('aria-selected', String(is));
      byId(`tab-${other}`).setAttribute('tabindex', is ? 0 : -1);
    }
    if (name === 'table') this.table.update();
    else this.picture.fit();
  }

  #controls() {
    for (const name of ['graph', 'table']) {
      const tab = byId(`tab-${name}`);
      tab.addEventListener('click', () => this.#tab(name));
      tab.addEventListener('keydown', (event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        const other = name === 'graph' ? 'table' : 'graph';
        this.#tab(other);
        byId(`tab-${other}`).focus();
      });
    }
    byId('zoom-in').addEventListener('click', () => this.picture.zoom(1.25));
    byId('zoom-out').addEventListener('click', () => this.picture.zoom(0.8));
    byId('zoom-fit').addEventListener('click', () => this.picture.fit(true));
    byId('hops').addEventListener('change', () => { if (this.chosen >= 0) this.#draw(); });
    document.addEventListener('keydown', (event) => this.#key(event));
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const writing = event.target.matches('input, select, textarea');
    if (event.key === '/' && !writing) {
      event.preventDefault();
      byId('search').focus();
      byId('search').select();
    } else if (event.key === 't' && !writing) {
      const table = byId('table').hidden;
      this.#tab(table ? 'table' : 'graph');
      if (table) this.table.focus();
      else this.picture.focus();
    } else if (event.key === 'Escape') {
      if (writing) {
        event.target.blur();
        this.picture.focus();
      } else if (!byId('table').hidden) {
        this.#tab('graph');
        this.picture.focus();
      } else if (this.chosen >= 0) this.go(scopeAddress(this.scope));
      else if (this.scope.length) this.go(scopeAddress(this.#around()));
    }
  }

  /** The nearest scope around the present one that shows more. */
  #around() {
    let path = this.scope.slice(0, -1);
    while (path.length && this.folding.level(path).path.join('/') === this.scope.join('/')) path = path.slice(0, -1);
    return path;
  }
}

readData().then((data) => {
  window.page = new Page(data);
  document.body.dataset.ready = 'yes';
}).catch((error) => {
  byId('app').before(h('p', { class: 'note', role: 'alert' }, `This browser cannot show the module: ${error.message}`));
  throw error;
});
