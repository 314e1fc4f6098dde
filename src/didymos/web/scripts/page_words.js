// The words of an exported page: title, whose logs they are, verdicts, and what the page does not hold. Texts of a log are text.
import { said } from "./curves.js";

const MARKS = new Map([[true, ["ok", "ok"]], [false, ["missed", "missed"]], [null, ["not reached", "open"]]]);

function element(parent, tag, properties = {}) {
  return parent.appendChild(Object.assign(document.createElement(tag), properties));
}

function withUnit(value, unit) {
  return value === null ? "–" : unit ? `${said(value)}\u00a0${unit}` : said(value);
}

function limit({ low, high, unit }) {
  if (low !== null && high !== null) return `${said(low)} to ${withUnit(high, unit)}`;
  return high === null ? `at\u00a0least ${withUnit(low, unit)}` : `at\u00a0most ${withUnit(high, unit)}`;
}

export function header(parent, about) {
  const head = element(parent, "header"), row = element(head, "div", { className: "didymos-title" });
  element(row, "h1", { textContent: about.title });
  const theme = element(row, "button", { id: "didymos-theme", title: "Light or dark", textContent: "◐" });
  theme.setAttribute("aria-label", "Light or dark");
  about.logs.forEach((log, i) => {
    const facts = element(head, "p", { className: "didymos-facts" });
    if (about.logs.length > 1) element(facts, "b", { className: i ? "ghost" : "first", textContent: i ? "ghost" : "log" });
    for (const [name, text] of log.facts) {
      const fact = element(facts, "span");
      element(fact, "i", { textContent: `${name} ` });
      fact.append(text);
    }
    if (log.name) element(facts, "span", { textContent: log.name });
  });
}

export function verdicts(parent, logs) {
  if (!logs.some((log) => log.verdicts.length)) return;
  const names = [...new Set(logs.flatMap((log) => log.verdicts.map((verdict) => verdict.name)))];
  const table = element(parent, "table"), head = element(element(table, "thead"), "tr"), body = element(table, "tbody");
  for (const text of ["", "expectation", ...logs.map((_, i) => (i ? "ghost" : "value")), "limit"]) element(head, "th", { textContent: text });
  for (const name of names) {
    const row = element(body, "tr"), of = logs.map((log) => log.verdicts.find((verdict) => verdict.name === name));
    const [mark, kind] = MARKS.get(of.find(Boolean).ok);
    element(row, "td", { className: `didymos-${kind}`, textContent: mark });
    element(row, "td", { textContent: name });
    for (const verdict of of) element(row, "td", { className: verdict && verdict.ok === false ? "didymos-missed" : "", textContent: verdict ? withUnit(verdict.value, verdict.unit) : "–" });
    element(row, "td", { textContent: limit(of.find(Boolean)) });
  }
}

export function notes(parent, logs) {
  const texts = [...new Set(logs.flatMap((log) => log.notes))];
  if (texts.length) for (const text of texts) element(parent, "p", { className: "didymos-note", textContent: text });
}
