// The pilot's sticks: keyboard, touch or mouse, gamepad. Also says when the cockpit cannot be reached any more.
// Sends {"axes": [left x, left y, right x, right y], "buttons": [...]} on its own web socket, {} when they are let go; the rest
// of the page is viser's.
(() => {
  "use strict";
  const KEYS = {
    KeyA: [0, -1], KeyD: [0, 1], KeyS: [1, -1], KeyW: [1, 1],
    ArrowLeft: [2, -1], ArrowRight: [2, 1], ArrowDown: [3, -1], ArrowUp: [3, 1],
  };
  const PERIOD = 40; // [ms] between looks at the sticks
  const STYLE = `
    #didymos-pilot { font: 13px/1.3 system-ui, sans-serif; color: var(--didymos-ink); display: flex; gap: 12px; align-items: flex-end;
      pointer-events: none; user-select: none; -webkit-user-select: none; }
    #didymos-pilot button { pointer-events: auto; border: 0; border-radius: 18px; padding: 9px 14px; background: var(--didymos-raised); color: inherit;
      box-shadow: var(--didymos-shadow); font: inherit; cursor: pointer; }
    #didymos-pilot.on button { background: var(--didymos-accent); color: var(--didymos-on-accent); }
    #didymos-pilot .stick { display: none; pointer-events: auto; touch-action: none; position: relative; width: 112px; height: 112px; border-radius: 50%;
      background: var(--didymos-raised); box-shadow: var(--didymos-shadow), inset 0 0 0 2px color-mix(in srgb, var(--didymos-accent) 35%, transparent); }
    #didymos-pilot.on .stick { display: block; }
    #didymos-pilot .knob { position: absolute; left: 36px; top: 36px; width: 40px; height: 40px; border-radius: 50%; background: var(--didymos-accent);
      box-shadow: 0 1px 4px #0006; }
    #didymos-pilot .hint { position: absolute; width: 100%; text-align: center; top: -18px; font-size: 11px; }
    #didymos-lost { position: fixed; top: 0; left: 0; right: 0; z-index: 2000; display: none; padding: 10px; text-align: center;
      background: #c92a2a; color: #fff; font: 14px system-ui, sans-serif; }`;
  let on = false, socket = null, sent = "", since = 0, met = false;
  const held = new Set(), touch = [0, 0, 0, 0];

  function element(parent, tag, properties) {
    const made = Object.assign(document.createElement(tag), properties);
    parent.appendChild(made);
    return made;
  }
  element(document.head, "style", { textContent: STYLE });
  const lost = element(document.body, "div", { id: "didymos-lost" });
  lost.setAttribute("role", "alert");
  const panel = element(document.body, "div", { id: "didymos-pilot" });
  const left = stick("W A S D", 0);
  const button = element(panel, "button", { textContent: "Fly by hand", title: "Sticks: W A S D and arrow keys, touch, or a gamepad" });
  button.onclick = () => { on = !on; held.clear(); touch.fill(0); panel.classList.toggle("on", on); button.blur(); label(); };
  const label = () => { button.textContent = on ? "Let go" : "Fly by hand"; };

  const knobs = [left, stick("arrow keys", 2)];

  function stick(hint, first) { // one stick of two axes; [its knob, its first axis]
    const base = element(panel, "div", { className: "stick" });
    element(base, "div", { className: "hint", textContent: hint });
    const knob = element(base, "div", { className: "knob" });
    const move = (event) => {
      const box = base.getBoundingClientRect(), r = box.width / 2;
      const x = (event.clientX - box.left - r) / (r - 16), y = -(event.clientY - box.top - r) / (r - 16);
      const size = Math.max(1, Math.hypot(x, y));
      touch[first] = x / size; touch[first + 1] = y / size;
    };
    base.onpointerdown = (event) => { base.setPointerCapture(event.pointerId); move(event); event.preventDefault(); };
    base.onpointermove = (event) => { if (base.hasPointerCapture(event.pointerId)) move(event); };
    base.onpointerup = base.onpointercancel = () => { touch[first] = touch[first + 1] = 0; };
    return [knob, first];
  }

  const typing = (target) => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  for (const kind of ["keydown", "keyup"]) {
    window.addEventListener(kind, (event) => { // before viser, which moves its camera with the same keys
      if (!on || !(event.code in KEYS) || typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (kind === "keydown") held.add(event.code); else held.delete(event.code);
      event.preventDefault();
      event.stopImmediatePropagation();
    }, true);
  }
  window.addEventListener("blur", () => held.clear());

  const within = (value) => Math.round(1000 * Math.max(-1, Math.min(1, value))) / 1000;

  function hands() { // what keys, touch and all pads say together
    const axes = [...touch], buttons = [];
    for (const code of held) axes[KEYS[code][0]] += KEYS[code][1];
    for (const pad of navigator.getGamepads ? navigator.getGamepads() : []) {
      if (!pad || !pad.connected) continue;
      pad.axes.slice(0, 4).forEach((value, i) => { axes[i] += i % 2 ? -value : value; });
      pad.buttons.slice(0, 12).forEach((button, i) => { buttons[i] = Math.max(buttons[i] || 0, button.pressed ? 1 : 0); });
    }
    return { axes: axes.map(within), buttons };
  }

  setInterval(() => {
    const said = on ? hands() : {}, now = said.axes || [0, 0, 0, 0];
    for (const [knob, first] of knobs) knob.style.transform = `translate(${32 * now[first]}px, ${-32 * now[first + 1]}px)`;
    const text = JSON.stringify(said), time = performance.now();
    if (socket && socket.readyState === 1 && (text !== sent || (on && time - since > 200))) {
      socket.send(text);
      sent = text;
      since = time;
    }
  }, PERIOD);

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/sticks`);
    socket.onopen = () => { met = true; sent = ""; lost.style.display = "none"; };
    socket.onclose = () => {
      lost.textContent = met ? "Connection lost: the cockpit has ended or cannot be reached. Trying again …" : "Connecting …";
      lost.style.display = "block";
      setTimeout(connect, 1000);
    };
  }
  connect();
})();
