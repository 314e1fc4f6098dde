// Hints: what the mouse and the fingers do in the scene; once, until they are dismissed, and behind a button of the bar.
import { button } from "./layout.js";

const KEY = "didymos-hints";
const MARK = "M9 9a3 3 0 1 1 4.500 2.600c-1 .600-1.500 1.200-1.500 2.400M12 17.500v.500";
const MOUSE = [
  ["drag", "turn the view"], ["right drag", "move it"], ["wheel", "nearer, farther"],
  ["Ctrl + drag the robot", "pull it"], ["Shift + click the robot", "push it"],
];
const FINGERS = [["drag", "turn the view"], ["two fingers", "move it, nearer, farther"], ["View: Drag without Ctrl", "pull the robot"]];
const STYLE = `#didymos-hints { position: fixed; z-index: 23; left: calc(var(--didymos-scene-left) + 12px); top: calc(var(--didymos-top) + 56px); max-width: min(270px, var(--didymos-scene-room)); overflow: hidden;
    padding: 9px 12px; border-radius: 10px; background: var(--didymos-raised); color: var(--didymos-ink); box-shadow: var(--didymos-shadow); font: 12.5px/1.5 system-ui, sans-serif; box-sizing: border-box; }
  #didymos-hints[hidden] { display: none; }
  #didymos-hints dl { display: grid; grid-template-columns: auto auto; gap: 1px 12px; margin: 0; }
  #didymos-hints dt { color: var(--didymos-faint); } #didymos-hints dd { margin: 0; }
  #didymos-hints button { margin-top: 6px; border: 0; padding: 3px 10px; border-radius: 7px; background: var(--didymos-accent); color: var(--didymos-on-accent); font: inherit; cursor: pointer; }
  @media (max-width: 576px) { #didymos-hints { top: calc(var(--didymos-top) + 58px); left: 8px; } }`;

document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
const panel = Object.assign(document.createElement("div"), { id: "didymos-hints" });
const list = document.createElement("dl");
for (const [what, does] of matchMedia("(pointer: coarse)").matches ? FINGERS : MOUSE) {
  list.append(Object.assign(document.createElement("dt"), { textContent: what }), Object.assign(document.createElement("dd"), { textContent: does }));
}
const close = Object.assign(document.createElement("button"), { type: "button", textContent: "Got it" });
panel.append(list, close);
document.body.append(panel);
const kept = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
panel.hidden = kept() === "seen" || matchMedia("(max-width: 576px)").matches; // on a phone they would cover the robot
new ResizeObserver(() => { // what viser tells stands below
  document.documentElement.style.setProperty("--didymos-hints", panel.hidden ? "0px" : `${panel.offsetHeight + 8}px`);
}).observe(panel);
function toggle(on) {
  panel.hidden = !on;
  try { localStorage.setItem(KEY, "seen"); } catch { /* then they are there again next time */ }
}
close.onclick = () => toggle(false);
button("bar", MARK, "What the mouse does", () => toggle(panel.hidden), 7);
