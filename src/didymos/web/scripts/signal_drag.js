// Dragging a signal with the pointer: a label follows, the place under it is marked, what is there at the end gets it.
const FAR = 6; // [pixels] before a press becomes a drag

export function draggable(element, name, drop) {
  element.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" || event.button !== 0 || event.target.closest("button:not(.leaf), select")) return;
    const begin = [event.clientX, event.clientY];
    let label = null, marked = null;
    const under = (move) => document.elementsFromPoint(move.clientX, move.clientY).find((one) => one.closest?.("[data-drop]"));
    const move = (now) => {
      if (!label && Math.hypot(now.clientX - begin[0], now.clientY - begin[1]) < FAR) return;
      if (!label) {
        label = Object.assign(document.createElement("div"), { className: "didymos-dragged", textContent: name });
        document.body.append(label);
      }
      label.style.transform = `translate(${now.clientX + 10}px, ${now.clientY + 10}px)`;
      const place = under(now)?.closest("[data-drop]") || null;
      if (place !== marked) {
        marked?.classList.remove("target");
        place?.classList.add("target");
        marked = place;
      }
      now.preventDefault();
    };
    const end = (up) => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      marked?.classList.remove("target");
      if (!label) return;
      label.remove();
      window.addEventListener("click", swallow, { capture: true, once: true }); // the end of a drag is no click
      setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 0);
      const place = up.type === "pointerup" ? under(up) : null;
      if (place) drop(place, up);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  });
}

const swallow = (event) => { event.stopPropagation(); event.preventDefault(); };
