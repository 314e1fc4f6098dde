// A short word to the person, below the bar, for a moment: the latest one only.
const LONG = 45, READ = 60; // characters that are read at a glance; [ms] for each further one
let told = null, soon = 0;

export function say(text) {
  told?.remove();
  clearTimeout(soon);
  told = document.body.appendChild(Object.assign(document.createElement("div"), { className: "didymos-told", textContent: text }));
  told.setAttribute("role", "status");
  soon = setTimeout(() => told.remove(), 1800 + READ * Math.max(0, text.length - LONG));
}
