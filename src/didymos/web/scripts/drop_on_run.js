// Files that are dropped on the page of a run: taken as on the home page, which opens them or asks. Without this the browser
// would leave the run and show the file as text.
import { dropped, send } from "./drop.js";
import { feed } from "./feed.js";
import { say } from "./say.js";

let home = false; // whether there is a home page behind this one
feed.on("home.about", () => { home = true; });

const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

async function take(transfer) {
  const files = await dropped(transfer);
  if (!files.length) return;
  if (!home) return say("This page opens no files; a log goes to Replay: Bring a log.");
  try {
    const entries = await send(files, (share) => say(`Reading … ${Math.round(100 * share)} %`));
    sessionStorage.setItem("didymos-dropped", JSON.stringify(entries));
    location.href = "/home";
  } catch (error) {
    say(error.message);
  }
}

window.addEventListener("dragover", (event) => { if (holdsFiles(event)) event.preventDefault(); });
window.addEventListener("drop", (event) => {
  if (!holdsFiles(event)) return;
  event.preventDefault();
  take(event.dataTransfer);
});
