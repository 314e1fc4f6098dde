// A timeline: play, pause, scrub and mark. It knows no cockpit and no file, only a player:
//
//   new Timeline(element, {
//     span(): [from, to],            what can be shown [s]
//     time(): s, playing(): bool, speed(): x, live(): bool,
//     events(): [{t, kind, text}],   kind: end, event, hand, alarm, branch, or any other word; the same array while nothing changed
//     seek(t), play(), pause(), setSpeed(x), onchange(f),          f is to be called whenever any of the above changed
//     goLive?(), branch?(t),         buttons appear where there are such methods
//     speeds?(): [x],                what setSpeed may be given, Infinity: as fast as it can
//     period?(): s,                  of a tick: how many digits the time has while nothing plays
//     notice?(): null | {text, button?, press?},                   a line above the track
//   })
//
// Keys, where no field has the focus and no stick is held: space plays, left and right move by a tenth of a second (with Shift
// by one), Home and End go to the ends. Colours are CSS variables; <html data-didymos-theme="dark"> or "light" wins over the
// system's choice.
const STYLE = `
.didymos-timeline { --tl-panel: #ffffffee; --tl-ink: #1f2d3a; --tl-faint: #6b7a88; --tl-line: #ccd5dd; --tl-future: #e4e9ee; --tl-accent: #0b7285;
  --tl-end: #495057; --tl-event: #0ca678; --tl-hand: #1971c2; --tl-alarm: #e03131; --tl-branch: #9c36b5; --tl-shadow: #0003;
  box-sizing: border-box; color: var(--tl-ink); font: 13px/1.2 system-ui, sans-serif; user-select: none; -webkit-user-select: none; }
@media (prefers-color-scheme: dark) { :root:not([data-didymos-theme="light"]) .didymos-timeline { --tl-panel: #1c2127ee; --tl-ink: #e3e9ee;
  --tl-faint: #93a1ad; --tl-line: #46525d; --tl-future: #2b333b; --tl-accent: #3bc9db; --tl-end: #adb5bd; --tl-event: #38d9a9; --tl-hand: #4dabf7;
  --tl-alarm: #ff6b6b; --tl-branch: #da77f2; --tl-shadow: #0008; } }
:root[data-didymos-theme="dark"] .didymos-timeline { --tl-panel: #1c2127ee; --tl-ink: #e3e9ee;
  --tl-faint: #93a1ad; --tl-line: #46525d; --tl-future: #2b333b; --tl-accent: #3bc9db; --tl-end: #adb5bd; --tl-event: #38d9a9; --tl-hand: #4dabf7;
  --tl-alarm: #ff6b6b; --tl-branch: #da77f2; --tl-shadow: #0008; }
.didymos-timeline * { box-sizing: border-box; }
.didymos-timeline .bar { display: flex; align-items: center; gap: 6px; height: 38px; padding: 0 8px 0 5px; border-radius: 10px;
  background: var(--tl-panel); box-shadow: 0 1px 6px var(--tl-shadow); }
.didymos-timeline button, .didymos-timeline select { flex: none; height: 28px; border: 0; border-radius: 7px; padding: 0 7px; background: transparent;
  color: var(--tl-ink); font: inherit; cursor: pointer; }
.didymos-timeline select option { background: var(--tl-future); color: var(--tl-ink); }
.didymos-timeline button:hover, .didymos-timeline select:hover { background: var(--tl-future); }
.didymos-timeline :focus-visible { outline: 2px solid var(--tl-accent); outline-offset: -1px; }
.didymos-timeline .play { width: 30px; padding: 0; display: grid; place-items: center; color: var(--tl-accent); }
.didymos-timeline svg { width: 16px; height: 16px; fill: currentColor; display: block; }
.didymos-timeline .time { flex: none; min-width: 74px; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.didymos-timeline .track { position: relative; flex: 1 1 40px; min-width: 40px; height: 30px; cursor: pointer; touch-action: none; border-radius: 6px; }
.didymos-timeline canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
.didymos-timeline .live { display: flex; align-items: center; gap: 5px; color: var(--tl-faint); }
.didymos-timeline .live::before { content: ""; width: 8px; height: 8px; border-radius: 50%; background: var(--tl-line); }
.didymos-timeline .live.on { color: var(--tl-ink); cursor: default; }
.didymos-timeline .live.on::before { background: var(--tl-alarm); }
.didymos-timeline .branch { color: var(--tl-branch); }
.didymos-timeline .tip { position: absolute; bottom: 34px; max-width: min(300px, 80vw); padding: 5px 8px; border-radius: 7px; background: var(--tl-panel);
  box-shadow: 0 1px 6px var(--tl-shadow); font-size: 12px; pointer-events: none; white-space: pre-line; width: max-content; z-index: 1; }
.didymos-timeline .notice { display: flex; align-items: center; justify-content: center; gap: 8px; width: fit-content; max-width: 100%; margin: 0 auto 6px;
  padding: 6px 6px 6px 12px; border-radius: 10px; background: var(--tl-panel); box-shadow: 0 1px 6px var(--tl-shadow); }
.didymos-timeline .notice button { background: var(--tl-accent); color: var(--tl-panel); white-space: nowrap; }
.didymos-timeline [hidden], .didymos-timeline.no-branch .branch { display: none !important; }
@media (max-width: 700px) { .didymos-timeline .bar { gap: 3px; padding: 0 5px 0 3px; } .didymos-timeline .time { min-width: 62px; font-size: 12px; }
  .didymos-timeline .branch span { display: none; } }`;
const PLAY = '<svg viewBox="0 0 16 16"><path d="M4 2.2v11.6a.7.7 0 0 0 1.1.6l8.6-5.8a.7.7 0 0 0 0-1.2L5.1 1.6A.7.7 0 0 0 4 2.200z"/></svg>';
const PAUSE = '<svg viewBox="0 0 16 16"><path d="M4 2h2.800v12H4zM9.2 2H12v12H9.200z"/></svg>';
const FORK = '<svg viewBox="0 0 16 16" style="width:14px;display:inline-block;vertical-align:-2px"><path d="M4 1a2 2 0 0 1 .8 3.800v1.400c2.6-.2 5.2-.2 6.4-1.400A2 2 0 1 1 12.6 5C11 7.6 7.4 7.6 4.8 7.800v3.400a2 2 0 1 1-1.6 0V4.800A2 2 0 0 1 4 1z"/></svg>';
const EDGE = 7; // [px] left and right of the line, for the knob
const NEAR = 5; // [px] from the pointer to a mark whose text is shown
const MOST_TEXTS = 6;
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5];
const STEP = 0.1, STRIDE = 1.0; // [s] of an arrow key, and with Shift

function made(parent, tag, properties) {
  return parent.appendChild(Object.assign(document.createElement(tag), properties));
}

const inField = (target) => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
const flying = () => document.querySelector("#didymos-pilot.on") !== null;
const named = (speed) => (speed === Infinity ? "max" : `${speed}×`);

export class Timeline {
  constructor(element, player) {
    if (!document.getElementById("didymos-timeline-style")) made(document.head, "style", { id: "didymos-timeline-style", textContent: STYLE });
    this.player = player;
    this.element = made(element, "div", { className: "didymos-timeline" });
    this.notice = made(this.element, "div", { className: "notice", hidden: true });
    this.notice.setAttribute("role", "status");
    this.noticeText = made(this.notice, "span");
    this.noticeButton = made(this.notice, "button", { onclick: () => this.player.notice()?.press?.() });
    const bar = made(this.element, "div", { className: "bar" });
    this.playButton = made(bar, "button", { className: "play", onclick: () => this.toggle() });
    this.clock = made(bar, "span", { className: "time" });
    this.track = made(bar, "div", { className: "track", tabIndex: 0 });
    this.track.setAttribute("role", "slider");
    this.track.setAttribute("aria-label", "time");
    this.canvas = made(this.track, "canvas");
    this.tip = made(this.track, "div", { className: "tip", hidden: true });
    this.speedMenu = made(bar, "select", { title: "Speed", onchange: () => { player.setSpeed(Number(this.speedMenu.value)); this.speedMenu.blur(); } });
    this.speedMenu.setAttribute("aria-label", "speed");
    for (const speed of player.speeds?.() ?? SPEEDS) made(this.speedMenu, "option", { value: String(speed), textContent: named(speed) });
    if (player.branch) {
      const title = "Begin a new run here, with the same past";
      this.branchButton = made(bar, "button", { className: "branch", title, onclick: () => player.branch(player.time()) });
      this.branchButton.innerHTML = `${FORK} <span>Branch</span>`;
      this.branchButton.setAttribute("aria-label", "Branch");
    }
    if (player.goLive) this.liveButton = made(bar, "button", { className: "live", textContent: "Live", title: "Back to the run as it is now", onclick: () => player.goLive() });
    this.pointer = null; // [px] of the pointer on the track, null where there is none
    this.#listen();
    player.onchange(() => this.refresh());
    this.refresh();
  }

  toggle() {
    if (this.player.playing()) this.player.pause(); else this.player.play();
  }

  refresh() { // soon, once, however often it is asked for
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  range() { // [s] of the whole track: up to a scenario's end that is still to come
    const [from, to] = this.player.span();
    const ends = this.player.events().filter((event) => event.kind === "end").map((event) => event.t);
    return [from, Math.max(to, from + 1e-3, ...ends)];
  }

  at(x) { // [px] on the track -> [s]
    const [from, end] = this.range(), width = this.track.clientWidth - 2 * EDGE;
    const [low, high] = this.player.span();
    return Math.min(Math.max(from + ((end - from) * (x - EDGE)) / Math.max(width, 1), low), high);
  }

  place(t) { // [s] -> [px]
    const [from, end] = this.range();
    return EDGE + ((t - from) / (end - from)) * (this.track.clientWidth - 2 * EDGE);
  }

  digits() {
    const period = this.player.period?.();
    if (!period || this.player.playing()) return 2;
    for (let digits = 2; digits < 6; digits++) if (Math.abs(period - Number(period.toFixed(digits))) < 1e-9) return digits;
    return 6;
  }

  draw() {
    const player = this.player, time = player.time(), [from, to] = player.span();
    const icon = player.playing() ? PAUSE : PLAY;
    if (this.icon !== icon) {
      this.icon = this.playButton.innerHTML = icon;
      this.playButton.title = player.playing() ? "Pause (space)" : "Play (space)";
      this.playButton.setAttribute("aria-label", player.playing() ? "Pause" : "Play");
    }
    const text = `${time.toFixed(this.digits())} s`;
    if (this.clock.textContent !== text) this.clock.textContent = text;
    for (const [name, value] of [["valuemin", from], ["valuemax", to], ["valuenow", time]]) this.track.setAttribute(`aria-${name}`, value.toFixed(3));
    this.track.setAttribute("aria-valuetext", text);
    const speed = String(player.speed());
    if (document.activeElement !== this.speedMenu && this.speedMenu.value !== speed) {
      if (![...this.speedMenu.options].some((option) => option.value === speed)) made(this.speedMenu, "option", { value: speed, textContent: named(player.speed()) });
      this.speedMenu.value = speed;
    }
    if (this.liveButton) this.liveButton.classList.toggle("on", player.live());
    if (this.branchButton) this.branchButton.style.visibility = player.live() ? "hidden" : "visible"; // keeps its room: the track stays under the pointer
    const said = player.notice?.() ?? null;
    this.notice.hidden = !said;
    if (said) {
      this.noticeText.textContent = said.text;
      this.noticeButton.hidden = !said.button;
      this.noticeButton.textContent = said.button ?? "";
    }
    this.#paint(time, to);
    this.#hint();
  }

  #paint(time, to) {
    const width = this.track.clientWidth, height = this.track.clientHeight, scale = window.devicePixelRatio || 1;
    const canvas = this.canvas, colours = getComputedStyle(this.element), colour = (name) => colours.getPropertyValue(`--tl-${name}`);
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    const pen = canvas.getContext("2d"), middle = height / 2;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const stroke = (begin, end, name, thick) => {
      pen.strokeStyle = colour(name);
      pen.lineWidth = thick;
      pen.lineCap = "round";
      pen.beginPath();
      pen.moveTo(begin, middle);
      pen.lineTo(Math.max(begin, end), middle);
      pen.stroke();
    };
    const here = this.place(time);
    stroke(EDGE, width - EDGE, "future", 4);
    stroke(EDGE, this.place(to), "line", 4);
    stroke(EDGE, here, "accent", 4);
    const last = {}; // [px] of each kind's last mark: thousands of events are a row of marks
    for (const { t, kind } of this.player.events()) {
      const x = this.place(t);
      if (!(Math.abs(x - (last[kind] ?? -9)) >= 2) || x < 0 || x > width) continue;
      last[kind] = x;
      pen.fillStyle = colour(kind) || colour("event");
      if (kind === "end") pen.fillRect(x - 1, middle - 10, 2, 20);
      else if (kind === "alarm") {
        pen.beginPath();
        pen.moveTo(x - 4, middle - 12);
        pen.lineTo(x + 4, middle - 12);
        pen.lineTo(x, middle - 4);
        pen.fill();
      } else pen.fillRect(x - 1, kind === "hand" ? middle + 4 : middle - 9, 2, 5);
    }
    pen.fillStyle = colour("accent");
    pen.beginPath();
    pen.arc(here, middle, 6, 0, 7);
    pen.fill();
  }

  #hint() {
    this.tip.hidden = this.pointer === null;
    if (this.pointer === null) return;
    const near = this.player.events().filter((event) => Math.abs(this.place(event.t) - this.pointer) <= NEAR);
    const lines = near.slice(0, MOST_TEXTS).map((event) => `${event.t.toFixed(2)} s  ${event.text}`);
    if (near.length > MOST_TEXTS) lines.push(`and ${near.length - MOST_TEXTS} more`);
    this.tip.textContent = lines.length ? lines.join("\n") : `${this.at(this.pointer).toFixed(2)} s`;
    const room = this.track.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.min(Math.max(this.pointer - this.tip.offsetWidth / 2, Math.min(0, room)), Math.max(0, room))}px`;
  }

  #listen() {
    const track = this.track, x = (event) => event.clientX - track.getBoundingClientRect().left;
    const scrub = (event) => { // to the very end: there the run is
      const [, to] = this.player.span();
      const atEnd = x(event) >= this.place(to) - 2;
      if (atEnd && this.player.goLive) this.player.goLive(); else this.player.seek(this.at(x(event)));
    };
    track.onpointerdown = (event) => {
      if (event.button !== 0) return;
      track.setPointerCapture(event.pointerId);
      this.pointer = x(event);
      scrub(event);
      this.refresh();
      event.preventDefault();
    };
    track.onpointermove = (event) => {
      this.pointer = x(event);
      if (track.hasPointerCapture(event.pointerId)) scrub(event);
      this.refresh();
    };
    track.onpointerleave = track.onpointercancel = () => { this.pointer = null; this.refresh(); };
    track.onpointerup = (event) => { if (event.pointerType !== "mouse") { this.pointer = null; this.refresh(); } };
    window.addEventListener("keydown", (event) => this.#key(event), true); // before viser, which moves its camera with some of them
    new ResizeObserver(() => this.refresh()).observe(track);
    new MutationObserver(() => this.refresh()).observe(document.documentElement, { attributeFilter: ["data-didymos-theme"] });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh());
  }

  #key(event) {
    if (inField(event.target) || flying() || event.ctrlKey || event.metaKey || event.altKey || !this.element.isConnected) return;
    const held = event.target instanceof HTMLElement && event.target.closest("button, a, [role=tab], [role=slider]");
    if (held && (event.code === "Space" ? held !== this.track : !this.element.contains(held))) return; // theirs
    const [from, to] = this.player.span(), step = event.shiftKey ? STRIDE : STEP, goEnd = () => (this.player.goLive ? this.player.goLive() : this.player.seek(to));
    const move = (by) => {
      const t = this.player.time() + by;
      if (t >= to) goEnd(); else this.player.seek(Math.max(t, from));
    };
    const deed = { Space: () => this.toggle(), ArrowLeft: () => move(-step), ArrowRight: () => move(step), Home: () => this.player.seek(from), End: goEnd }[event.code];
    if (!deed) return;
    if (event.code === "Space" && event.repeat) return;
    deed();
    this.refresh();
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}
