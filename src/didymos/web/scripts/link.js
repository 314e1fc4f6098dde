// A link that opens this view again: each module gives its part of it, and takes it when such a link was opened.
//
//   link.part("plots", () => text or null, (text) => ...)     a name of its own; `take` is called once, at most
//
// The twin, its scenario, seed and variant are the cockpit's part; viser takes the camera's by itself.
import { feed } from "./feed.js";

const parts = new Map(), came = new URLSearchParams(location.search);
let about = {}, answered = [];

feed.on("home.about", (message) => {
  about = message;
  answered.splice(0).forEach((done) => done());
});

function camera(address) { // where it is and looks, in the frame of the scene
  const { camera: eye, cameraControl: control, nodeRefFromName: nodes } = window.__viserMutable || {};
  if (!eye || !control || !nodes?.[""]) return;
  const written = (point) => nodes[""].worldToLocal(point).toArray().map((x) => +x.toFixed(3)).join(",");
  address.searchParams.set("initialCameraPosition", written(eye.position.clone()));
  address.searchParams.set("initialCameraLookAt", written(control.getTarget(eye.position.clone())));
}

export const link = {
  part(name, give, take) {
    parts.set(name, give);
    if (came.has(name)) take(came.get(name));
  },
  key: () => about.key,
  async address() {
    await new Promise((done) => { // the scenario may have changed
      answered.push(done);
      setTimeout(done, 2000);
      feed.send("home.about");
    });
    const address = new URL("/", location.href);
    for (const [name, value] of [["twin", about.key], ["scenario", about.scenario], ["seed", about.seed || ""], ["variant", about.variant]]) {
      if (value) address.searchParams.set(name, value);
    }
    camera(address);
    for (const [name, give] of parts) {
      const value = give();
      if (value !== null && value !== undefined && value !== "") address.searchParams.set(name, value);
    }
    return address.href;
  },
};
window.didymos = Object.assign(window.didymos || {}, { link });
