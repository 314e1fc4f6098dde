// An exported page: robots in 3-D, timeline, plots, verdicts; all that it shows is inside of it.
import { unpack } from "./blocks.js";
import { JointTracks } from "./joint_tracks.js";
import { Kinematics } from "./kinematics.js";
import { PlotPanel } from "./plots.js";
import { RobotView } from "./robot_view.js";
import { StaticPlayer } from "./static_player.js";
import { StaticSource } from "./static_source.js";
import { Timeline } from "./timeline.js";
import { header, notes, verdicts } from "./page_words.js";

const POINTS = 1500; // of the path of a robot

function element(parent, tag, properties = {}) {
  return parent.appendChild(Object.assign(document.createElement(tag), properties));
}

function shown(player, tracks, view) { // bring the picture to the player's time
  const time = player.time();
  view.pose(tracks[0].at(time), tracks[1]?.at(time));
}

function drawPaths(about, tracks, view) {
  const { bodies, rest, robots } = about.scene;
  tracks.forEach((track, log) => {
    const { begin, end } = about.logs[log], kinematics = new Kinematics(bodies, rest);
    const ways = robots.map(() => new Float32Array(3 * POINTS)), last = Math.max(...robots.map(({ body }) => body));
    for (let i = 0; i < POINTS; i++) {
      kinematics.pose(track.at(begin + ((end - begin) * i) / (POINTS - 1)), last);
      robots.forEach(({ body }, k) => ways[k].set(kinematics.positions.subarray(3 * body, 3 * body + 3), 3 * i));
    }
    for (const way of ways) view.path(log, way);
  });
}

function followMenu(parent, robots, view) {
  const menu = element(parent, "select", { className: "didymos-follow", title: "What the camera follows" });
  menu.setAttribute("aria-label", "What the camera follows");
  const whom = robots.length > 1 ? [["all", "Follow all"], ...robots.map(({ name }, i) => [i, `Follow ${name}`])] : [[0, "Follow"]];
  menu.append(...[...whom, ["", "Stand still"]].map(([value, text]) => new Option(text, value)));
  menu.onchange = () => view.follow(menu.value === "" ? null : menu.value === "all" ? "all" : Number(menu.value));
}

function themed(view) { // light or dark: as the reader's system is, or as the button says
  const system = matchMedia("(prefers-color-scheme: dark)"), root = document.documentElement;
  const isDark = () => (root.dataset.didymosTheme ?? (system.matches ? "dark" : "light")) === "dark";
  const apply = () => view.dark(isDark());
  system.addEventListener("change", apply);
  document.getElementById("didymos-theme").onclick = () => {
    root.dataset.didymosTheme = isDark() ? "light" : "dark";
    apply();
  };
  apply();
}

async function open() {
  const about = JSON.parse(document.getElementById("didymos-about").textContent), logs = about.logs;
  const blocks = await unpack(document.getElementById("didymos-numbers").textContent);
  document.getElementById("didymos-numbers").remove(); // its text is large, and unpacked now
  header(document.body, about);
  const main = element(document.body, "main"), left = element(main, "section", { className: "didymos-left" });
  const stage = element(left, "div", { className: "didymos-stage" }), bar = element(left, "div", { className: "didymos-time" });
  const words = element(left, "div", { className: "didymos-words" }), right = element(main, "section", { className: "didymos-right" });
  const events = logs.flatMap((log, i) => log.events.map((event) => (i ? { ...event, text: `ghost: ${event.text}` } : event)));
  events.sort((a, b) => a.t - b.t);
  const player = new StaticPlayer(Math.min(...logs.map((log) => log.begin)), Math.max(...logs.map((log) => log.end)), events);
  const tracks = logs.map((log) => new JointTracks(blocks, log.tracks, about.scene.rest));
  verdicts(words, logs);
  notes(words, logs);
  let view = null;
  try {
    view = new RobotView(stage, about.scene, blocks, { ghost: logs.length > 1 });
    followMenu(stage, about.scene.robots, view);
    drawPaths(about, tracks, view);
    themed(view);
    player.onchange(() => shown(player, tracks, view));
    shown(player, tracks, view);
  } catch (error) { // the rest of the page is worth having without it
    element(stage, "p", { className: "didymos-failed", textContent: `This browser shows no 3-D graphics here (${error.message}).` });
    themed({ dark() {} });
  }
  const timeline = new Timeline(bar, player);
  const source = new StaticSource(blocks, logs, player);
  const panel = new PlotPanel(right, source, { cursor: () => player.time(), seek: (t) => player.seek(t), follow: false });
  player.onchange(() => panel.moved());
  window.didymos = { about, player, source, view, tracks, timeline, panel };
  document.documentElement.dataset.didymosReady = "true";
}

open().catch((error) => {
  element(document.body, "p", { className: "didymos-failed", textContent: `This page could not be opened: ${error.message}` });
  throw error;
});
