// The timeline of the cockpit, under the picture: its player is the run, or what it has passed, or the logs of a replay.
import { feed } from "./feed.js";
import { edge } from "./layout.js";
import { link } from "./link.js";
import { Timeline } from "./timeline.js";

const STYLE = `
  [data-didymos-edge="timeline"] .notice { position: absolute; bottom: calc(100% + 8px); left: var(--didymos-scene-left); right: var(--didymos-scene-right); margin: auto;
    max-width: calc(100vw - var(--didymos-scene-left) - var(--didymos-scene-right) - 16px); }
  html.didymos-notice #didymos-pilot { margin-bottom: 46px; }
  @media (max-width: 576px) { html.didymos-notice #didymos-pilot { margin-bottom: 0; }
    [data-didymos-edge="timeline"] .notice { position: static; margin: 0 auto 4px; max-width: 100%; } }`;
document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
const place = edge("timeline");
place.hidden = true;

let state = { from: 0, to: 0, time: 0, playing: false, speed: 1, live: true, replay: false, branch: false, period: 0.01, notice: null, hidden: true };
let events = [], timeline = null, linked = null; // the time [s] that a link wants to see, once the run has been there
const changed = [], tell = () => changed.forEach((f) => f());

// What a person does is shown at once; the cockpit's next word is the truth.
function ask(topic, fields, guess) {
  feed.send(topic, fields);
  Object.assign(state, guess);
  tell();
}

const player = {
  span: () => [state.from, state.to],
  time: () => state.time,
  playing: () => state.playing,
  speed: () => state.speed ?? Infinity,
  live: () => state.live,
  events: () => events,
  period: () => state.period,
  speeds: () => [0.1, 0.25, 0.5, 1, 2, 5, Infinity],
  notice: () => state.notice && { ...state.notice, press: () => player.play() },
  seek: (t) => ask("time.seek", { t }, { time: t, live: false, notice: null }),
  play: () => ask("time.play", {}, { playing: true, notice: null }),
  pause: () => ask("time.pause", {}, { playing: false }),
  setSpeed: (x) => ask("time.speed", { x: x === Infinity ? null : x }, { speed: x === Infinity ? null : x }),
  goLive: () => ask("time.live", {}, state.replay ? {} : { live: true, time: state.to }),
  branch: (t) => ask("time.branch", { t }, {}),
  onchange: (f) => changed.push(f),
};

link.part("t", () => (state.live ? null : state.time.toFixed(3)), (text) => { linked = Number(text); });

feed.on("time.state", (message) => {
  state = message;
  if (linked !== null && state.to >= linked) {
    const t = linked;
    linked = null;
    player.seek(t);
  }
  if (!timeline) timeline = new Timeline(place, player);
  place.hidden = state.hidden;
  document.documentElement.classList.toggle("didymos-notice", Boolean(state.notice) && !state.hidden);
  timeline.liveButton.textContent = state.replay ? "Back to the run" : "Live";
  timeline.element.classList.toggle("no-branch", !state.branch);
  tell();
});
feed.on("time.events", (message) => {
  events = message.events.map(([t, kind, text]) => ({ t, kind, text }));
  tell();
});
feed.onopen(() => feed.send("time.hello"));
