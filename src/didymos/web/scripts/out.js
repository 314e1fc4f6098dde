// Out of the page: a picture of the scene (PNG), a film of what happens in it (WebM, or MP4 where the browser writes no other).
// The run until now, as a page to give away, is written by the cockpit. Pictures and films are what a person sees, drawn by this browser; they go where it keeps downloads, and
// a copy goes to the cockpit's folder.
import { feed } from "./feed.js";
import { button } from "./layout.js";
import { compose } from "./sky.js";

const CAMERA = "M4 8h3l2-3h6l2 3h3v11H4zM12 10.5a3 3 0 1 0 0 6a3 3 0 0 0 0-6";
const FILM = "M3 7h12v10H3zM15 11l6-3.500v9l-6-3.500";
const STOP = "M7 7h10v10H7z";
const SHARE = "M12 15V4M8 7.500L12 3.500l4 4M5 12v8h14v-8";
const PART = 450_000; // bytes of a message
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
const RATE = 30; // pictures a second
let recorder = null;

async function hand(blob, kind, name) { // to the person, and to the cockpit's folder
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  for (let begin = 0; begin < blob.size; begin += PART) {
    const bytes = new Uint8Array(await blob.slice(begin, begin + PART).arrayBuffer());
    let text = "";
    for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    feed.send("out.part", { kind, first: begin === 0, last: begin + PART >= blob.size, data: btoa(text) });
  }
}

const stamp = () => new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-");

button("bar", CAMERA, "Picture", () => {
  compose(document.createElement("canvas")).toBlob((blob) => hand(blob, "png", `didymos-${stamp()}.png`), "image/png");
}, 2);

const film = button("bar", FILM, "Video", () => (recorder ? recorder.stop() : begin()), 3);
function show(title, icon) {
  film.title = title;
  film.setAttribute("aria-label", title);
  film.style.color = recorder ? "var(--didymos-bad)" : "";
  film.querySelector("path").setAttribute("d", icon);
}

function begin() {
  const kind = window.MediaRecorder ? KINDS.find((one) => MediaRecorder.isTypeSupported(one)) : null;
  if (!kind) return alert("This browser writes no videos.");
  const canvas = compose(document.createElement("canvas")), pieces = [];
  const suffix = kind.includes("mp4") ? "mp4" : "webm";
  const drawn = setInterval(() => compose(canvas), 1000 / RATE);
  recorder = new MediaRecorder(canvas.captureStream(RATE), { mimeType: kind, videoBitsPerSecond: 6e6 });
  recorder.ondataavailable = (event) => {
    if (!event.data.size) return;
    pieces.push(event.data);
    if (film.disabled) show("Stop the video", STOP); // not before there is something to keep
    film.disabled = false;
  };
  recorder.onstop = () => {
    clearInterval(drawn);
    recorder = null;
    show("Video", FILM);
    hand(new Blob(pieces, { type: kind }), suffix, `didymos-${stamp()}.${suffix}`);
  };
  film.disabled = true;
  recorder.start(500);
  show("The video begins", FILM);
}

button("bar", SHARE, "Share as a page", () => feed.send("out.share"), 4);
