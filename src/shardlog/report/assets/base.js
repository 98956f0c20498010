'use strict';

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Make an element. Texts become text nodes, never markup.
 * @param {string} tag
 * @param {Object<string, any>} [attributes] `on...` are listeners, null and false are left out
 * @param {...(Node|string|number|null)} children
 */
function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Make an element of SVG, as `h` does. */
function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false || value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) {
    if (child !== null) element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

const byId = (id) => document.getElementById(id);

/** A number of bytes as people read it. */
function bytes(count) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) {
    count /= 1024;
    unit += 1;
  }
  return `${unit ? count.toFixed(1) : count} ${units[unit]}`;
}

const counted = (count, what) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

/** A text of at most so many characters. */
const short = (text, most) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** A word of a shell command. */
function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** Columns of counts and flat numbers as rows: `of(i)` is a view of the i-th row. */
class Rows {
  constructor(counts, flat) {
    this.starts = new Int32Array(counts.length + 1);
    for (let i = 0; i < counts.length; i += 1) this.starts[i + 1] = this.starts[i] + counts[i];
    this.flat = flat;
  }

  /** From counts and distances to the row's own number, as the data holds them. */
  static relative({ counts, flat }) {
    const rows = new Rows(counts, Int32Array.from(flat));
    for (let i = 0; i < counts.length; i += 1) {
      for (let k = rows.starts[i]; k < rows.starts[i + 1]; k += 1) rows.flat[k] += i;
    }
    return rows;
  }

  /** Which rows hold each number: the same relation the other way round. */
  turned(size) {
    const counts = new Int32Array(size);
    for (const one of this.flat) counts[one] += 1;
    const rows = new Rows(counts, new Int32Array(this.flat.length));
    const next = rows.starts.slice();
    for (let i = 0; i + 1 < this.starts.length; i += 1) {
      for (let k = this.starts[i]; k < this.starts[i + 1]; k += 1) {
        rows.flat[next[this.flat[k]]++] = i;
      }
    }
    return rows;
  }

  of(i) {
    return this.flat.subarray(this.starts[i], this.starts[i + 1]);
  }
}
