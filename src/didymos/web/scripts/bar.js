// The bar: home, light or dark, a link that opens this view again, and what was left out of what was opened.
import { feed } from "./feed.js";
import { HOME, LINK, REPORT, SUN, showTheme } from "./icons.js";
import { button } from "./layout.js";
import { link } from "./link.js";
import { say } from "./say.js";

const home = button("bar", HOME, "Home: another twin", () => { location.href = "/home"; }, 0);
const theme = button("bar", SUN, "Dark", () => window.didymosTheme.toggle(), 8);
const copy = button("bar", LINK, "Copy a link to this view", async () => {
  const address = await link.address();
  try {
    await navigator.clipboard.writeText(address);
    say("Link copied");
  } catch { // a page that may not: the person does it
    prompt("A link to this view", address);
  }
}, 5);
const report = button("bar", REPORT, "What was left out", () => { shown.open ? shown.close() : shown.show(); }, 6);
const shown = document.body.appendChild(document.createElement("dialog"));
shown.id = "didymos-report";
new ResizeObserver(() => { // what viser tells stands below, and no hints under it
  document.documentElement.style.setProperty("--didymos-report", shown.open ? `${shown.offsetHeight + 8}px` : "0px");
}).observe(shown);
home.hidden = copy.hidden = report.hidden = true; // a cockpit without a home page behind it has nothing to answer

feed.on("home.about", (about) => {
  if (!about.open) { location.href = "/home"; return; }
  home.hidden = copy.hidden = false;
  report.hidden = !about.notes.length;
  report.title = `What was read otherwise than it is written (${about.notes.length})`;
  report.setAttribute("aria-label", report.title);
  const list = Object.assign(document.createElement("ul"), {});
  list.append(...about.notes.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  const close = Object.assign(document.createElement("button"), { textContent: "Close", onclick: () => shown.close() });
  shown.replaceChildren(Object.assign(document.createElement("h3"), { textContent: "Import report" }), list, close);
  if (about.dropped && about.notes.length && sessionStorage.getItem("didymos-report") !== about.key) {
    sessionStorage.setItem("didymos-report", about.key);
    shown.show();
  }
});
feed.on("home.opened", ({ key }) => { if (key !== link.key()) location.href = `/?twin=${encodeURIComponent(key)}`; }); // by another page
feed.onopen(() => feed.send("home.about"));
window.addEventListener("didymos-theme", () => showTheme(theme));
showTheme(theme);
