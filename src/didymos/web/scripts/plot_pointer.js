// Moving through time on a plot: the wheel zooms about the pointer, Shift-drag and a finger move, two fingers zoom, a click seeks.
// (Dragging with the mouse selects what to zoom to; uPlot does that.)
const STEP = 1.002; // per unit of the wheel

export function navigate(chart, panel) {
  const { over } = chart, touches = new Map();
  const at = (event) => chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
  const perPixel = () => (chart.scales.x.max - chart.scales.x.min) / over.clientWidth;
  const shift = (seconds) => { const [from, to] = panel.seconds(); panel.zoom(from + seconds, to + seconds); };
  const stretch = (about, factor) => {
    const [from, to] = panel.seconds();
    panel.zoom(about - (about - from) * factor, about + (to - about) * factor);
  };
  over.style.touchAction = "pan-y";
  over.addEventListener("wheel", (event) => {
    if (!event.shiftKey && !event.ctrlKey && !event.metaKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return; // scrolls
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) stretch(at(event), STEP ** event.deltaY);
    else shift((Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) * perPixel());
  }, { passive: false });
  let begin = null;
  over.addEventListener("pointerdown", (event) => {
    begin = [event.clientX, event.clientY];
    if (event.pointerType === "touch") touches.set(event.pointerId, event.clientX);
  });
  over.addEventListener("mousedown", (event) => { // before uPlot begins to select
    if (!event.shiftKey && event.button !== 1) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    let last = event.clientX;
    const move = (now) => { shift((last - now.clientX) * perPixel()); last = now.clientX; };
    const end = () => { window.removeEventListener("mousemove", move); window.removeEventListener("mouseup", end); };
    window.addEventListener("mousemove", move);
    window.addEventListener("mouseup", end);
  }, true);
  over.addEventListener("pointermove", (event) => {
    if (!touches.has(event.pointerId)) return;
    const before = [...touches.values()], last = touches.get(event.pointerId);
    touches.set(event.pointerId, event.clientX);
    const now = [...touches.values()];
    if (now.length === 1) shift((last - event.clientX) * perPixel());
    else if (now.length === 2 && now[0] !== now[1]) stretch(at(event), Math.abs(before[0] - before[1]) / Math.abs(now[0] - now[1]));
  });
  for (const kind of ["pointerup", "pointercancel"]) over.addEventListener(kind, (event) => touches.delete(event.pointerId));
  over.addEventListener("click", (event) => {
    const still = begin && Math.hypot(event.clientX - begin[0], event.clientY - begin[1]) < 4;
    if (still && panel.options.seek && !event.shiftKey) panel.options.seek(at(event));
  });
}
