// What the plots of the cockpit's page draw: asked for by name over the line to the cockpit, see cockpit/plot_feed.py.
import { feed } from "./feed.js";
import { Samples } from "./samples.js";

const EMPTY = { t: new Float64Array(), y: new Float64Array() };
const POINTS = 2000; // stretches of a part of time that is looked at, each with two samples at most
const SOON = 120; // [ms] between a zoom and asking for its samples
const AGAIN = 0.5; // [s] of the run's clock after which a part that is not over yet is asked for again
const KEPT = 1.1; // windows

export class LiveSource {
  constructor() {
    this.run = -1;
    this.kind = "";
    this.twin = "";
    this.clock = this.begin = 0;
    this.about = { signals: [], pairs: [], first: [], bands: [] };
    this.data = new Map();
    this.values = new Map();
    this.happened = [];
    this.listeners = [];
    this.asked = this.glanced = "";
    this.answers = new Map();
    this.number = 0;
    this.stretch = null; // {from, to, now, key, curves}: samples of what is looked at, finer than those that follow the run
    feed.on("plots.signals", (message) => this.hear(message));
    feed.on("plots.samples", (message) => this.take(message));
    feed.on("plots.values", ({ names, values }) => {
      const news = names.filter((name, i) => !Object.is(this.values.get(name), values[i]));
      names.forEach((name, i) => this.values.set(name, values[i]));
      if (news.length) this.tell(); // nothing else may move
    });
    feed.on("plots.events", ({ events }) => { this.happened = events.map(([t, kind, text]) => ({ t, kind, text })); this.tell(); });
    feed.on("plots.stretch", (message) => { this.answers.get(message.id)?.(message); this.answers.delete(message.id); });
    feed.onopen(() => {
      feed.send("plots.hello");
      this.data.clear();
      this.stretch = null;
      const { asked, glanced } = this;
      this.asked = this.glanced = "";
      if (asked) feed.send("plots.want", JSON.parse((this.asked = asked)));
      if (glanced) feed.send("plots.glance", JSON.parse((this.glanced = glanced)));
    });
  }

  hear({ run, twin, kind, names, units, pairs, first, bands }) {
    if (run !== this.run) {
      this.data.clear();
      this.values.clear();
      this.happened = [];
      this.stretch = null;
    }
    Object.assign(this, { run, twin, kind, about: { signals: names.map((name, i) => ({ name, unit: units[i] })), pairs, first, bands } });
    this.tell();
  }

  take(message) {
    this.clock = message.now;
    message.names.forEach((name, i) => {
      if (!this.data.has(name)) this.data.set(name, new Samples());
      const samples = this.data.get(name);
      samples.put(message.from[i], message[`t${i}`], message[`y${i}`]);
      if (this.kind !== "replay") samples.forget(message.now - KEPT * this.window); // of a log all is shown
    });
    this.tell();
  }

  tell() { this.listeners.forEach((listener) => listener()); }
  onchange(listener) { this.listeners.push(listener); }
  signals() { return this.about.signals; }
  pairs() { return this.about.pairs; }
  first() { return this.about.first; }
  bands() { return this.about.bands; }
  events() { return this.happened; }
  now() { return this.clock; }
  span() {
    let from = Infinity, to = this.clock;
    for (const { t } of this.data.values()) {
      if (!t.length) continue;
      from = Math.min(from, t[0]);
      to = Math.max(to, t[t.length - 1]);
    }
    return [Math.min(from, to), to];
  }

  read(name, from, to) {
    const part = this.stretch;
    if (part && part.from <= from + 1e-9 && part.to >= to - 1e-9 && part.curves[name]) return part.curves[name];
    return this.data.get(name) || EMPTY;
  }

  want(names, view, window) {
    this.window = window;
    for (const name of this.data.keys()) if (!names.includes(name)) this.data.delete(name);
    const asked = JSON.stringify({ names, window });
    if (asked !== this.asked) {
      this.asked = asked;
      feed.send("plots.want", JSON.parse(asked));
    }
    if (!view) { this.looking = ""; this.stretch = null; return; }
    const looking = JSON.stringify([names, view, this.run]), part = this.stretch;
    const grows = part && part.key === looking && part.to > part.now && this.clock > part.now + AGAIN;
    if (looking === this.looking && !grows) return;
    this.looking = looking;
    clearTimeout(this.soon);
    this.soon = setTimeout(async () => {
      const now = this.clock, curves = await this.fetch(names, view[0], view[1], POINTS);
      if (this.looking === looking) this.stretch = { from: view[0], to: view[1], now, key: looking, curves };
      this.tell();
    }, SOON);
  }

  glance(names) {
    const glanced = JSON.stringify({ names });
    if (glanced === this.glanced) return;
    this.glanced = glanced;
    feed.send("plots.glance", { names });
  }

  last(name) { return this.data.has(name) ? this.data.get(name).last : this.values.get(name) ?? NaN; }

  exact(names, from, to) { return this.fetch(names, from, to, 0); }

  async fetch(names, from, to, points) { // {name: {t, y}} of a part of time, with a sample more on either side where points are thin
    const id = ++this.number, margin = points ? (to - from) / 20 : 0;
    const found = await new Promise((resolve) => {
      this.answers.set(id, resolve);
      feed.send("plots.fetch", { id, names, from: from - margin, to: to + margin, points });
    });
    return Object.fromEntries(found.names.map((name, i) => [name, { t: found[`t${i}`], y: found[`y${i}`] }]));
  }
}
