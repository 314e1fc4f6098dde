// A table for words: what happened and when, and the values of signals as numbers.
import { said, valueAt } from "./curves.js";
import { button } from "./plot_legend.js";

const MOST_EVENTS = 200; // the newest

export class Table {
  constructor(panel, { signals = [] }) {
    Object.assign(this, { panel, signals: [...signals], x: null, curves: [] });
    this.element = document.createElement("section");
    this.element.className = "plot table";
    this.element.dataset.drop = "plot";
    this.element.plot = this;
    const head = document.createElement("div");
    head.className = "head";
    head.append(Object.assign(document.createElement("span"), { textContent: "What happened" }), button("×", "Remove this table", () => panel.remove(this)));
    this.values = document.createElement("div");
    this.values.className = "values";
    this.list = document.createElement("div");
    this.list.className = "events";
    this.element.append(head, this.values, this.list);
    this.element.addEventListener("pointerdown", () => panel.choose(this));
  }

  get spec() {
    return { kind: "table", signals: [...this.signals] };
  }

  get wanted() {
    return this.signals;
  }

  add(name) {
    if (!this.signals.includes(name)) this.signals.push(name);
  }

  remove(name) {
    this.signals = this.signals.filter((one) => one !== name);
  }

  close() {
    this.element.remove();
  }

  moved() {
    this.refresh(this.from, this.to);
  }

  refresh(from, to) {
    Object.assign(this, { from, to });
    const { panel } = this, at = panel.time;
    const names = this.signals.join("\n");
    if (names !== this.built) {
      this.built = names;
      this.values.replaceChildren(...this.signals.map((name) => {
        const row = document.createElement("div");
        row.className = "row";
        row.innerHTML = "<span><bdi></bdi></span><output></output><small></small>";
        row.querySelector("bdi").textContent = name;
        row.append(button("×", `Remove ${name}`, () => panel.removeSignal(this, name)));
        panel.drag(row, name, this);
        return row;
      }));
    }
    this.signals.forEach((name, i) => {
      const row = this.values.children[i], curve = panel.source.read(name, from, to);
      row.querySelector("output").textContent = said(valueAt(curve, at), 6);
      row.querySelector("small").textContent = panel.unitOf(name);
    });
    this.refreshEvents();
  }

  refreshEvents() {
    const events = this.panel.events.slice(-MOST_EVENTS).reverse(), key = JSON.stringify(events);
    if (key === this.shown) return;
    this.shown = key;
    this.list.replaceChildren(...events.map(({ t, kind, text }) => {
      const row = button("", "Go there", () => this.panel.goTo(t));
      row.className = `event ${kind}`;
      row.innerHTML = "<time></time><b></b><span></span>";
      row.children[0].textContent = `${t.toFixed(2)} s`;
      row.children[1].textContent = kind;
      row.children[2].textContent = text;
      return row;
    }));
    if (!events.length) this.list.textContent = "Nothing yet.";
  }
}
