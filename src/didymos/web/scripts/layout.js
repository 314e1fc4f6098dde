// The edges of the cockpit's page, see layout.css: a module puts its content into one and never places itself.
//
//   edge("bar"), edge("dock"), edge("timeline")     elements; hidden or empty ones take no room
//   button("bar", icon, title, press, order)        a button of the bar, with the path of an icon (24 x 24, stroked)
//
// viser's page gets what they leave: its scene and its panels are inside of #root, which shrinks.
const root = document.documentElement, edges = {};
const phone = matchMedia("(max-width: 576px)");

export function edge(name) {
  if (!edges[name]) {
    const made = (edges[name] = document.createElement("div"));
    made.dataset.didymosEdge = name;
    document.body.append(made);
    new ResizeObserver(measure).observe(made);
    new MutationObserver(measure).observe(made, { attributes: true, childList: true });
  }
  return edges[name];
}

export function button(name, icon, title, press, order) { // scripts arrive in any order, buttons stand in theirs
  const made = document.createElement("button");
  made.type = "button";
  made.title = title;
  made.setAttribute("aria-label", title);
  made.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icon}"/></svg>`;
  made.onclick = press;
  made.style.order = order;
  edge(name).append(made);
  return made;
}

function measure() {
  const size = (name) => (edges[name] && edges[name].checkVisibility() ? edges[name].getBoundingClientRect() : { width: 0, height: 0 });
  const pixels = (name, value) => root.style.setProperty(`--didymos-${name}`, `${Math.round(value)}px`);
  pixels("top", phone.matches ? size("bar").height : 0);
  pixels("left", phone.matches ? 0 : size("dock").width);
  pixels("bottom", size("timeline").height);
  const picture = document.querySelector("#root canvas")?.getBoundingClientRect();
  pixels("scene-left", picture ? picture.left : 0);
  pixels("scene-right", picture ? window.innerWidth - picture.right : 0);
}

function watch() { // viser's picture, once it is there; its panels move its sides
  const picture = document.querySelector("#root canvas");
  if (!picture) return false;
  new ResizeObserver(measure).observe(picture);
  measure();
  return true;
}

root.classList.add("didymos-cockpit");
if (!watch()) {
  const waiting = new MutationObserver(() => { if (watch()) waiting.disconnect(); });
  waiting.observe(document.body, { childList: true, subtree: true });
}
window.addEventListener("resize", measure);
phone.addEventListener("change", measure);
