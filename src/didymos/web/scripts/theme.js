// Light or dark: as the person chose it in this browser, else as the system says; `data-didymos-theme` on <html> tells everybody.
// Comes before all else on a page (a plain script), so that nothing flashes. viser's page has one theme for all who look at it;
// here each gets its own: what viser is told of colours is turned as it comes in.
(() => {
  "use strict";
  const root = document.documentElement, KEY = "didymos-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  const GROUND = { light: {}, dark: { plane_color: [30, 36, 41], cell_color: [52, 61, 68], section_color: [78, 91, 100] } };
  let mutable = null, look = null;
  const grounds = new Map(); // name of a node -> the colours that it came with

  const kept = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const theme = () => kept() || (system.matches ? "dark" : "light");

  function turned(message) {
    if (message.type === "ThemeConfigurationMessage") {
      look = message;
      return { ...message, dark_mode: theme() === "dark" };
    }
    if (message.type === "GridMessage") {
      const { plane_color, cell_color, section_color } = message.props;
      grounds.set(message.name, { plane_color, cell_color, section_color });
      return { ...message, props: { ...message.props, ...GROUND[theme()] } };
    }
    if (message.type === "RemoveSceneNodeMessage") grounds.delete(message.name);
    return message;
  }

  function attach(viewer) {
    mutable = viewer;
    const queue = viewer.messageQueue, push = Array.prototype.push;
    queue.forEach((message, i) => { queue[i] = turned(message); }); // what came before there was a picture
    queue.push = (...messages) => push.apply(queue, messages.map(turned));
    queue.didymos = (message) => push.call(queue, message);
  }

  function apply() {
    const now = theme();
    root.dataset.didymosTheme = now;
    if (mutable && look) {
      const { messageQueue: queue } = mutable;
      queue.push(look);
      for (const [name, colours] of grounds) queue.didymos({ type: "SceneNodeUpdateMessage", name, updates: { ...colours, ...GROUND[now] } });
      mutable.requestRender();
    }
    window.dispatchEvent(new CustomEvent("didymos-theme", { detail: now }));
  }

  let held; // viser hands out its inside here; the property stays one that can be deleted, as viser does
  Object.defineProperty(window, "__viserMutable", { configurable: true, get: () => held, set: (viewer) => { held = viewer; attach(viewer); } });
  window.didymosTheme = {
    get: theme,
    toggle() {
      const next = theme() === "dark" ? "light" : "dark";
      try { localStorage.setItem(KEY, next); } catch { /* a browser that keeps nothing: as the system says */ }
      apply();
    },
  };
  system.addEventListener("change", apply);
  window.addEventListener("storage", (event) => { if (event.key === KEY) apply(); });
  apply();
})();
