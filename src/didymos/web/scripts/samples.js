// A curve that grows at its end and is forgotten at its beginning.
const FIRST = 1024; // samples that there is room for at once

export class Samples {
  constructor() {
    this.begin = this.end = 0;
    this.times = new Float64Array(FIRST);
    this.values = new Float64Array(FIRST);
  }

  get t() { return this.times.subarray(this.begin, this.end); }
  get y() { return this.values.subarray(this.begin, this.end); }
  get last() { return this.end > this.begin ? this.values[this.end - 1] : NaN; }

  put(from, t, y) { // samples in the place of all from a time on; of all, where that is null
    if (from === null) this.begin = this.end = 0;
    while (this.end > this.begin && this.times[this.end - 1] >= from) this.end--;
    const count = this.end - this.begin + t.length;
    if (this.end + t.length > this.times.length) {
      const room = Math.max(this.times.length, 2 * count), times = new Float64Array(room), values = new Float64Array(room);
      times.set(this.t);
      values.set(this.y);
      [this.times, this.values, this.end, this.begin] = [times, values, this.end - this.begin, 0];
    }
    this.times.set(t, this.end);
    this.values.set(y, this.end);
    this.end += t.length;
  }

  forget(before) {
    while (this.end - this.begin > 1 && this.times[this.begin + 1] < before) this.begin++;
  }
}
