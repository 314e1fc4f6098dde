// What the cockpit's page has beside viser's scene and panels. One module each; a module that fails leaves the others alone.
const MODULES = [
  "bar",
  "boxes",
  "sky",
  "out",
  "hints",
  "drop_on_run",
  "plots_dock",
  "timeline_live",
];
for (const name of MODULES) {
  import(`./${name}.js`).catch((error) => console.error(`didymos: ${name}:`, error));
}
