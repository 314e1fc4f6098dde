// How sharp a picture is drawn: in motion as sharp as the machine draws fast enough, at rest sharper than that.
const RATIOS = [2, 1.4, 1, 0.7, 0.5]; // pixels drawn for one of the page, each way
const BEGIN = 2, COARSE = 3; // numbers of ratios: at first, and from which on a picture at rest is not the sharpest
const ENOUGH = 1000 / 45, TOO_SLOW = 1000 / 31, FAR_TOO_SLOW = 1000 / 12; // [ms] between pictures in motion
const REST = 300, RESTS = 4; // [ms] and usual times between pictures, without a new one, until a picture is at rest
const LOOKS = 4; // pictures that are looked at before anything changes

export class PictureQuality {
  constructor(set, redraw) { // set(ratio), redraw() one picture
    Object.assign(this, { set, redraw, level: BEGIN, sharpest: 0, taken: [], last: null, timer: null, resting: false });
    set(RATIOS[BEGIN]);
  }

  asked() { // somebody asks for a picture
    clearTimeout(this.timer);
  }

  drawn(now) { // a picture in motion is about to be drawn, at a time [ms]
    const since = this.last === null ? 0 : now - this.last, pause = Math.max(REST, RESTS * since);
    if (this.resting) this.#begin(); else if (this.last !== null) this.taken.push(since);
    this.last = now;
    this.timer = setTimeout(() => this.#rest(), pause);
    if (this.taken.length >= LOOKS) this.#judge();
  }

  #begin() {
    this.resting = false;
    this.set(RATIOS[this.level]);
  }

  #judge() {
    const middle = this.taken.sort((a, b) => a - b)[LOOKS >> 1], before = this.level;
    this.taken = [];
    if (middle > TOO_SLOW) {
      this.sharpest = Math.min(this.level + 1, RATIOS.length - 1); // what was too slow once is not tried again
      this.level = Math.min(this.level + (middle > FAR_TOO_SLOW ? 2 : 1), RATIOS.length - 1);
    } else if (middle < ENOUGH && this.level > this.sharpest) {
      this.level -= 1;
    }
    if (this.level !== before) this.set(RATIOS[this.level]);
  }

  #rest() {
    this.resting = true;
    this.taken = [];
    this.last = null;
    this.set(RATIOS[this.level < COARSE ? 0 : 1]);
    this.redraw();
  }
}
