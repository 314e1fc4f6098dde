"""Pictures of a model's state, drawn off-screen."""

import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from PIL import Image

from didymos.errors import InputError
from didymos.record.picture import render_clip, render_picture

SCENE = """
<mujoco>
  <visual><quality offsamples="2"/><global offwidth="320"/></visual>
  <worldbody>
    <light pos="0 0 9" directional="true"/>
    <camera name="top" pos="40 0 9"/>
    <geom type="plane" size="0 0 .1" rgba="0 0 1 1"/>
    <body name="ball" pos="40 0 5"><freejoint/><geom size=".5" rgba="1 0 0 1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def ball():
    if sys.platform == "linux":
        egl = pytest.importorskip("mujoco.egl", reason="no EGL on this machine", exc_type=Exception)
        try:
            egl.GLContext(8, 8).free()
        except Exception as error:
            pytest.skip(f"no off-screen OpenGL on this machine: {error}")
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def _red(image):
    """Where an image is red, shape [height, width]."""
    pixels = np.asarray(image.convert("RGB")).astype(int)
    return pixels[..., 0] > pixels[..., 1:].max(axis=2) + 40


def test_the_view_finds_the_robot_and_shows_it_whole_and_large(ball, tmp_path):
    red = _red(Image.open(render_picture(*ball, tmp_path / "new" / "ball.png", size=(300, 200))))
    assert red.shape == (200, 300)
    rows, columns = np.nonzero(red)
    # a ball of radius r at the distance 1.15 r / sin(fovy / 2) covers asin(sin(fovy / 2) / 1.15) of the half angle
    half = np.radians(45) / 2
    expected = 200 * np.tan(np.arcsin(np.sin(half) / 1.15)) / np.tan(half)
    assert np.ptp(rows) + 1 == pytest.approx(expected, abs=4)
    assert rows.mean() == pytest.approx(99.5, abs=2)
    assert columns.mean() == pytest.approx(149.5, abs=2)


def test_a_named_camera_sees_what_it_looks_at(ball, tmp_path):
    image = Image.open(render_picture(*ball, tmp_path / "top.png", camera="top", size=(120, 100)))
    # the ball's edge is seen from 4 m above its centre under asin(0.5 / 4)
    expected = 100 * np.tan(np.arcsin(0.5 / 4)) / np.tan(np.radians(45) / 2)
    assert np.ptp(np.nonzero(_red(image))[0]) + 1 == pytest.approx(expected, abs=3)


def test_drawing_leaves_the_model_as_it_was(ball, tmp_path):
    model, data = ball
    render_picture(model, data, tmp_path / "a.png", size=(800, 500))
    assert (model.vis.global_.offwidth, model.vis.quality.offsamples) == (320, 2)


def test_a_clip_lasts_as_long_as_its_states_and_follows_the_robot(ball, tmp_path):
    model, data = ball
    qpos = np.tile(data.qpos, (7, 1))
    qpos[:, 0] += np.linspace(0, 20, 7)
    with Image.open(render_clip(model, qpos, tmp_path / "ball.gif", fps=20, size=(90, 60))) as clip:
        shown = 0
        for frame in range(clip.n_frames):
            clip.seek(frame)
            shown += clip.info["duration"]
            rows, columns = np.nonzero(_red(clip))
            assert (rows.mean(), columns.mean()) == (pytest.approx(29.5, abs=2), pytest.approx(44.5, abs=2))
        assert shown == 7 * 50


def test_wrong_wishes_are_refused_with_a_sentence(ball, tmp_path):
    model, data = ball
    with pytest.raises(InputError, match="did you mean 'top'"):
        render_picture(model, data, tmp_path / "a.png", camera="topp")
    with pytest.raises(InputError, match=r"expected \.png"):
        render_picture(model, data, tmp_path / "a.txt")
    with pytest.raises(InputError, match=r"\[n, 7\]"):
        render_clip(model, np.zeros((3, 6)), tmp_path / "a.gif")
    with pytest.raises(InputError, match="frame rate"):
        render_clip(model, np.zeros((3, 7)), tmp_path / "a.gif", fps=0)


@pytest.mark.skipif(sys.platform != "linux", reason="EGL is Linux's")
def test_a_machine_without_opengl_is_told_the_command_that_brings_it(tmp_path):
    program = """
import sys
import mujoco
from didymos.errors import InputError
from didymos.record.picture import render_picture
model = mujoco.MjModel.from_xml_string("<mujoco/>")
try:
    render_picture(model, mujoco.MjData(model), sys.argv[1])
except InputError as error:
    print(error)
"""
    environment = {**os.environ, "PYOPENGL_PLATFORM": "none_of_these"}
    environment.pop("MUJOCO_GL", None)
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.png")],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "apt-get install libegl1" in result.stdout, result.stderr
