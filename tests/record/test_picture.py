"""Pictures of a model's state, drawn off-screen."""

import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from PIL import Image

from didymos.errors import InputError
from didymos.record.canvas import open_canvas
from didymos.record.egl_context import EglContext, EglError
from didymos.record.own_file import check_replaceable
from didymos.record.picture import render_clip, render_picture
from didymos.record.view import Framing, View, read_view

SCENE = """
<mujoco>
  <visual><quality offsamples="2"/><global offwidth="320"/></visual>
  <worldbody>
    <light pos="0 0 9" directional="true"/>
    <camera name="eye" pos="40 0 9"/>
    <geom type="plane" size="0 0 .1" rgba="0 0 1 1"/>
    <body name="ball" pos="40 0 5"><freejoint/><geom size=".5" rgba="1 0 0 1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def ball():
    if sys.platform == "linux":
        try:
            EglContext().free()
        except EglError as error:
            pytest.skip(f"no off-screen OpenGL on this machine: {error}")
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def _red(image):
    """Where an image is red, shape [height, width]."""
    pixels = np.asarray(image.convert("RGB")).astype(int)
    return pixels[..., 0] > pixels[..., 1:].max(axis=2) + 40


def test_a_plot_may_replace_a_picture_of_the_robot(ball, tmp_path):
    check_replaceable(render_picture(*ball, tmp_path / "ball.png", size=(30, 20)))


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
    image = Image.open(render_picture(*ball, tmp_path / "top.png", camera="eye", size=(120, 100)))
    # the ball's edge is seen from 4 m above its centre under asin(0.5 / 4)
    expected = 100 * np.tan(np.arcsin(0.5 / 4)) / np.tan(np.radians(45) / 2)
    assert np.ptp(np.nonzero(_red(image))[0]) + 1 == pytest.approx(expected, abs=3)


def test_the_sun_casts_a_shadow_wherever_the_robot_is(tmp_path):
    """A ball 4 m above the ground and 40 m from the origin, the eye 8 m above it, the sun from the side."""
    scene = SCENE.replace("<visual>", '<statistic extent="1"/><visual>')
    model = mujoco.MjModel.from_xml_string(scene.replace('directional="true"', 'directional="true" dir="0.3 0.2 -1"'))
    data = mujoco.MjData(model)
    data.qpos[2] = 4.0
    mujoco.mj_forward(model, data)
    image = Image.open(render_picture(model, data, tmp_path / "a.png", camera="90,-90,8", size=(300, 300)))
    ground = np.asarray(image.convert("RGB")).astype(int)[..., 2]
    metre = 150 / (12 * np.tan(np.radians(45) / 2))  # pixel on the ground, 12 m away
    beside = np.hypot(*(np.mgrid[:300, :300] - 149.5)) > 0.5 * 12 / 8 * metre + 3  # the ball
    rows, columns = np.nonzero((ground < 0.8 * ground[0, 0]) & beside)
    assert columns.max() == pytest.approx(150 + (1.2 + 0.5) * metre, abs=4)
    assert rows.min() == pytest.approx(150 - (0.8 + 0.5) * metre, abs=4)


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


def test_a_film_plays_as_long_and_a_fixed_view_holds_the_whole_way(ball, tmp_path):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")
    model, data = ball
    qpos = np.tile(data.qpos, (10, 1))
    qpos[:, 0] += np.linspace(0, 20, 10)
    film = render_clip(model, qpos, tmp_path / "ball.mp4", fps=20, camera="fixed", size=(121, 80))  # odd: loses a pixel
    frames = imageio_ffmpeg.read_frames(str(film))
    about = next(frames)
    assert (about["size"], about["fps"], about["codec"]) == ((120, 80), 20.0, "h264")
    places = []
    for frame in frames:
        red = _red(Image.frombytes("RGB", (120, 80), frame))
        assert red.any()
        places.append(np.nonzero(red)[1].mean())
    assert len(places) == 10
    assert abs(places[-1] - places[0]) > 40  # it crosses the picture
    assert [path.name for path in tmp_path.iterdir()] == ["ball.mp4"]


def test_without_ffmpeg_the_command_that_brings_it_is_told(ball, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"pip install 'didymos\[video\]'"):
        render_clip(ball[0], np.zeros((3, 7)), tmp_path / "a.mp4")


HIDING = """
<mujoco>
  <worldbody>
    <body name="base"><geom type="box" size=".1 .1 .1"/>
      <body name="tip" pos="0 -.5 0"><geom size=".05"/></body></body>
    <body name="screen" pos=".5 0 0"><geom type="box" size=".02 1 {height}"/></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize(("height", "side"), [(0.01, "front"), (1.5, "behind")])
def test_a_link_that_something_hides_is_looked_at_from_another_side(height, side):
    model = mujoco.MjModel.from_xml_string(HIDING.format(height=height))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    eye = Framing(model, View(), 1.5).camera(data)
    assert (abs(eye.azimuth) > 90.0) == (side == "front")


def test_numbers_say_from_where_and_how_far(ball):
    eye = Framing(ball[0], read_view("30,-10,7"), 1.5).camera(ball[1])
    assert (eye.azimuth, eye.elevation, eye.distance) == (30.0, -10.0, 7.0)
    assert eye.lookat == pytest.approx([40.0, 0.0, 5.0])
    assert Framing(ball[0], read_view("top"), 1.5).camera(ball[1]).elevation < -89.0


def test_wrong_wishes_are_refused_with_a_sentence(ball, tmp_path):
    model, data = ball
    with pytest.raises(InputError, match="did you mean 'eye'"):
        render_picture(model, data, tmp_path / "a.png", camera="eyes")
    for wrong in ("1", "1,2,-3", "1,91", "1,2,3,4", "1,x"):
        with pytest.raises(InputError, match="AZIMUTH,ELEVATION"):
            render_picture(model, data, tmp_path / "a.png", camera=wrong)
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
    environment = {**os.environ, "MUJOCO_EGL_DEVICE_ID": "99"}
    environment.pop("MUJOCO_GL", None)
    result = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.png")],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert "apt-get install libegl1" in result.stdout, result.stderr


def test_the_ground_goes_on_as_far_as_one_sees(ball):
    model, data = ball
    eye = mujoco.MjvCamera()
    eye.lookat[:], eye.distance, eye.azimuth, eye.elevation = [0.0, 0.0, 40.0], 1e-6, 180.0, 0.0
    rows = np.arange(0.5, 100.0) / 100.0 * np.tan(np.radians(model.vis.global_.fovy) / 2.0)  # below the horizon, per distance
    usual = model.stat.extent * model.vis.map.zfar
    with open_canvas(model, (2, 200), fine=False) as canvas:
        for far in (0.5 * usual, 5.0 * usual, 20.0 * usual):
            depth = canvas.draw_depth(data, eye, (0.5, far))[100:, 0]
            seen = 40.0 / rows < 0.99 * far
            np.testing.assert_allclose(depth[seen], 40.0 / rows[seen], rtol=2e-3)
    assert 40.0 / rows[0] > 4.0 * usual
