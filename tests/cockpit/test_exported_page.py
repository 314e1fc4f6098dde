"""An exported page in a real browser, from a file: what it draws is where the engine has it, and it asks for nothing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import didymos
from didymos import Log
from didymos.engine.playback import Playback
from didymos.web.export import export_page
from didymos.web.export.scene_data import body_data
from didymos.web.shapes import extent_of

from .conftest import LOOK_AT_PLOT, Browser, wait_until

CHAIN = """<mujoco><worldbody>
  <body pos="0.1 0.2 0.3" quat="0.9 0.1 0.3 0.2"><freejoint/><geom size="0.1"/>
    <body pos="0.3 0 0.1" quat="0.8 0.2 0.1 0.1">
      <joint type="slide" axis="0 1 1"/><joint type="hinge" axis="1 0 1" pos="0.1 0.2 0"/><geom size="0.1"/>
      <body pos="0 0.2 0"><joint type="ball" pos="0 0.1 0.1"/><geom size="0.1"/></body>
      <body pos="0 0 0.4"><joint type="hinge" axis="0 0 1" ref="0.4" pos="0 0.3 0"/><geom size="0.1"/></body>
    </body>
  </body>
</worldbody></mujoco>"""
"""Every kind of joint, off its body's origin, one behind the other."""


@pytest.fixture(scope="module")
def logs() -> tuple[Any, Log, Log]:
    """A run of a quadcopter, its log and that of a heavier one."""
    twin = didymos.load("quadcopter")
    run = twin.simulate(scenario="hover")
    first = run.run(3.0)
    twin.set("links.body_FLU.mass", 0.9)
    return run, first, twin.simulate(scenario="hover").run(2.0)


def opened(browser: Browser, file: Path, width: int, height: int) -> Any:
    """The page in a window of a size, the network off."""
    driver = browser.driver
    driver.execute_cdp_cmd("Network.enable", {})
    off = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", off)
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(file.as_uri())
    wait_until(lambda: driver.execute_script("return document.documentElement.dataset.didymosReady"), "the page has opened")
    return driver


def engine_poses(model: mujoco.MjModel, qpos: Any) -> tuple[Any, Any]:
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    return data.xpos, data.xquat


def test_two_logs_as_a_page_from_a_file_with_the_network_off(browser: Browser, logs: Any, tmp_path: Path) -> None:
    run, first, second = logs
    made = export_page([first, second], tmp_path / "flight.html")
    driver = opened(browser, made.file, 1200, 800)
    run_script = driver.execute_script
    assert run_script("return performance.getEntriesByType('resource').map(entry => entry.name)") == []

    run_script("didymos.player.seek(1.0)")
    for puppet, log in (("first", first), ("ghost", second)):
        expected, _ = engine_poses(run.model, Playback(run, log).at(1.0))
        drawn = np.reshape(run_script(f"return [...didymos.view.{puppet}.kinematics.positions]"), (-1, 3))
        assert np.abs(drawn - expected).max() < 1e-6  # positions of joints are float32 there
    name = "truth.position.z"
    read = f"const found = didymos.source.read('difference.{name}', 1, 1); return [found.t[0], found.y[0]]"
    time, apart = run_script(read)
    heights = [float(np.interp(time, log[name].time, log[name].values)) for log in (first, second)]
    assert 0.98 < time < 1.01
    assert apart == pytest.approx(heights[1] - heights[0], abs=3e-7)  # 2 of float32, of numbers about 1
    shown = wait_until(lambda: run_script("return didymos.panel.plots.map(plot => plot.signals)"), "plots are there")
    assert [name, f"ghost.{name}"] in shown
    assert [f"difference.{name}"] in shown

    text = browser.text
    assert "links.body_FLU.mass = 0.9" in text
    assert "thrust to weight" in text
    drawn = run_script("return didymos.view.drawn")
    browser.find("//button[@aria-label='Play']").click()
    wait_until(lambda: run_script("return didymos.player.time() >= 2.99 && !didymos.player.playing()"), "it plays to the end")
    assert run_script("return didymos.view.drawn") > drawn
    before = run_script("return getComputedStyle(document.body).backgroundColor")
    run_script("document.getElementById('didymos-theme').click()")
    wait_until(lambda: run_script("return getComputedStyle(document.body).backgroundColor") != before, "the other colours")
    browser.picture("exported_page")
    assert not [line for line in driver.get_log("browser") if line["level"] == "SEVERE"]


def test_one_sample_is_a_dot_also_late_on_a_clock(browser: Browser, logs: Any, tmp_path: Path) -> None:
    whole, late = logs[1], 1.7e9  # [s], as of a recorder that counts from 1970
    short = Log(whole.layouts, whole.metadata)
    for index in range(len(whole.layouts)):
        times, values = whole.rows(index)
        short.append(index, times[:1] + late, values[:1])
    driver = opened(browser, export_page([short], tmp_path / "short.html").file, 1200, 800)
    look = LOOK_AT_PLOT.replace("window.didymos?.plots", "window.didymos?.panel")
    name = "truth.position.z"
    found = wait_until(lambda: driver.execute_script(look, name), "the plot is there")
    assert found["drawn"][0] >= 8  # [pixels] of a dot of a radius of 2.5, some of them at the border of it
    assert not any("–" in row for row in found["legend"])
    assert driver.execute_script("return didymos.player.span()") == [late, late]
    extent = extent_of(logs[0].shown.model, Playback(logs[0], short).at(late))
    looked = driver.execute_script("return didymos.view.controls.target.toArray()")
    assert looked == pytest.approx(list(extent.middle), abs=1e-6)  # at all of the robot, wherever its root is


SHADOW = """
const {renderer, scene, camera, controls: {target}, grounds: [ground]} = didymos.view, gl = renderer.getContext();
const shadows = ground.pressed[0][1].parent;
function seen() {
  renderer.render(scene, camera);
  const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
  gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return pixels;
}
function darker(visible) {
  ground.plane.visible = visible;
  const [shaded, plain] = [true, false].map(on => { shadows.visible = on; return seen(); });
  return shaded.reduce((count, value, i) => count + (i % 4 === 0 && value !== plain[i]), 0);
}
return [...Array(8).keys()].map(i => {
  camera.position.set(target.x + 1.5 * Math.cos(i), target.y + 1.5 * Math.sin(i), target.z + 0.3 + 0.1 * i);
  camera.lookAt(target);
  return [darker(true), darker(false)];
});"""
"""From eight sides, how many pixels are darker by shadows: with the ground, and with nothing that could hide them."""


def test_shadows_lie_on_the_ground_and_not_below_it(browser: Browser, tmp_path: Path) -> None:
    log = didymos.load("quadcopter").simulate(scenario="hover").run(0.02)
    driver = opened(browser, export_page([log], tmp_path / "shadow.html").file, 400, 300)
    for on_ground, whole in driver.execute_script(SHADOW):
        assert whole > 50
        assert on_ground > 0.98 * whole


def test_the_page_moves_every_kind_of_joint_as_the_engine_does(browser: Browser, logs: Any, tmp_path: Path) -> None:
    driver = opened(browser, export_page([logs[1]], tmp_path / "page.html").file, 390, 844)
    model = mujoco.MjModel.from_xml_string(CHAIN)
    qpos = np.random.default_rng(3).normal(size=model.nq)
    for joint in np.flatnonzero(model.jnt_type <= int(mujoco.mjtJoint.mjJNT_BALL)):
        begin = model.jnt_qposadr[joint] + (3 if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE else 0)
        qpos[begin : begin + 4] /= np.linalg.norm(qpos[begin : begin + 4])
    bodies = [body_data(model, body) for body in range(model.nbody)]
    found = driver.execute_script(
        "const made = new didymos.view.first.kinematics.constructor(arguments[0], arguments[1]); made.pose(arguments[2]);"
        "return [[...made.positions], [...made.quaternions]]",
        bodies, [float(value) for value in model.qpos0], [float(value) for value in qpos],
    )  # fmt: skip
    for drawn, expected in zip(found, engine_poses(model, qpos), strict=True):
        assert np.abs(np.reshape(drawn, expected.shape) - expected).max() < 1e-8  # 9 digits of the description

    boxes = driver.execute_script(
        "return ['header', '.didymos-stage', '.didymos-time', '.didymos-words', '.didymos-right'].map(name => {"
        " const box = document.querySelector(name).getBoundingClientRect(); return [box.left, box.right, box.top, box.bottom]; })"
    )
    assert all(left >= 0 and right <= 390 for left, right, _, _ in boxes)
    assert all(above[3] <= below[2] + 0.5 for above, below in pairwise(boxes))
    assert driver.execute_script("return document.documentElement.scrollWidth") <= 390
    browser.picture("exported_page_phone")
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
