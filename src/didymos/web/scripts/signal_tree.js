// The tree of signals: by the dots of their names, found by typing, with unit and latest value; dragged from here or clicked.
import { said } from "./curves.js";

const MOST_FOUND = 400; // leaves that a search shows
const MOST_READ = 200; // leaves whose values are looked up

export class SignalTree {
  constructor(element, { add, drag, glance, valueOf }) {
    Object.assign(this, { add, drag, glance, valueOf });
    this.open = new Set();
    this.signals = [];
    this.leaves = new Map(); // name -> the element of its value
    this.search = document.createElement("input");
    Object.assign(this.search, { type: "search", placeholder: "Search signals", autocomplete: "off", spellcheck: false });
    this.search.setAttribute("aria-label", "Search signals");
    this.search.addEventListener("input", () => this.build());
    this.search.addEventListener("keydown", (event) => {
      event.stopPropagation(); // the scene flies with the same keys
      if (event.key === "Enter") this.list.querySelector(".leaf")?.click();
    });
    this.list = document.createElement("div");
    this.list.className = "tree";
    this.list.setAttribute("role", "tree");
    this.list.addEventListener("scroll", () => this.look());
    element.append(this.search, this.list);
  }

  show(signals) {
    const key = signals.map(({ name, unit }) => `${name} ${unit}`).join("\n");
    if (key === this.key) return;
    this.key = key;
    this.signals = signals;
    this.search.placeholder = `Search ${signals.length} signals`;
    this.build();
  }

  build() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.leaves.clear();
    this.list.replaceChildren();
    const found = this.signals.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
    if (words.length && found.length <= MOST_FOUND) {
      for (const signal of found) this.list.append(this.leaf(signal, signal.name, 0));
    } else {
      this.branch(this.list, found, "", 0);
    }
    if (!found.length) this.list.append(Object.assign(document.createElement("p"), { textContent: words.length ? "No signal has that in its name." : "No signals yet." }));
    this.look();
  }

  branch(parent, signals, prefix, depth) {
    const groups = new Map();
    for (const signal of signals) {
      const rest = signal.name.slice(prefix.length), head = rest.split(".")[0];
      if (!groups.has(head)) groups.set(head, []);
      groups.get(head).push(signal);
    }
    for (const [head, members] of groups) {
      const path = `${prefix}${head}`;
      if (members.length === 1) {
        parent.append(this.leaf(members[0], members[0].name.slice(prefix.length), depth));
        continue;
      }
      const row = document.createElement("button");
      row.className = "branch";
      row.style.paddingLeft = `${6 + 12 * depth}px`;
      row.setAttribute("aria-expanded", this.open.has(path));
      row.innerHTML = "<i></i><b></b><small></small>";
      row.children[1].textContent = head;
      row.children[2].textContent = members.length;
      row.onclick = () => {
        if (!this.open.delete(path)) this.open.add(path);
        const top = this.list.scrollTop;
        this.build();
        this.list.scrollTop = top;
      };
      parent.append(row);
      if (this.open.has(path)) this.branch(parent, members.filter(({ name }) => name !== path), `${path}.`, depth + 1);
    }
  }

  leaf({ name, unit }, label, depth) {
    const row = document.createElement("button");
    row.className = "leaf";
    row.dataset.signal = name;
    row.title = `${name}${unit ? ` [${unit}]` : ""}: click adds it to the chosen plot, or drag it`;
    row.style.paddingLeft = `${6 + 12 * depth}px`;
    row.innerHTML = "<span></span><output></output><small></small>";
    row.children[0].textContent = label;
    row.children[2].textContent = unit;
    row.onclick = () => this.add(name);
    this.drag(row, name, null);
    this.leaves.set(name, row);
    return row;
  }

  look() { // ask for the values of the rows that can be seen
    const box = this.list.getBoundingClientRect();
    this.seen = [...this.leaves.values()].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return bottom > box.top && top < box.bottom;
    }).slice(0, MOST_READ);
    this.glance(this.seen.map((row) => row.dataset.signal));
    this.refresh();
  }

  refresh() {
    for (const row of this.seen || []) row.children[1].textContent = said(this.valueOf(row.dataset.signal));
  }
}
