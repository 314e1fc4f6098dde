// How the plots look, light and dark: by what the reader's system prefers, or as `data-didymos-theme` of the page says.
const DARK = `--paper: #1a2026; --raised: #242c33; --ink: #e4eaef; --dim: #93a3b1; --line: #323c45; --grid: #2a333b; --accent: #3bc9db; --now: #f1f3f5;
  --event: #38d9a9; --alarm: #ff6b6b; --hand: #4dabf7; --verdict: #69db7c; --end: #adb5bd; --branch: #da77f2;`;
const STYLE = `
.didymos-plots { --paper: #fff; --raised: #f1f4f6; --ink: #1c2b36; --dim: #64748b; --line: #d9e0e6; --grid: #e9ecef; --accent: #0b7285; --now: #343a40;
  --event: #0ca678; --alarm: #e03131; --hand: #1971c2; --verdict: #2b8a3e; --end: #495057; --branch: #9c36b5;
  display: flex; flex-direction: column; min-height: 0; background: var(--paper); color: var(--ink); font: 13px/1.35 system-ui, -apple-system, "Segoe UI", sans-serif; }
@media (prefers-color-scheme: dark) { html:not([data-didymos-theme=light]) .didymos-plots { ${DARK} color-scheme: dark; } }
html[data-didymos-theme=dark] .didymos-plots { ${DARK} color-scheme: dark; }
.didymos-plots *, .didymos-dragged { box-sizing: border-box; }
.didymos-plots [hidden] { display: none !important; }
.didymos-plots button, .didymos-plots select, .didymos-plots input { font: inherit; color: inherit; }
.didymos-plots button:focus-visible, .didymos-plots select:focus-visible, .didymos-plots input:focus-visible, .didymos-plots summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.didymos-plots .bar { display: flex; flex-wrap: wrap; gap: 4px; align-items: center; padding: 6px 8px; border-bottom: 1px solid var(--line); flex: none; }
.didymos-plots .bar > button, .didymos-plots .bar > select, .didymos-plots summary { border: 1px solid var(--line); border-radius: 6px; background: var(--paper); padding: 3px 8px; cursor: pointer; min-height: 27px; }
.didymos-plots .bar > button:hover, .didymos-plots summary:hover { background: var(--raised); }
.didymos-plots .bar > button[aria-pressed=true] { background: var(--raised); border-color: var(--dim); }
.didymos-plots .bar > .held { background: var(--accent); border-color: var(--accent); color: var(--paper); font-weight: 600; }
.didymos-plots .bar > output { margin-left: auto; color: var(--dim); font-variant-numeric: tabular-nums; white-space: nowrap; }
.didymos-plots .column { flex: 1 1 60%; overflow-y: auto; overflow-x: hidden; min-height: 60px; padding-bottom: 18px; }
.didymos-plots .plot { border-bottom: 1px solid var(--line); padding: 2px 0 4px; position: relative; }
.didymos-plots .plot.chosen::before { content: ""; position: absolute; left: 0; top: 0; bottom: 0; width: 3px; background: var(--accent); }
.didymos-plots .target { background: color-mix(in srgb, var(--accent) 12%, transparent); }
.didymos-plots .stage { min-height: 180px; overflow: hidden; }
.didymos-plots .u-select { background: color-mix(in srgb, var(--accent) 18%, transparent); }
.didymos-plots .u-hz .u-cursor-x { border-right: 1px solid var(--dim); }
.didymos-plots .at { position: absolute; left: -0.75px; top: 0; bottom: 0; width: 1.5px; background: var(--now); pointer-events: none; will-change: transform; }
.didymos-plots .legend { padding: 0 8px 0 10px; }
.didymos-plots .row { display: grid; grid-template-columns: 12px minmax(30px, auto) minmax(0, 1fr) auto auto 20px; gap: 0 6px; align-items: baseline; cursor: grab; border-radius: 4px; touch-action: pan-y; user-select: none; }
.didymos-plots .row:hover, .didymos-plots .leaf:hover, .didymos-plots .branch:hover { background: var(--raised); }
.didymos-plots .row i { width: 12px; height: 4px; border-radius: 2px; align-self: center; }
.didymos-plots .bar > output + button { border: 0; padding: 3px 6px; }
.didymos-plots .row span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; direction: rtl; text-align: left; }
.didymos-plots .row em { color: var(--dim); font-style: normal; font-size: 11px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.didymos-plots output { font-variant-numeric: tabular-nums; }
.didymos-plots .row output { font-weight: 600; text-align: right; white-space: nowrap; }
.didymos-plots .unknown output { font-weight: 400; color: var(--dim); }
.didymos-plots small { color: var(--dim); font-size: 11px; white-space: nowrap; }
.didymos-plots .row > button, .didymos-plots .head > button { border: 0; background: none; color: var(--dim); cursor: pointer; padding: 0 4px; font-size: 14px; line-height: 1.2; opacity: 0.55; }
.didymos-plots .row > button:hover, .didymos-plots .head > button:hover { color: var(--alarm); opacity: 1; }
.didymos-plots .row dl { grid-column: 2 / -1; margin: 0 0 3px; display: flex; gap: 0 8px; font-size: 11px; font-variant-numeric: tabular-nums; flex-wrap: wrap; }
.didymos-plots dl div { display: flex; gap: 4px; } .didymos-plots dt { color: var(--dim); } .didymos-plots dd { margin: 0; }
.didymos-plots .head { display: flex; gap: 6px; align-items: center; justify-content: flex-end; color: var(--dim); font-size: 11px; }
.didymos-plots .stage + .head { position: absolute; top: 1px; right: 4px; z-index: 3; } .didymos-plots .two .stage + .head { right: 96px; } .didymos-plots .two .head select { max-width: 110px; }
.didymos-plots .head > span { flex: 1; } .didymos-plots .head select { border: 0; background: none; color: var(--dim); max-width: 60%; cursor: pointer; }
.didymos-plots .head option, .didymos-plots .bar option { background: var(--paper); color: var(--ink); }
.didymos-plots .signals { flex: 0 1 38%; min-height: 90px; display: flex; flex-direction: column; border-top: 1px solid var(--line); }
.didymos-plots .signals input { margin: 6px 8px; padding: 5px 9px; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); }
.didymos-plots .tree { overflow-y: auto; flex: 1; padding-bottom: 6px; }
.didymos-plots .tree p { color: var(--dim); margin: 6px 10px; }
.didymos-plots .tree button { display: flex; width: 100%; gap: 6px; align-items: baseline; border: 0; background: none; padding: 2px 10px 2px 6px; text-align: left; cursor: pointer; min-height: 23px; user-select: none; }
.didymos-plots .branch i { flex: none; width: 0; border: 4px solid transparent; border-left: 6px solid var(--dim); border-right: 0; align-self: center; margin: 0 1px 0 3px; transition: transform 0.1s; }
.didymos-plots .branch[aria-expanded=true] i { transform: rotate(90deg); }
.didymos-plots .branch b { font-weight: 500; flex: 1; }
.didymos-plots .leaf { cursor: grab; } .didymos-plots .leaf span { flex: 1; overflow-wrap: anywhere; padding-left: 16px; }
.didymos-plots .leaf small { min-width: 3.2em; }
.didymos-plots .table .head { padding: 3px 8px 2px 10px; } .didymos-plots .table .head span { font-weight: 600; color: var(--ink); font-size: 12px; }
.didymos-plots .table .values { padding: 0 8px 0 10px; } .didymos-plots .table .row { grid-template-columns: minmax(0, 1fr) auto auto 20px; }
.didymos-plots .events { max-height: 170px; overflow-y: auto; padding: 0 8px 4px 10px; color: var(--dim); font-size: 12px; }
.didymos-plots .event { display: grid; grid-template-columns: 58px 56px 1fr; gap: 6px; width: 100%; border: 0; background: none; text-align: left; padding: 1px 0; cursor: pointer; font-size: 12px; color: var(--ink); }
.didymos-plots .event time { font-variant-numeric: tabular-nums; text-align: right; color: var(--dim); } .didymos-plots .event b { font-weight: 500; color: var(--event); }
.didymos-plots .event.alarm b { color: var(--alarm); } .didymos-plots .event.hand b { color: var(--hand); } .didymos-plots .event.verdict b { color: var(--verdict); }
.didymos-plots .layouts { position: relative; } .didymos-plots summary { list-style: none; }
.didymos-plots summary::-webkit-details-marker { display: none; }
.didymos-plots .layouts > div { position: absolute; z-index: 30; left: 0; top: 31px; min-width: 220px; max-height: 300px; overflow-y: auto; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 6px 20px #0004; padding: 4px; }
.didymos-plots .layouts > div > div { display: flex; } .didymos-plots .layouts button { border: 0; background: none; padding: 5px 8px; border-radius: 5px; cursor: pointer; }
.didymos-plots .layouts button:hover { background: var(--raised); } .didymos-plots .layouts .name { flex: 1; text-align: left; }
.didymos-plots .layouts form { display: flex; gap: 4px; padding: 4px; border-top: 1px solid var(--line); margin-top: 4px; }
.didymos-plots .layouts input { flex: 1; min-width: 0; padding: 4px 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); }
.didymos-dragged { position: fixed; left: 0; top: 0; z-index: 5000; pointer-events: none; padding: 3px 9px; border-radius: 6px; background: #0b7285; color: #fff; font: 12px system-ui, sans-serif; box-shadow: 0 3px 10px #0005; }
@media (pointer: coarse) { .didymos-plots .bar > button, .didymos-plots .bar > select, .didymos-plots summary, .didymos-plots .tree button { min-height: 36px; } .didymos-plots .tree button { align-items: center; }
  .didymos-plots summary { display: grid; align-content: center; } }
`;
const watching = [];

export function install() { // once a page
  if (document.getElementById("didymos-plots-style")) return;
  document.head.append(Object.assign(document.createElement("style"), { id: "didymos-plots-style", textContent: STYLE }));
  const tell = () => watching.forEach((handler) => handler());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  new MutationObserver(tell).observe(document.documentElement, { attributes: true, attributeFilter: ["data-didymos-theme"] });
}

export const onTheme = (handler) => watching.push(handler);

export function colours(element) { // what a canvas has to be told
  const style = getComputedStyle(element), get = (name) => style.getPropertyValue(`--${name}`).trim();
  return { ink: get("dim"), grid: get("grid"), now: get("now"), event: get("event"), alarm: get("alarm"), hand: get("hand"), verdict: get("verdict"), end: get("end"), branch: get("branch") };
}
