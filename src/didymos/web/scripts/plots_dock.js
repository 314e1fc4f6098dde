// The plots of the cockpit's page: in the dock at its left, wider or narrower by its edge, hidden by a button.
import { feed } from "./feed.js";
import { button, edge } from "./layout.js";
import { link } from "./link.js";
import { LiveSource } from "./live_source.js";
import { PlotPanel } from "./plots.js";

const ICON = "M4 4v16h16M7 15l4-5 3 3 5-7"; // a curve between axes
const KEY = "didymos-plots-dock", LEAST = 260, WIDTH = 360; // [pixels]
const phone = matchMedia("(max-width: 576px)");
const dock = edge("dock");
const kept = (() => { try { return JSON.parse(localStorage.getItem(KEY)) || {}; } catch { return {}; } })();
const keep = () => { try { localStorage.setItem(KEY, JSON.stringify(kept)); } catch { /* a browser that keeps nothing */ } };

document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "web/uplot.css" }));
document.head.append(Object.assign(document.createElement("style"), { textContent: `
  [data-didymos-edge="dock"] { display: flex; overflow: hidden; } [data-didymos-edge="dock"][hidden] { display: none; }
  [data-didymos-edge="dock"] > .didymos-plots { flex: 1; min-width: 0; height: 100%; }
  [data-didymos-edge="dock"] > .grip { position: absolute; right: 0; top: 0; bottom: 0; width: 7px; cursor: ew-resize; touch-action: none; z-index: 5; }
  [data-didymos-edge="dock"] > .grip:hover { background: #0b728533; }
  @media (max-width: 576px) { [data-didymos-edge="dock"] { width: 100vw !important; } [data-didymos-edge="dock"] > .grip { display: none; }
    html.didymos-plots-open #didymos-pilot, html.didymos-plots-open #didymos-hints { display: none; } }` }));

const element = dock.appendChild(document.createElement("div"));
const grip = dock.appendChild(Object.assign(document.createElement("div"), { className: "grip", title: "Drag to resize" }));
const room = () => Math.max(LEAST, Math.min(0.6 * innerWidth, innerWidth - 420));
const widen = (width) => { dock.style.width = `${Math.round(Math.max(LEAST, Math.min(room(), width)))}px`; };
widen(kept.width || WIDTH);
grip.onpointerdown = (event) => { grip.setPointerCapture(event.pointerId); event.preventDefault(); };
grip.onpointermove = (event) => {
  if (!grip.hasPointerCapture(event.pointerId)) return;
  widen(event.clientX);
  kept.width = dock.clientWidth;
};
grip.onpointerup = keep;

function show(on) {
  dock.hidden = !on;
  document.documentElement.classList.toggle("didymos-plots-open", on);
  opener.setAttribute("aria-pressed", on);
  if (!phone.matches) {
    kept.hidden = !on;
    keep();
  }
  panel?.changed();
}
const opener = button("bar", ICON, "Plots", () => show(dock.hidden), 1);
opener.dataset.didymos = "plots";

const source = new LiveSource();
let panel = null, kind = "";
source.onchange(() => {
  if (!panel) {
    kind = source.kind;
    panel = new PlotPanel(element, source, options());
    window.didymos = Object.assign(window.didymos || {}, { plots: panel });
    link.part("plots", () => (panel.auto ? null : JSON.stringify(panel.layout())), (text) => {
      try { panel.take(JSON.parse(text)); } catch { /* a link that was cut */ }
    });
  } else if (source.kind !== kind) { // a replay, or back
    kind = source.kind;
    Object.assign(panel.options, options());
    panel.turn();
  }
});
show(phone.matches ? false : !kept.hidden);

let moment = { live: true, time: 0 }; // what of time the scene shows, see timeline_live.js
feed.on("time.state", (message) => {
  moment = message;
  panel?.changed();
});
feed.onopen(() => feed.send("time.hello")); // whoever else asked may have been answered before this module was here

function options() {
  const replay = source.kind === "replay";
  return {
    follow: !replay, cursor: () => (moment.live ? null : moment.time), close: () => show(false), layouts,
    seek: (t) => { if (!moment.live) feed.send("time.seek", { t }); }, // a click while the run is followed is no wish to go back
    storageKey: replay ? "" : `didymos-plots:${source.twin}:${source.kind}`,
  };
}

let offered = [], told = () => {};
const layouts = {
  list: () => offered, onchange: (listener) => { told = listener; },
  save: (name, layout) => feed.send("plots.save", { name, layout }), remove: (name) => feed.send("plots.forget", { name }),
};
feed.on("plots.layouts", (message) => { offered = message.layouts; told(); });
