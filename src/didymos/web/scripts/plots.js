// Plots: a column of plots and the tree of signals below it, for a live run and for an exported page.
//
//   new PlotPanel(element, source, options)
//
//   source.signals()            -> [{name, unit}]                     names with dots make the tree
//   source.read(name, from, to) -> {t: Float64Array, y: Float64Array} from what is here; seconds; y NaN where unknown
//   source.want(names, view, window) what is drawn now, and the seconds [from, to] that are looked at, or null and how many [s]
//   source.now()                -> seconds: the end of what is known, or the cursor of a replay
//   source.span()               -> [from, to] seconds of all that is known
//   source.pairs()              -> [[truth name, set-point name], ...]
//   source.first()              -> [[name, ...], ...]                 what the first plots show
//   source.events()             -> [{t, kind, text}]
//   source.onchange(f)          -> f() is called when signals, data, time or events changed
//   source.bands?()             -> [[name, name of its standard deviation], ...]
//   source.glance?(names), source.last?(name)                         latest values for the tree, where reading is not enough
//   source.exact?(names, from, to) -> promise of {name: {t, y}}       all samples, for a CSV
//
//   options: {cursor?: () => t, seek?: (t) => void, follow?, window?, layout?, layouts?, storageKey?, close?}
//
// `follow`: the plots show the last `window` seconds and move on; without, all that is known.
import { csv, said, statistics } from "./curves.js";
import { Plot } from "./plot.js";
import { button } from "./plot_legend.js";
import { LayoutMenu } from "./plot_layouts.js";
import { navigate } from "./plot_pointer.js";
import { Table } from "./plot_table.js";
import { colours, install, onTheme } from "./plots_style.js";
import { draggable } from "./signal_drag.js";
import { SignalTree } from "./signal_tree.js";

const WINDOWS = [2, 5, 10, 30, 60, 300]; // [s]
const MOST_PLOTS = 12, PERIOD = 50; // [ms] between pictures at least
let panels = 0;

export class PlotPanel {
  constructor(element, source, options = {}) {
    install();
    Object.assign(this, { element, source, options, plots: [], view: null, pointed: null, statistics: false, auto: true });
    this.window = options.window || 10;
    this.syncKey = `didymos-${++panels}`;
    this.scales = new Map();
    this.chosen = null;
    element.classList.add("didymos-plots");
    this.bar = element.appendChild(document.createElement("div"));
    this.bar.className = "bar";
    this.column = element.appendChild(document.createElement("div"));
    this.column.className = "column";
    this.column.dataset.drop = "new";
    const below = element.appendChild(document.createElement("div"));
    below.className = "signals";
    this.tree = new SignalTree(below, {
      add: (name) => this.addSignal(name), drag: (row, name, from) => this.drag(row, name, from),
      glance: (names) => source.glance?.(names), valueOf: (name) => this.lastOf(name),
    });
    this.buildBar(below);
    this.theme = 0;
    this.colours = colours(element);
    onTheme(() => { this.theme++; this.colours = colours(element); this.changed(); });
    this.read();
    this.restore();
    source.onchange(() => this.changed());
    this.changed();
  }

  buildBar(below) {
    const { options } = this;
    this.follow = button("", "", () => (this.view ? this.fit() : this.zoom(...this.seconds())));
    this.follow.className = "follow";
    this.windows = document.createElement("select");
    this.windows.title = "Seconds that the plots show";
    this.windows.setAttribute("aria-label", "Seconds that the plots show");
    this.windows.replaceChildren(...WINDOWS.map((seconds) => new Option(`${seconds} s`, seconds)));
    this.windows.onchange = () => { this.window = Number(this.windows.value); this.view = null; this.keep(); this.changed(); };
    this.windows.hidden = !options.follow;
    this.more = ["Plot", "Table"].map((what) => button(`+ ${what}`, what === "Plot" ? "Add a plot" : "Add a table of what happened", () => {
      this.reveal(this.addPlot(what === "Plot" ? { signals: [] } : { kind: "table" }));
      this.edited();
    }));
    this.sigma = button("Σ", "Statistics of the window", () => { this.statistics = !this.statistics; this.keep(); this.changed(); });
    const save = button("CSV", "Save what is plotted as CSV", () => this.download());
    const hide = button("Signals", "Show or hide the tree of signals", () => {
      below.hidden = !below.hidden;
      hide.setAttribute("aria-pressed", !below.hidden);
    });
    hide.setAttribute("aria-pressed", true);
    this.clock = document.createElement("output");
    this.bar.append(this.follow, this.windows, ...this.more, this.sigma, save);
    if (options.layouts) this.menu = new LayoutMenu(this, options.layouts, this.bar);
    this.bar.append(hide, this.clock);
    if (options.close) this.bar.append(button("×", "Hide the plots", options.close));
  }

  // What is known of signals.
  read() {
    const { source } = this;
    this.units = new Map(source.signals().map(({ name, unit }) => [name, unit === "1" ? "" : unit || ""]));
    this.pairs = new Map();
    this.setpoints = new Set();
    for (const [truth, setpoint] of source.pairs()) {
      this.pairs.set(truth, setpoint);
      this.pairs.set(setpoint, truth);
      this.setpoints.add(setpoint);
    }
    this.bands = new Map(source.bands?.() || []);
    this.events = source.events();
  }
  has(name) { return this.units.has(name); }
  unitOf(name) { return this.units.get(name) || ""; }
  isSetpoint(name) { return this.setpoints.has(name); }
  scaleOf(name, { min, max }) { // the largest size that was ever seen of a signal
    const size = Math.max(this.scales.get(name) || 0, Math.abs(min) || 0, Math.abs(max) || 0);
    this.scales.set(name, size);
    return size;
  }
  lastOf(name) {
    if (this.source.last) return this.source.last(name);
    const now = this.time, { stats } = { stats: statistics(this.source.read(name, now - 1, now), -Infinity, now) };
    return stats.last;
  }

  // Time.
  cursor() { return this.options.cursor ? this.options.cursor() : null; }
  get time() { return this.pointed ?? this.cursor() ?? this.source.now(); }
  get held() { // the seconds that are looked at, by hand or around a cursor in the past; null while the end is followed
    if (this.view || !this.options.follow) return this.view;
    const cursor = this.cursor(), step = this.window / 4;
    if (cursor === null || cursor >= this.source.now() - 3 * step) return null;
    const begin = Math.max(0, (Math.floor(cursor / step) - 2) * step);
    return [begin, begin + this.window];
  }
  seconds() { // what is looked at
    const { held } = this, [from, to] = this.source.span();
    if (held) return held;
    if (!this.options.follow) return [from, Math.max(to, from + 1e-3)];
    const begin = Math.max(from, this.source.now() - this.window);
    return [begin, begin + this.window];
  }
  zoom(from, to) {
    if (to - from > 1e-6) this.view = [from, to];
    this.changed();
  }
  fit() {
    this.view = null;
    this.changed();
  }
  goTo(t) {
    if (this.options.seek) this.options.seek(t);
    const [from, to] = this.seconds();
    if (t < from || t > to) this.zoom(t - (to - from) / 2, t + (to - from) / 2);
  }
  pointAt(time) {
    if (time === this.pointed) return;
    this.pointed = time;
    this.changed();
  }
  handle(chart) { navigate(chart, this); }

  // What is drawn.
  addPlot(spec) {
    if (this.plots.length >= MOST_PLOTS) return null;
    const plot = spec.kind === "table" ? new Table(this, spec) : new Plot(this, spec);
    this.plots.push(plot);
    this.column.append(plot.element);
    this.choose(plot);
    return plot;
  }
  remove(plot) {
    this.plots = this.plots.filter((one) => one !== plot);
    plot.close();
    if (this.chosen === plot) this.choose(this.plots.at(-1) || null);
    this.edited();
  }
  choose(plot) {
    this.chosen = plot;
    for (const one of this.plots) one.element.classList.toggle("chosen", one === plot && this.plots.length > 1);
  }
  addSignal(name, plot = this.chosen, { x = false } = {}) {
    const onto = plot && this.plots.includes(plot) && (!plot.full || plot.signals.includes(name)) ? plot : this.addPlot({ signals: [] });
    if (!onto) return;
    if (x && onto instanceof Plot && onto.signals.length) return this.setX(onto, name);
    const partner = this.pairs.get(name);
    if (!onto.signals.length && partner && onto instanceof Plot) onto.add(partner);
    onto.add(name);
    this.reveal(onto);
    this.edited();
  }
  reveal(plot) { this.revealed = plot; } // once it is drawn
  removeSignal(plot, name) {
    plot.remove(name);
    this.edited();
  }
  setX(plot, name) {
    if (plot.x && !name && !plot.signals.includes(plot.x)) plot.add(plot.x);
    plot.x = name;
    if (name && plot.signals.length > 1) plot.signals = plot.signals.filter((one) => one !== name);
    this.edited();
  }
  drag(element, name, from) {
    draggable(element, name, (target, event) => {
      const place = target.closest("[data-drop]"), plot = place?.plot || null;
      if (!place || !this.element.contains(place) || (plot && plot === from)) return;
      const box = plot?.chart?.over.getBoundingClientRect();
      if (from) from.remove(name);
      this.addSignal(name, plot, { x: Boolean(box) && event.clientY > box.bottom && event.clientY < box.bottom + 24 });
    });
  }

  // Layouts.
  layout() {
    return { plots: this.plots.map((plot) => plot.spec), window: this.window, statistics: this.statistics };
  }
  apply(layout) {
    for (const plot of this.plots) plot.close();
    this.plots = [];
    for (const spec of layout.plots) this.addPlot(spec);
    if (WINDOWS.includes(layout.window)) this.window = layout.window;
    this.statistics = Boolean(layout.statistics);
    this.choose(this.plots[0] || null);
    this.changed();
  }
  restore() { // what was there when the page was last open, or what the source says comes first
    let kept = this.options.layout || null;
    try {
      kept = JSON.parse(localStorage.getItem(this.options.storageKey || "")) || kept;
    } catch { /* no storage on pages from a file, or not ours */ }
    this.take(kept);
  }
  take(layout) { // one that came from elsewhere: only where it is one
    const isName = (name) => typeof name === "string", isPlot = (spec) => (spec?.signals || []).every?.(isName) && (!spec.x || isName(spec.x));
    if (!Array.isArray(layout?.plots) || !layout.plots.every(isPlot)) return;
    this.auto = false;
    this.apply(layout);
  }
  edited() {
    this.auto = false;
    this.keep();
    this.changed();
  }
  keep() {
    if (!this.options.storageKey || this.auto) return;
    try {
      localStorage.setItem(this.options.storageKey, JSON.stringify(this.layout()));
    } catch { /* not kept, then */ }
  }
  turn() { // another kind of source: its own layout
    this.view = null;
    this.auto = true;
    this.first = "";
    this.read();
    this.restore();
    this.changed();
  }
  reset() { // back to what the source says comes first
    this.auto = true;
    this.first = "";
    try { localStorage.removeItem(this.options.storageKey || ""); } catch { /* none */ }
    this.changed();
  }

  // Only the cursor moved: lines of the plots and values beside them do, curves stay as they are drawn.
  moved() {
    if (this.moving || this.waiting) return;
    this.moving = requestAnimationFrame(() => {
      this.moving = 0;
      for (const plot of this.plots) plot.moved();
      this.writeClock();
    });
  }
  writeClock() { this.clock.textContent = `t = ${said(Number(this.time.toFixed(3)), 7)} s`; }

  // Drawing: after a change, not more often than PERIOD.
  changed() {
    if (this.waiting) return;
    this.waiting = setTimeout(() => requestAnimationFrame(() => { this.waiting = 0; this.refresh(); }), PERIOD);
  }
  refresh() {
    this.read();
    const first = JSON.stringify(this.source.first());
    if (this.auto && first !== this.first) {
      this.first = first;
      this.apply({ plots: this.source.first().map((signals) => ({ signals })), window: this.window, statistics: this.statistics });
    }
    this.tree.show([...this.units].map(([name, unit]) => ({ name, unit })));
    this.source.want([...new Set(this.plots.flatMap((plot) => plot.wanted))], this.held, this.window);
    if (this.element.checkVisibility && !this.element.checkVisibility()) return;
    const [from, to] = this.seconds();
    this.drawnAt = this.source.now();
    for (const plot of this.plots) plot.refresh(from, to);
    this.revealed?.element.scrollIntoView({ block: "nearest" });
    this.revealed = null;
    this.tree.refresh();
    for (const add of this.more) add.disabled = this.plots.length >= MOST_PLOTS;
    this.follow.textContent = this.view ? (this.options.follow ? "Follow" : "Fit") : "Hold";
    this.follow.title = this.view ? "Double-click on a plot does the same" : "The run goes on, the plots stay. Drag over a plot zooms, Shift-drag or the wheel moves";
    this.follow.hidden = !this.view && !this.options.follow;
    this.follow.classList.toggle("held", Boolean(this.view));
    this.sigma.setAttribute("aria-pressed", this.statistics);
    if (document.activeElement !== this.windows) this.windows.value = this.window;
    this.writeClock();
  }

  // Out of the page.
  async download() {
    const names = [...new Set(this.plots.flatMap((plot) => plot.wanted))].filter((name) => this.has(name)), [from, to] = this.seconds();
    const exact = this.source.exact ? await this.source.exact(names, from, to) : null;
    const text = csv(names.map((name) => {
      const { t, y } = exact ? exact[name] : this.source.read(name, from, to), inside = [...t.keys()].filter((i) => t[i] >= from && t[i] <= to);
      return { name, unit: this.unitOf(name), t: inside.map((i) => t[i]), y: inside.map((i) => y[i]) };
    }));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = `plots-${from.toFixed(2)}-${to.toFixed(2)}s.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    return text;
  }
}
