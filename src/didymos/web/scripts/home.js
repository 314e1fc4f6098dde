// The home page: tiles of all that can be opened, search, what is dropped, and the questions that come of it.
import { dropped, send } from "./drop.js";
import { feed } from "./feed.js";
import { KINDS, showTheme } from "./icons.js";

const $ = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const SECTIONS = [
  ["In this folder", (entry) => entry.where === "here"],
  ["Twins", (entry) => entry.where === "bundled" && entry.kind === "twin"],
  ["Worlds", (entry) => entry.where === "bundled" && entry.kind === "world"],
  ["Logs", (entry) => entry.kind === "log"],
];
const FIRST = 2; // variants that a tile shows at first
let entries = [], about = {}, wanted = query.get("twin");

function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function icon(path) {
  const holder = made("span");
  holder.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
  return holder.firstChild;
}

function picture(entry) {
  const frame = made("div", { className: "picture" });
  if (entry.picture) {
    frame.append(made("img", { src: `/thumbnails/${encodeURIComponent(entry.key)}`, alt: "", loading: "lazy" }));
  } else {
    frame.append(icon(KINDS[entry.kind]));
  }
  return frame;
}

function tile(entry) {
  const words = made("div", { className: "words" }, made("div", { className: "name", textContent: entry.name }));
  if (entry.title || entry.kind === "log") words.append(made("div", { className: "title", textContent: entry.title || entry.where }));
  const open = made("button", { type: "button", onclick: () => ask({ key: entry.key }) }, picture(entry), words);
  const element = made("div", { className: "tile" }, open);
  element.dataset.key = entry.key;
  if (entry.variants.length) {
    const variants = entry.variants.map((name) => made("button", { type: "button", textContent: name, title: `${entry.name}, variant ${name}`,
      onclick: () => ask({ key: entry.key, variant: name }) }));
    const row = made("div", { className: "variants" }, ...variants.slice(0, FIRST));
    if (variants.length > FIRST) {
      row.append(made("button", { type: "button", textContent: `+${variants.length - FIRST}`, title: "All variants",
        onclick: () => row.replaceChildren(...variants) }));
    }
    element.append(row);
  }
  if (about.open && about.key === entry.key) element.append(made("div", { className: "open", textContent: "open" }));
  return element;
}

function show() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => words.every((word) => `${entry.name} ${entry.title} ${entry.kind} ${entry.variants.join(" ")}`.toLowerCase().includes(word)));
  const sections = SECTIONS.map(([title, belongs]) => [title, found.filter(belongs)]).filter(([, members]) => members.length);
  $("sections").replaceChildren(...sections.map(([title, members]) =>
    made("section", {}, made("h2", { textContent: title }), made("div", { className: title === "Logs" ? "tiles small" : "tiles" }, ...members.map(tile)))));
  $("none").hidden = !entries.length || found.length > 0;
  $("back").hidden = !about.open;
  if (about.open) {
    const text = `${about.name} is open${about.scenario ? `, ${about.scenario}` : ""}.`;
    $("back").replaceChildren(made("span", { textContent: text }), made("a", { href: "/", textContent: "Back to it" }));
  }
}

function busy(text) {
  $("busy").hidden = !text;
  $("busy").querySelector("p").textContent = text;
}

function problem(text) {
  busy("");
  const told = $("problem").querySelector("p"), news = text && told.textContent !== text;
  $("problem").hidden = !text;
  told.textContent = text;
  if (news) scrollTo({ top: 0, behavior: "smooth" });
}

const LOST = "Connection lost: the cockpit has ended or cannot be reached. Trying again …";

function ask(asked) {
  if (!feed.open) { problem(LOST); return; }
  problem("");
  busy("Opening …");
  feed.send("home.open", asked);
}

function choose(text, choices) { // [[label, press]]
  busy("");
  const dialog = $("ask");
  dialog.querySelector("p").textContent = text;
  dialog.querySelector(".choices").replaceChildren(...choices.map(([label, press]) =>
    made("button", { type: "button", textContent: label, onclick: () => { dialog.close(); press(); } })));
  dialog.showModal();
}

feed.on("home.entries", (message) => {
  ({ entries, about } = message);
  show();
  if (wanted) { // a link
    const asked = { key: wanted, scenario: query.get("scenario"), seed: query.get("seed"), variant: query.get("variant") };
    wanted = null;
    if (about.open) choose(`${about.name} is open. Open ${asked.key} instead?`, [[`Open ${asked.key}`, () => ask(asked)]]);
    else ask(asked);
  }
});
feed.on("home.picture", ({ key }) => {
  const entry = entries.find((item) => item.key === key);
  if (!entry) return;
  entry.picture = true;
  document.querySelector(`.tile[data-key="${CSS.escape(key)}"] .picture`)?.replaceWith(picture(entry));
});
feed.on("home.opening", ({ name }) => busy(`Opening ${name} …`));
feed.on("home.opened", ({ key }) => {
  const address = new URLSearchParams(query.get("twin") === key ? query : { twin: key });
  for (const name of ["token"]) address.delete(name);
  location.href = `/?${address}`;
});
feed.on("home.error", ({ text }) => problem(text));
feed.on("home.sure", ({ asked, text }) => choose(text, [["Complete and open", () => ask({ ...asked, sure: true })]]));
feed.on("home.which", ({ asked, text, entries: offered }) => choose(text, offered.map((entry) => [entry.name, () => ask({ ...asked, with: entry.key })])));
feed.onopen(() => {
  if ($("problem").querySelector("p").textContent === LOST) problem("");
  feed.send("home.list");
  const kept = sessionStorage.getItem("didymos-dropped"); // on the page of a run, see drop_on_run.js
  sessionStorage.removeItem("didymos-dropped");
  if (kept) offer(JSON.parse(kept));
});
feed.onlost(() => problem(LOST));

function offer(found) { // what of dropped files may be meant
  if (found.length === 1) ask({ key: found[0].key });
  else choose("Which of these?", found.map((entry) => [entry.title ? `${entry.name}: ${entry.title}` : entry.name, () => ask({ key: entry.key })]));
}

async function take(files) {
  if (!files.length) return;
  problem("");
  try {
    offer(await send(files, (share) => busy(`Reading … ${Math.round(100 * share)} %`)));
  } catch (error) {
    problem(error.message);
  }
}

let depth = 0;
addEventListener("dragenter", (event) => { event.preventDefault(); depth += 1; document.body.classList.add("dragging"); });
addEventListener("dragleave", () => { depth -= 1; if (depth <= 0) document.body.classList.remove("dragging"); });
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  depth = 0;
  document.body.classList.remove("dragging");
  take(await dropped(event.dataTransfer));
});
$("files").onchange = () => { take([...$("files").files].map((file) => [file.name, file])); $("files").value = ""; };
$("drop").onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") $("files").click(); };
$("search").oninput = show;
$("search").onkeydown = (event) => { if (event.key === "Enter") document.querySelector(".tile > button")?.click(); };
$("problem").querySelector("button").onclick = () => problem("");
$("theme").onclick = () => window.didymosTheme.toggle();
addEventListener("didymos-theme", () => showTheme($("theme")));
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
showTheme($("theme"));
