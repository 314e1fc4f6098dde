// Positions of all joints over time, out of the tracks of a log: between two rows halfway, held beyond the ends.
export class JointTracks {
  constructor(blocks, tracks, rest) {
    this.rest = Float64Array.from(rest);
    this.now = Float64Array.from(rest);
    this.tracks = tracks.map(({ times, places, columns }) => ({
      times: blocks.times(times), places, columns: columns.map((column) => blocks.array(column)),
    }));
  }

  at(time) { // qpos, the same array every time
    for (const { times, places, columns } of this.tracks) {
      const next = Math.min(after(times, time), times.length - 1), last = Math.max(next - 1, 0);
      const span = times[next] - times[last];
      const part = span > 0 ? Math.min(Math.max((time - times[last]) / span, 0), 1) : 1;
      for (let i = 0; i < places.length; i++) this.now[places[i]] = columns[i][last] + part * (columns[i][next] - columns[i][last]);
    }
    return this.now;
  }
}

export function after(times, time) { // number of the first entry that is later
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1; else high = middle;
  }
  return low;
}
