// Numbers behind a plot: where a curve lies, what of it is seen, how it is said. No page in here.
//
// A curve is {t: Float64Array, y: Float64Array}, times [s] not decreasing, y NaN where it is unknown.
const DUST = 1e-9, ROUNDING = 1e-12; // of a unit, and of the largest that a signal ever was: less is what rounding leaves, and adds up to

export function after(t, time) { // the first place whose time is not before a time
  let low = 0, high = t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle] < time) low = middle + 1; else high = middle;
  }
  return low;
}

export function cut({ t, y }, from, to) { // a stretch, with one sample more on either side, so that a line reaches the edges
  const begin = Math.max(0, after(t, from) - 1), end = Math.min(t.length, after(t, to) + 1);
  return { t: t.subarray(begin, end), y: y.subarray(begin, end) };
}

export function valueAt({ t, y }, time) { // the sample that holds at a time; NaN before the first
  const place = after(t, time + 1e-9 + 1e-15 * Math.abs(time)) - 1; // times of 1e9 s are 2e-7 s fine
  return place < 0 ? NaN : y[place];
}

export function statistics({ t, y }, from, to) { // of the samples within a window
  const found = { count: 0, min: Infinity, max: -Infinity, mean: 0, rms: 0, last: NaN };
  let sum = 0, squares = 0;
  for (let i = after(t, from); i < t.length && t[i] <= to; i++) {
    if (!(Math.abs(y[i]) < Infinity)) continue;
    found.count++;
    if (y[i] < found.min) found.min = y[i];
    if (y[i] > found.max) found.max = y[i];
    sum += y[i];
    squares += y[i] * y[i];
    found.last = y[i];
  }
  if (!found.count) return { count: 0, min: NaN, max: NaN, mean: NaN, rms: NaN, last: NaN };
  found.mean = sum / found.count;
  found.rms = Math.sqrt(squares / found.count);
  return found;
}

const dust = (scale) => Math.max(DUST, ROUNDING * scale);

export const isFlat = (stats, scale) => stats.count > 0 && Math.max(-stats.min, stats.max) <= dust(scale); // on the line of zero

export const isDust = (stats, scale) => isFlat(stats, scale) && (stats.min !== 0 || stats.max !== 0);

export function same(one, other, limit) { // whether two curves are nowhere further apart
  if (!one.t.length || !other.t.length) return false;
  const [few, many] = one.t.length < other.t.length ? [one, other] : [other, one];
  for (let i = 0; i < few.t.length; i++) {
    const beside = many.t[i] === few.t[i] ? many.y[i] : valueAt(many, few.t[i]);
    if (!(Math.abs(few.y[i] - beside) <= limit) && !(Number.isNaN(few.y[i]) && Number.isNaN(beside))) return false;
  }
  if (few.t.length === many.t.length) return true;
  for (let i = 0; i < many.t.length; i++) {
    const beside = valueAt(few, many.t[i]);
    if (Math.abs(many.y[i] - beside) > limit) return false;
  }
  return true;
}

export function envelope(curve, toX, width) { // at most four points a pixel: first, lowest, highest, last; exact where few
  const { t, y } = curve;
  if (t.length <= 2 * width) return curve;
  const times = [], values = [];
  let i = 0;
  while (i < t.length) {
    const column = Math.floor(toX(t[i])), begin = i;
    let low = -1, high = -1;
    for (; i < t.length && Math.floor(toX(t[i])) === column; i++) {
      if (Number.isNaN(y[i])) continue;
      if (low < 0 || y[i] < y[low]) low = i;
      if (high < 0 || y[i] > y[high]) high = i;
    }
    for (const place of [...new Set([begin, low, high, i - 1])].filter((one) => one >= 0).sort((a, b) => a - b)) {
      times.push(t[place]);
      values.push(y[place]);
    }
  }
  return { t: times, y: values };
}

const nice = (size) => { // the next of 1, 2, 5, 10 ... that is not less
  const power = 10 ** Math.floor(Math.log10(size));
  return power * [1, 2, 5, 10].find((step) => step * power >= 0.999999 * size);
};

export function range(low, high, scale = 0) { // of an axis: round numbers, so that it changes seldom; never blown up dust
  if (!(low <= high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size <= dust(scale)) return [-1, 1];
  const least = 0.02 * size;
  if (high - low < least) [low, high] = [(low + high - least) / 2, (low + high + least) / 2];
  const step = nice((high - low) / 8), margin = 0.04 * (high - low);
  return [Math.floor((low - margin) / step) * step, Math.ceil((high + margin) / step) * step];
}

export function power(low, high) { // the power of ten that is taken out of an axis; 0 for numbers that are read as they are
  const size = Math.max(Math.abs(low), Math.abs(high));
  return size > 0 && (size < 0.02 || size >= 1e5) ? 3 * Math.floor(Math.log10(size) / 3) : 0;
}

export function said(value, digits = 4) { // a number as a person reads it
  if (value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size < 1e-3 || size >= 1e6 ? value.toExponential(digits - 2) : String(Number(value.toPrecision(digits)));
  return text.replace("e+", "e").replaceAll("-", "−");
}

export function csv(curves) { // [{name, unit, t, y}]: one row per time at which any of them has a sample, empty where one has none
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const times = [...new Set(curves.flatMap((curve) => Array.from(curve.t)))].sort((a, b) => a - b);
  const places = curves.map(() => 0);
  const lines = [["t [s]", ...curves.map(({ name, unit }) => quoted(unit ? `${name} [${unit}]` : name))].join(",")];
  for (const time of times) {
    const row = [time];
    curves.forEach(({ t, y }, i) => {
      let cell = "";
      while (places[i] < t.length && t[places[i]] <= time) {
        if (t[places[i]] === time && !Number.isNaN(y[places[i]])) cell = y[places[i]];
        places[i]++;
      }
      row.push(cell);
    });
    lines.push(row.join(","));
  }
  return `${lines.join("\n")}\n`;
}
