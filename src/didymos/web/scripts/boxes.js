// Number boxes apply a number when it is done: on Enter, or when the box is left. Escape brings the old number back.
// viser hands every key on to the run. Here keys stay in the box, and viser hears of the whole number as of one key. Arrow keys,
// small arrows and sliders apply at once, as ever. A number may be outside of its slider, which is only as long as is handy;
// whoever it is for says whether it fits.
const BOX = ".mantine-NumberInput-input", STEPS = ".mantine-NumberInput-control";
const STYLE = `.mantine-Slider-root + .mantine-NumberInput-root { width: 4.5rem !important; flex: none; }
${BOX}[data-typed] { border-color: #f08c00 !important; box-shadow: 0 0 0 1px #f08c00; }`;
const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set; // past React, which overrides it
let passing = false; // whether what comes is ours
document.head.appendChild(Object.assign(document.createElement("style"), { textContent: STYLE }));

const boxOf = (event) => (event.target instanceof HTMLInputElement && event.target.matches(BOX) ? event.target : null);
const known = (box) => box._valueTracker?.getValue() ?? box.defaultValue; // what viser believes to stand there
const mark = (box, typed) => (typed ? box.setAttribute("data-typed", "") : box.removeAttribute("data-typed"));

function text(number) { // digits without an exponent, which a box of viser does not take
  const short = String(number);
  if (!/e/i.test(short)) return short;
  return Math.abs(number) >= 1 ? String(BigInt(number)) : number.toFixed(20).replace(/\.?0+$/, "");
}

function commit(box) { // hand over what was typed, if it is a number
  if (!box.hasAttribute("data-typed")) return;
  const typed = box.value.trim().replace(",", ".");
  const number = typed === "" ? NaN : Number(typed);
  const before = known(box);
  mark(box, false);
  write.call(box, before);
  if (!Number.isFinite(number)) return;
  passing = true;
  try { // as if it were pasted over the old one: viser's box compares what was selected before a key with what is there after it
    box.setSelectionRange(0, before.length);
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "v", ctrlKey: true, bubbles: true }));
    write.call(box, text(number));
    box.dispatchEvent(new InputEvent("input", { bubbles: true }));
  } finally {
    passing = false;
  }
}

window.addEventListener("input", (event) => { // before viser
  const box = passing ? null : boxOf(event);
  if (!box) return;
  event.stopImmediatePropagation();
  mark(box, box.value !== known(box));
}, true);
window.addEventListener("keydown", (event) => {
  const box = passing ? null : boxOf(event);
  if (!box) return;
  if (event.key === "Escape") {
    write.call(box, known(box));
    mark(box, false);
  } else if (/^(Enter|Tab|ArrowUp|ArrowDown)$/.test(event.key)) { // before viser, which brings the old number back at Tab
    commit(box);
    if (event.key === "Enter") box.select();
  }
}, true);
window.addEventListener("focusout", (event) => {
  const box = boxOf(event);
  if (!box) return;
  event.stopImmediatePropagation(); // viser would bring a number back into the range of its slider
  commit(box);
}, true);
window.addEventListener("pointerdown", (event) => {
  const box = document.activeElement;
  if (event.target instanceof Element && event.target.closest(STEPS) && box?.matches?.(BOX)) commit(box);
}, true);
