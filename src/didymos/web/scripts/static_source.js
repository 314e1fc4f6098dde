// Signals of one log, or of two, that a page holds: what plots read.
//
// Of a second log, the ghost, every signal is here as ghost.NAME, and what it has more than the first one as difference.NAME.
import { after } from "./joint_tracks.js";

const GHOST = "ghost.", DIFFERENCE = "difference.";

export class StaticSource {
  #known = new Map();

  constructor(blocks, logs, player) {
    Object.assign(this, { blocks, player, logs });
    for (const { log, prefix } of logs.map((log, i) => ({ log, prefix: i ? GHOST : "" }))) {
      for (const stream of log.streams) {
        const times = once(() => blocks.times(stream.times));
        for (const column of stream.columns) {
          const values = once(() => column.block ? Float64Array.from(blocks.array(column.block)) : new Float64Array(times().length).fill(column.constant ?? NaN));
          this.#known.set(prefix + column.name, { unit: column.unit, times, values });
        }
      }
    }
    for (const [name, { unit }] of [...this.#known]) {
      const ghost = this.#known.get(GHOST + name), own = this.#known.get(name);
      if (ghost && !name.startsWith(GHOST)) {
        this.#known.set(DIFFERENCE + name, { unit, times: own.times, values: once(() => less(ghost, own)) });
      }
    }
  }

  signals() { return [...this.#known].map(([name, { unit }]) => ({ name, unit })); }
  want() {}
  now() { return this.player.time(); }
  span() { return this.player.span(); }
  events() { return this.player.events(); }
  onchange() {} // nothing that is read here ever does

  read(name, from, to) { // with a row more at each end, so that a curve reaches the border of its plot
    const known = this.#known.get(name);
    if (!known) return { t: new Float64Array(0), y: new Float64Array(0) };
    const times = known.times(), begin = Math.max(after(times, from) - 1, 0), end = Math.min(after(times, to) + 1, times.length);
    return { t: times.subarray(begin, end), y: known.values().subarray(begin, end) };
  }

  pairs() { return this.logs[0].pairs; }

  first() { // of two logs: each signal of the first beside its ghost, then their difference
    const plots = this.logs[0].first;
    if (this.logs.length === 1) return plots;
    const both = (name) => [name, GHOST + name].filter((one) => this.#known.has(one));
    const shared = plots.map(([name]) => name).filter((name) => this.#known.has(DIFFERENCE + name));
    return [...plots.slice(0, 2).map(([name]) => both(name)), ...shared.slice(0, 2).map((name) => [DIFFERENCE + name])];
  }
}

function once(make) {
  let made = null;
  return () => (made ??= make());
}

function less(ghost, own) { // the ghost at the times of the first log, straight between its rows, less the first
  const times = ghost.times(), values = ghost.values(), y = own.values();
  return own.times().map((time, i) => {
    const next = after(times, time);
    if (next === 0 || (next === times.length && time > times[next - 1])) return NaN;
    const last = next - 1, span = next < times.length ? times[next] - times[last] : 0;
    return values[last] + (span > 0 ? ((time - times[last]) / span) * (values[next] - values[last]) : 0) - y[i];
  });
}
