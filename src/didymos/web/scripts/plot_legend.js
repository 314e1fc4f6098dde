// The legend of a plot: a row per curve with its value at the pointer or the latest one, what is odd about it, and statistics.
import { said, valueAt } from "./curves.js";

const TIME = "time";

export class Legend {
  constructor(plot) {
    this.plot = plot;
    this.element = document.createElement("div");
    this.element.className = "legend";
    this.head = document.createElement("div");
    this.head.className = "head";
    this.over = document.createElement("select");
    this.over.title = "What the curves are drawn over";
    this.over.setAttribute("aria-label", "What the curves are drawn over");
    this.over.onchange = () => plot.panel.setX(plot, this.over.value === TIME ? null : this.over.value);
    const close = button("×", "Remove this plot", () => plot.panel.remove(plot));
    this.hint = document.createElement("span");
    this.head.append(this.hint, this.over, close);
    this.rows = document.createElement("div");
    this.element.append(this.rows);
    this.built = "";
  }

  refresh() {
    const { plot } = this, { panel } = plot, key = [plot.x, panel.statistics, ...plot.signals].join("\n");
    if (key !== this.built) {
      this.built = key;
      this.build();
    }
    write(this.hint, plot.signals.length ? "" : "Click a signal below, or drag one here.");
    plot.curves.forEach((curve, i) => {
      const row = this.rows.children[i], { stats, data } = curve;
      const at = panel.pointed ?? panel.cursor(), value = at === null ? stats.last : valueAt(data, at);
      write(row.querySelector("output"), curve.known ? said(curve.dust ? 0 : value) : "not in this run");
      write(row.querySelector("small"), curve.known ? curve.unit : "");
      write(row.querySelector("em"), this.note(curve));
      row.classList.toggle("unknown", !curve.known);
      const figures = row.querySelectorAll("dd");
      if (figures.length) ["min", "max", "mean", "rms", "last"].forEach((kind, k) => write(figures[k], said(stats[kind])));
    });
  }

  note({ equals, dust, stats, ownScale, key, band }) {
    const notes = [];
    if (equals) notes.push(`${equals.exact ? "=" : "≈"} ${shortened(equals.name, this.plot.signals)}`);
    if (dust) notes.push(`≈ 0, |y| ≤ ${said(Math.max(-stats.min, stats.max), 3)}`);
    if (band) notes.push("band: ±2 σ");
    if (ownScale) {
      const { low, high } = this.plot.scales[key];
      notes.push(`own scale ${said(low)} … ${said(high)}`);
    }
    return notes.join(" · ");
  }

  build() {
    const { plot } = this, { panel } = plot;
    this.rows.replaceChildren(...plot.signals.map((name) => {
      const row = document.createElement("div");
      row.className = "row";
      row.dataset.signal = name;
      row.innerHTML = "<i></i><span><bdi></bdi></span><em></em><output></output><small></small>";
      row.querySelector("i").style.background = plot.colour(name);
      row.querySelector("bdi").textContent = name;
      row.querySelector("span").title = name;
      row.append(button("×", `Remove ${name}`, () => panel.removeSignal(plot, name)));
      if (panel.statistics) {
        const list = document.createElement("dl");
        list.innerHTML = ["min", "max", "mean", "RMS", "last"].map((kind) => `<div><dt>${kind}</dt><dd></dd></div>`).join("");
        row.append(list);
      }
      panel.drag(row, name, plot);
      return row;
    }));
    const options = [TIME, ...new Set([...(plot.x ? [plot.x] : []), ...plot.signals])];
    this.over.replaceChildren(...options.map((name) => {
      const option = document.createElement("option");
      option.value = name;
      option.textContent = `over ${name}`;
      return option;
    }));
    this.over.value = plot.x || TIME;
    this.over.hidden = !plot.signals.length;
  }
}

function shortened(name, others) { // without what all names begin with
  const parts = name.split(".");
  let first = 0;
  while (first < parts.length - 1 && others.every((other) => other.split(".")[first] === parts[first])) first++;
  return parts.slice(first).join(".");
}

export function button(text, title, onclick) {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, title, onclick });
  made.setAttribute("aria-label", title);
  return made;
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
