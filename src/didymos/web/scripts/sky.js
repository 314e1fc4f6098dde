// The sky behind the scene: the ground is lost in it. viser draws on nothing, so what is behind its picture is seen.
const SKY = {
  light: ["#b9d3ea", "#e3eef6", "#f4f7f8"],
  dark: ["#0d1216", "#161d23", "#20292f"],
};
const css = (colours) => `linear-gradient(${colours.join(", ")})`;
const rule = (theme) => `:root[data-didymos-theme="${theme}"] #root canvas[data-engine] { background: ${css(SKY[theme])}; }`;
document.head.append(Object.assign(document.createElement("style"), { textContent: Object.keys(SKY).map(rule).join("\n") }));

export function picture() { // viser's picture, the largest on the page
  const all = [...document.querySelectorAll("#root canvas[data-engine]")];
  return all.sort((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight)[0];
}

export function compose(canvas, scene = picture()) { // what is seen of the scene, sky included, onto a canvas of its own
  const { width, height } = scene, paint = canvas.getContext("2d");
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const sky = paint.createLinearGradient(0, 0, 0, height);
  SKY[document.documentElement.dataset.didymosTheme === "dark" ? "dark" : "light"].forEach((colour, i, all) => sky.addColorStop(i / (all.length - 1), colour));
  paint.fillStyle = sky;
  paint.fillRect(0, 0, width, height);
  paint.drawImage(scene, 0, 0);
  return canvas;
}
