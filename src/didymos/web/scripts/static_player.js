// A player of what is known from begin to end: the time of an exported page.
export class StaticPlayer {
  #time; #speed = 1; #playing = false; #last = 0; #listeners = [];

  constructor(from, to, events) {
    Object.assign(this, { from, to, marks: events });
    this.#time = from;
  }

  span() { return [this.from, this.to]; }
  time() { return this.#time; }
  playing() { return this.#playing; }
  speed() { return this.#speed; }
  live() { return false; }
  events() { return this.marks; }
  onchange(listener) { this.#listeners.push(listener); }

  seek(time) {
    this.#time = Math.min(Math.max(time, this.from), this.to);
    this.#tell();
  }

  setSpeed(speed) {
    this.#speed = speed;
    this.#tell();
  }

  play() {
    if (this.#playing) return;
    if (this.#time >= this.to) this.#time = this.from;
    this.#playing = true;
    this.#last = performance.now();
    requestAnimationFrame(() => this.#tick());
    this.#tell();
  }

  pause() {
    this.#playing = false;
    this.#tell();
  }

  #tick() {
    if (!this.#playing) return;
    const now = performance.now();
    this.#time += (this.#speed * (now - this.#last)) / 1000;
    this.#last = now;
    if (this.#time >= this.to) {
      this.#time = this.to;
      this.#playing = false;
    } else {
      requestAnimationFrame(() => this.#tick());
    }
    this.#tell();
  }

  #tell() { for (const listener of this.#listeners) listener(); }
}
