// One plot: curves over time, or over another signal; uPlot has scales, axes and the pointer, the curves are drawn here.
//
// At most two units have an axis, left and right; curves of a further unit have a scale of their own, which the legend says.
// Curves that cannot be told apart share one line in dashes of all their colours. Rounding noise is drawn as zero and said so.
import { cut, envelope, isDust, isFlat, power, range, said, same, statistics, valueAt } from "./curves.js";
import { Legend } from "./plot_legend.js";
import uPlot from "./uplot.js";

export const COLOURS = ["#e8590c", "#1c7ed6", "#2f9e44", "#ae3ec9", "#e03131", "#0c8599", "#a07a5c", "#7a828a"];
const HEIGHT = 180, DASH = 7; // [pixels]
const APART = 2 / (HEIGHT - 44); // of the height of an axis: closer, a line hides another

export class Plot {
  constructor(panel, { signals = [], x = null }) {
    Object.assign(this, { panel, signals: [...signals], x, curves: [], structure: "" });
    this.element = document.createElement("section");
    this.element.className = "plot";
    this.element.dataset.drop = "plot";
    this.element.plot = this;
    this.stage = document.createElement("div");
    this.stage.className = "stage";
    this.legend = new Legend(this);
    this.element.append(this.stage, this.legend.head, this.legend.element);
    this.element.addEventListener("pointerdown", () => panel.choose(this));
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.stage);
  }

  get spec() {
    return this.x ? { signals: [...this.signals], x: this.x } : { signals: [...this.signals] };
  }

  get wanted() {
    const bands = this.signals.map((name) => this.panel.bands.get(name)).filter(Boolean);
    return [...this.signals, ...bands, ...(this.x ? [this.x] : [])];
  }

  add(name) {
    if (!this.signals.includes(name) && !this.full) this.signals.push(name);
  }

  get full() {
    return this.signals.length >= COLOURS.length;
  }

  remove(name) {
    this.signals = this.signals.filter((one) => one !== name);
    if (this.x === name) this.x = null;
  }

  close() {
    this.observer.disconnect();
    this.chart?.destroy();
    this.element.remove();
  }

  colour(name) {
    return COLOURS[Math.max(0, this.signals.indexOf(name)) % COLOURS.length];
  }

  refresh(from, to) { // read what is there, and draw it
    const { source } = this.panel;
    this.from = from;
    this.to = to;
    const over = this.x ? cut(source.read(this.x, from, to), from, to) : null;
    this.curves = this.signals.map((name) => {
      const data = cut(source.read(name, from, to), from, to), stats = statistics(data, from, to);
      const scale = this.panel.scaleOf(name, stats), unit = this.panel.unitOf(name), dust = isDust(stats, scale);
      const band = this.panel.bands.get(name);
      return { name, data, stats, scale, unit, dust, colour: this.colour(name), known: this.panel.has(name), equals: null, group: [0, 1],
        band: band && !over ? cut(source.read(band, from, to), from, to) : null };
    });
    this.shape(over);
    this.findEqual();
    if (this.chart) {
      this.chart.batch(() => {
        for (const [key, { low, high }] of Object.entries(this.scales)) this.chart.setScale(key, { min: low, max: high });
      });
      this.chart.redraw(false);
    }
    this.element.classList.toggle("two", Object.keys(this.scales).length > 2);
    this.legend.refresh();
  }

  findEqual() { // curves that lie on each other, so that nobody sees them all; those of one unit are equal
    const groups = [];
    for (const curve of this.curves) {
      const { low, high } = this.scales[curve.key], { t, y } = curve.data;
      curve.seen = { t, y: y.map((value) => ((curve.dust ? 0 : value) - low) / (high - low)) };
      const group = groups.find(([first]) => same(first.seen, curve.seen, APART)), like = group?.find(({ unit }) => unit === curve.unit);
      if (like) curve.equals = { name: like.name, exact: same(like.data, curve.data, 1e-9 * Math.max(like.scale, curve.scale)) };
      if (group) group.push(curve); else groups.push([curve]);
    }
    for (const group of groups) {
      const solid = group.filter(({ name }) => !this.panel.isSetpoint(name));
      solid.forEach((curve, i) => { curve.group = [i, solid.length]; });
    }
  }

  shape(over) { // scales and axes; the chart is built anew only where their kind changes
    const units = [...new Set(this.curves.map(({ unit }) => unit))];
    const key = (unit) => `y${units.indexOf(unit)}`;
    this.scales = { x: { low: this.from, high: this.to, unit: "s" } };
    for (const unit of units.length ? units : [""]) {
      const own = this.curves.filter((curve) => curve.unit === unit && curve.stats.count), wide = own.filter(({ band }) => band);
      const reach = wide.map(({ band }) => 3 * median(band.y)).filter((size) => size > 0);
      const [low, high] = range(Math.min(...own.map(({ stats }) => stats.min), ...reach.map((size) => -size)),
        Math.max(...own.map(({ stats }) => stats.max), ...reach), Math.max(0, ...own.map(({ scale }) => scale)));
      this.scales[units.length ? key(unit) : "y0"] = { low, high, unit };
    }
    for (const curve of this.curves) {
      curve.key = key(curve.unit);
      curve.ownScale = units.indexOf(curve.unit) > 1;
    }
    if (over) this.shapeOver(over);
    const structure = `${Object.values(this.scales).map(({ unit }) => unit)} ${Boolean(over)} ${this.panel.theme}`;
    if (structure !== this.structure) {
      this.structure = structure;
      this.build(Boolean(over));
    }
  }

  shapeOver(over) { // curves over another signal: each is held at its samples
    const stats = statistics(over, this.from, this.to), unit = this.panel.unitOf(this.x);
    const scale = this.panel.scaleOf(this.x, stats), [low, high] = range(stats.min, stats.max, scale);
    this.scales.x = { low, high, unit };
    for (const curve of this.curves) {
      const held = Float64Array.from(over.t, (time) => valueAt(curve.data, time));
      curve.path = { t: over.y, y: held, times: over.t };
    }
    const only = this.scales.y0;
    if (Object.keys(this.scales).length === 2 && only.unit === unit && this.stage.clientWidth > 120) { // a path: as long as it is wide
      const flat = this.curves.every(({ stats: own, scale: reach }) => !own.count || isFlat(own, reach));
      const sides = [[this.scales.x, this.stage.clientWidth - 70, isFlat(stats, scale)], [only, HEIGHT - 40, flat]];
      const most = Math.max(...sides.map(([side, size, zero]) => (zero ? 0 : (side.high - side.low) / size)));
      if (most > 0) {
        for (const [side, size, zero] of sides) {
          const middle = zero ? 0 : (side.low + side.high) / 2;
          [side.low, side.high] = [middle - (most * size) / 2, middle + (most * size) / 2];
        }
      }
    }
  }

  build(phase) {
    this.chart?.destroy();
    const { ink, grid } = this.panel.colours, font = "11px system-ui, sans-serif";
    const axis = (scale, side, size) => ({
      scale, side, size, font, stroke: ink, gap: 4, grid: { stroke: grid, width: 1, show: side !== 1 }, ticks: { show: false },
      space: side % 2 ? 28 : 60,
      values: (_, splits) => {
        const one = this.scales[scale], taken = scale === "x" && !phase ? 0 : power(one.low, one.high);
        return splits.map((value) => said(Number((value / 10 ** taken).toPrecision(6)), 6));
      },
    });
    const units = Object.keys(this.scales).filter((key) => key !== "x"), axes = [axis("x", 2, 22), axis(units[0], 3, 48)];
    if (units[1]) axes.push(axis(units[1], 1, 48));
    const scales = {};
    for (const key of ["x", ...units]) scales[key] = { time: false, auto: false, range: () => [this.scales[key].low, this.scales[key].high] };
    const options = {
      width: Math.max(120, this.stage.clientWidth), height: HEIGHT, padding: [20, units[1] ? 0 : 10, 0, 0], legend: { show: false },
      scales, axes, series: [{}, ...units.map((scale) => ({ scale, show: true, paths: () => null, points: { show: false } }))],
      cursor: {
        y: false, points: { show: false }, drag: { x: !phase, y: false, setScale: false },
        ...(phase ? {} : { sync: { key: this.panel.syncKey, scales: ["x", null], setSeries: false } }),
        bind: { dblclick: () => () => { this.panel.fit(); return null; } },
      },
      hooks: {
        draw: [(chart) => this.draw(chart, phase)],
        setCursor: [(chart) => !phase && this.point(chart)],
        setSelect: [(chart) => this.select(chart)],
      },
    };
    this.chart = new uPlot(options, [[0, 1], ...units.map(() => [null, null])], this.stage);
    if (!phase) this.panel.handle(this.chart);
  }

  fit() {
    if (this.chart && this.stage.clientWidth > 20) this.chart.setSize({ width: this.stage.clientWidth, height: HEIGHT });
  }

  point(chart) {
    const { left } = chart.cursor;
    this.panel.pointAt(left >= 0 ? chart.posToVal(left, "x") : null);
  }

  select(chart) {
    const { left, width } = chart.select;
    if (width > 4) this.panel.zoom(chart.posToVal(left, "x"), chart.posToVal(left + width, "x"));
    chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  }

  draw(chart, phase) {
    const { ctx } = chart, { left, top, width, height } = chart.bbox, dot = devicePixelRatio || 1;
    const toX = (value) => chart.valToPos(value, "x", true);
    ctx.save();
    this.writeUnits(ctx, chart, dot, phase);
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.lineJoin = "round";
    if (!phase) this.drawEvents(ctx, chart, toX, dot);
    for (const curve of this.curves) if (curve.band && !phase) this.drawBand(ctx, chart, curve, toX);
    for (const curve of this.order()) {
      const toY = (value) => chart.valToPos(curve.dust ? 0 : value, curve.key, true);
      const shown = curve.path || envelope(curve.data, toX, width), [place, count] = curve.group;
      ctx.strokeStyle = curve.colour;
      ctx.lineWidth = (this.panel.isSetpoint(curve.name) ? 2 : 1.6) * dot;
      if (count > 1) {
        ctx.setLineDash([DASH * dot, (count - 1) * DASH * dot]);
        ctx.lineDashOffset = -place * DASH * dot;
      } else {
        ctx.setLineDash(this.panel.isSetpoint(curve.name) && this.curves.length > 1 ? [5 * dot, 4 * dot] : []);
      }
      const line = trace(shown, toX, toY);
      ctx.globalAlpha = line.travel > 8 * width ? 0.6 : 1; // a brick of colour lets through what lies behind
      ctx.stroke(line.path);
      ctx.fillStyle = curve.colour;
      for (const [x, y] of line.lone) dotAt(ctx, x, y, 2.5 * dot);
      if (curve.path) this.drawHead(ctx, curve, toX, toY, dot);
    }
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
    ctx.restore();
    this.placeCursor();
  }

  moved() { // the cursor did, and nothing else; over another signal the head of the curve does as well
    if (this.x) return this.refresh(this.from, this.to);
    this.placeCursor();
    this.legend.refresh();
  }

  placeCursor() { // a line over the chart, which moves without the chart being drawn
    const { chart } = this, cursor = this.x ? null : this.panel.cursor(), at = chart && cursor !== null ? chart.valToPos(cursor, "x") : NaN;
    if (!chart) return;
    if (this.line?.parentNode !== chart.over) {
      this.line = document.createElement("div");
      this.line.className = "at";
      chart.over.append(this.line);
    }
    this.line.hidden = !(at >= 0 && at <= chart.over.clientWidth);
    if (!this.line.hidden) this.line.style.transform = `translateX(${at.toFixed(1)}px)`;
  }

  order() { // curves that go up and down the most behind, set-points in front
    const travel = ({ name, seen: { y } }) => (this.panel.isSetpoint(name) ? -1 : y.reduce((sum, value, i) => sum + (Math.abs(value - y[i - 1]) || 0), 0));
    return this.curves.map((curve) => [travel(curve), curve]).sort(([a], [b]) => b - a).map(([, curve]) => curve);
  }

  writeUnits(ctx, chart, dot, phase) { // above each axis, with the power of ten that is taken out of its numbers
    const { left, top, width, height } = chart.bbox, { ink } = this.panel.colours;
    const text = ({ low, high, unit }) => [power(low, high) ? `×1e${power(low, high)}` : "", unit].filter(Boolean).join(" ");
    ctx.font = `${11 * dot}px system-ui, sans-serif`;
    ctx.fillStyle = ink;
    ctx.textBaseline = "alphabetic";
    const units = Object.keys(this.scales).filter((key) => key !== "x");
    ctx.textAlign = "left";
    ctx.fillText(text(this.scales[units[0]]), left - 40 * dot, top - 7 * dot);
    ctx.textAlign = "right";
    if (units[1]) ctx.fillText(text(this.scales[units[1]]), left + width + 40 * dot, top - 7 * dot);
    if (phase) {
      ctx.textAlign = "right";
      ctx.fillText(`${this.x} ${text(this.scales.x)} →`, left + width, top + height - 5 * dot);
    }
  }

  drawEvents(ctx, chart, toX, dot) {
    const { top, height } = chart.bbox;
    for (const event of this.panel.events) {
      if (event.t < this.from || event.t > this.to) continue;
      upright(ctx, toX(event.t), top, height, this.panel.colours[event.kind] || this.panel.colours.event, dot, [3 * dot, 3 * dot]);
    }
  }

  drawBand(ctx, chart, { band, key, colour }, toX) { // +-2 sigma about zero
    const shown = envelope(band, toX, chart.bbox.width), y = (value) => chart.valToPos(value, key, true);
    ctx.beginPath();
    for (let i = 0; i < shown.t.length; i++) ctx.lineTo(toX(shown.t[i]), y(2 * shown.y[i]));
    for (let i = shown.t.length - 1; i >= 0; i--) ctx.lineTo(toX(shown.t[i]), y(-2 * shown.y[i]));
    ctx.closePath();
    ctx.globalAlpha = 0.16;
    ctx.fillStyle = colour;
    ctx.fill();
    ctx.globalAlpha = 1;
  }

  drawHead(ctx, { path, colour }, toX, toY, dot) { // where a path is at the time that is pointed at
    const x = valueAt({ t: path.times, y: path.t }, this.panel.time), y = valueAt({ t: path.times, y: path.y }, this.panel.time);
    ctx.setLineDash([]);
    ctx.fillStyle = colour;
    dotAt(ctx, toX(x), toY(y), 4 * dot);
  }
}

function trace({ t, y }, toX, toY) { // a line with gaps where nothing is known, samples that no line reaches, and its way up and down [pixels]
  const path = new Path2D(), lone = [], known = (i) => i >= 0 && i < t.length && !Number.isNaN(y[i]) && !Number.isNaN(t[i]);
  let last = NaN, travel = 0;
  for (let i = 0; i < t.length; i++) {
    if (!known(i)) { last = NaN; continue; }
    const here = toY(y[i]);
    if (Number.isNaN(last)) path.moveTo(toX(t[i]), here); else path.lineTo(toX(t[i]), here);
    if (Number.isNaN(last) && !known(i + 1)) lone.push([toX(t[i]), here]);
    travel += Math.abs(here - last) || 0;
    last = here;
  }
  return { path, lone, travel };
}

function dotAt(ctx, x, y, radius) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
}

function upright(ctx, x, top, height, colour, width, dash = []) {
  ctx.beginPath();
  ctx.setLineDash(dash);
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.stroke();
  ctx.setLineDash([]);
}

function median(values) {
  const found = Array.from(values).filter(Number.isFinite).sort((a, b) => a - b);
  return found.length ? found[found.length >> 1] : 0;
}
