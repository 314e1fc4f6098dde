"""A camera sees what stands where, as a pin-hole would; its pictures are recorded, repeatable, and off unless asked for."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from scipy.spatial.transform import Rotation

import didymos
from didymos import Controller, InputError
from didymos.describe.twin import Twin
from didymos.engine.cameras import View
from didymos.record.canvas import INSTALL
from didymos.sensors.lens import Lens

POLE = """<mujoco><worldbody><body name="pole"><geom type="sphere" size="0.01" pos="-1 0 0"/>
  <body name="eye"><joint name="turn" axis="0 0 1" range="-114 114"/>
  <inertial pos="0 0 0" mass="0.01" diaginertia="1e-6 1e-6 1e-6"/>
  </body></body></worldbody></mujoco>"""
WORLD = {"step": 0.01, "integrator": "implicitfast", "gravity": 0.0}
RED = [1.0, 0.0, 0.0]


def look_at(make_twin: Any, box: dict[str, Any], *, joint: float = 0.0, **camera: Any) -> Twin:
    """A camera at the origin that looks along x at a red box."""
    about = {"kind": "camera", "link": "eye", "rate": 10, "enabled": 1, "field_of_view": 1.3962634, "depth": True}
    twin: Twin = make_twin(
        POLE, world=WORLD | {"objects": {"box": {"colour": RED} | box}}, sensors={"camera": about | camera},
        start={"joints": {"turn": joint}},
    )  # fmt: skip
    return twin


def first_view(twin: Twin, **options: Any) -> View:
    simulation = twin.simulate(**options)
    simulation.advance(1)
    return simulation.views["camera"]


def red_pixels(view: View) -> tuple[int, int, int, int]:
    """First and last row and column of what is red."""
    colour = np.asarray(view.colour).astype(int)
    rows, columns = np.nonzero(colour[:, :, 0] > 3 * colour[:, :, 1] + 30)
    return rows.min(), rows.max(), columns.min(), columns.max()


def test_a_box_falls_on_the_pixels_of_the_pin_hole_formula(make_twin: Any) -> None:
    # its front face is the plane x = 10, from y = 1 to 3 (left) and z = 0.5 to 1.5 (up)
    view = first_view(look_at(make_twin, {"position": [10.5, 2, 1], "size": [1, 2, 1]}))
    focal = 800 / (2 * math.tan(1.3962634 / 2))
    top, bottom = 400 - focal * 1.5 / 10, 400 - focal * 0.5 / 10
    left, right = 400 - focal * 3 / 10, 400 - focal * 1 / 10
    # the lower face and the right one are seen as well, slanting away behind the front's edges
    lower, inner = 400 - focal * 0.5 / 11, 400 - focal * 1 / 11
    # a pixel is painted when its middle, at a half number, lies inside
    expected = (math.ceil(top - 0.5), math.ceil(lower - 0.5) - 1, math.ceil(left - 0.5), math.ceil(inner - 0.5) - 1)
    assert red_pixels(view) == expected
    depth = np.asarray(view.depth)
    rows, columns = slice(math.ceil(top), math.floor(bottom)), slice(math.ceil(left), math.floor(right))
    assert depth[rows, columns] == pytest.approx(10.0, abs=2 * 10.0**2 / (0.02 * 2**24))  # z^2 / (near 2^24), both ways
    assert depth[0, 0] == np.inf


def test_depth_is_measured_along_the_axis_and_not_along_the_ray(make_twin: Any) -> None:
    wall = {"position": [5.5, 0, 0], "size": [1, 30, 30]}
    depth = np.asarray(first_view(look_at(make_twin, wall, width=160, height=120, near=0.1)).depth)
    assert depth.shape == (120, 160)
    assert depth == pytest.approx(5.0, abs=2 * 5.0**2 / (0.1 * 2**24))  # corners too


def test_the_mount_turns_the_picture(make_twin: Any) -> None:
    box = {"position": [10.05, 0, 0], "size": [0.1, 0.4, 0.4]}
    straight = red_pixels(first_view(look_at(make_twin, box)))
    turned = red_pixels(first_view(look_at(make_twin, box, joint=0.2)))
    focal = 800 / (2 * math.tan(1.3962634 / 2))
    assert (straight[2] + straight[3] + 1) / 2 == pytest.approx(400, abs=0.5)
    # turned to the left by 0.2 rad, what was ahead is to the right
    assert (turned[2] + turned[3] + 1) / 2 == pytest.approx(400 + focal * math.tan(0.2), abs=1.0)


def test_noise_has_its_deviation_and_comes_again_with_the_seed(make_twin: Any) -> None:
    wall = {"position": [5.5, 0, 0], "size": [1, 30, 30], "colour": [0.5, 0.5, 0.5]}
    twin = look_at(make_twin, wall, width=200, height=200, noise=0.02, depth_noise=0.1)
    clean, noisy = twin.copy(), twin
    clean.set("sensors.camera.errors", 0.0)
    plain, view, again, other = (first_view(t, seed=s) for t, s in ((clean, 1), (noisy, 1), (noisy, 1), (noisy, 2)))
    error = np.asarray(view.colour).astype(float) - np.asarray(plain.colour)
    # 120,000 numbers: the deviation is known to 1/sqrt(240,000), 0.2 %; rounding adds 1/12 of a step squared
    assert error.std() == pytest.approx(math.hypot(0.02 * 255, math.sqrt(1 / 12)), rel=0.01)
    assert abs(error.mean()) < 5 * 5.1 / math.sqrt(error.size)
    assert (np.asarray(view.depth) - np.asarray(plain.depth)).std() == pytest.approx(0.1, rel=0.02)
    assert np.array_equal(view.colour, again.colour)
    assert not np.array_equal(view.colour, other.colour)


def test_pictures_are_recorded_as_messages_that_others_read(make_twin: Any, tmp_path: Path) -> None:
    from PIL import Image

    twin = look_at(make_twin, {"position": [10.5, 2, 1], "size": [1, 2, 1]}, width=160, height=160, delay=0.05)
    files = [tmp_path / "a.mcap", tmp_path / "b.mcap"]
    for file in files:
        twin.simulate(seed=3).run(0.95, record=file)
    assert files[0].read_bytes() == files[1].read_bytes()
    found: dict[str, list[Any]] = {}
    with files[0].open("rb") as stream:
        for _, channel, record, message in make_reader(stream, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            if channel.topic.startswith("/camera"):
                found.setdefault(channel.topic, []).append((record.log_time, message))
    assert set(found) == {"/camera/image/compressed", "/camera/depth/image", "/camera/camera_info"}
    assert [time for time, _ in found["/camera/depth/image"]] == [round(0.1 * i * 1e9) for i in range(10)]
    image, depth, info = (found[f"/camera/{name}"][0][1] for name in ("image/compressed", "depth/image", "camera_info"))
    assert (image.header.frame_id, depth.encoding, depth.step) == ("camera_optical_frame", "32FC1", 4 * 160)
    assert np.array(Image.open(io.BytesIO(bytes(image.data)))).shape == (160, 160, 3)
    metres = np.frombuffer(bytes(depth.data), "<f4").reshape(160, 160)
    assert metres[np.isfinite(metres)].min() == pytest.approx(10.0, abs=1e-3)
    assert info.k[0] == pytest.approx(80 / math.tan(1.3962634 / 2))
    assert (info.k[2], info.k[5], info.p[2], info.p[6]) == (79.5, 79.5, 79.5, 79.5)  # a pixel's middle is at whole numbers
    assert (info.distortion_model, list(info.d)) == ("plumb_bob", [0.0] * 5)
    assert didymos.Log.load(files[0])["joints.turn.position"].values.size > 0


def _projected(log: Any, info: Any, points: np.ndarray) -> np.ndarray:
    """Columns and rows of points of the world by what the messages say alone: frame, K and D; OpenCV's formulas."""
    pose = [log[f"tf.camera_optical_frame.{name}"].values[-1] for name in (*_POSITION, *_ORIENTATION)]
    x, y, z = Rotation.from_quat([*pose[4:], pose[3]]).inv().apply(points - pose[:3]).T
    x, y = x / z, y / z
    k1, k2, p1, p2, k3 = info.distortion
    r2 = x**2 + y**2
    radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    x, y = (
        x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x**2),
        y * radial + p1 * (r2 + 2 * y**2) + 2 * p2 * x * y,
    )
    return np.array([info.focal * x + (info.width - 1) / 2, info.focal * y + (info.height - 1) / 2])


_POSITION, _ORIENTATION = tuple(f"position.{axis}" for axis in "xyz"), tuple(f"orientation.{axis}" for axis in "wxyz")


@pytest.mark.parametrize(("y", "z"), [(0.0, 0.0), (2.03, 1.01), (-1.517, 0.983), (0.71, -2.22)])
def test_a_plate_is_where_the_messages_say_in_the_optical_frame(make_twin: Any, y: float, z: float) -> None:
    """A thin plate at x = 10, 1 m wide and high: it covers the pixels whose middles lie inside its four projected corners.

    With the centre half a pixel off, or x, y, z in the axes of the link, another set of pixels comes out.
    """
    twin = look_at(make_twin, {"position": [10.0005, y, z], "size": [0.001, 1, 1]}, width=801, height=600, joint=0.1)
    simulation = twin.simulate()
    log = simulation.run(0.03)
    corners = np.array([[10.0, y + a, z + b] for a in (-0.5, 0.5) for b in (-0.5, 0.5)])
    columns, rows = _projected(log, simulation.cameras[0], corners)
    top, bottom, left, right = red_pixels(simulation.views["camera"])
    # turned by 0.1 rad, the plate is a trapezium: its widest and its highest ends
    assert left == math.ceil(columns.min())
    assert right == math.floor(columns.max())
    assert top == pytest.approx(math.ceil(rows.min()), abs=1)
    assert bottom == pytest.approx(math.floor(rows.max()), abs=1)


@pytest.mark.parametrize("lens", [{"k1": -0.25, "k2": 0.05}, {"k1": 0.1, "k3": 0.02}, {"p1": 0.02}, {"p2": -0.03}])
def test_a_lens_bends_the_picture_as_its_camera_info_says(make_twin: Any, lens: dict[str, float]) -> None:
    """A small ball near a corner: the middle of its pixels is where OpenCV's formulas put it, within half of one."""
    box = {"shape": "sphere", "position": [10, 4.5, 3.5], "size": [0.3, 0.3, 0.3]}
    twin = look_at(make_twin, box, width=400, height=300, near=0.1, **lens)
    simulation = twin.simulate()
    log = simulation.run(0.03)
    view, info = simulation.views["camera"], simulation.cameras[0]
    assert dict(zip(("k1", "k2", "p1", "p2", "k3"), info.distortion, strict=True)) == dict.fromkeys(
        ("k1", "k2", "p1", "p2", "k3"), 0.0
    ) | lens
    columns, rows = _projected(log, info, np.array([[10.0, 4.5, 3.5]]))
    bare = np.array([(400 - 1) / 2 - info.focal * 0.45, (300 - 1) / 2 - info.focal * 0.35])
    assert math.hypot(columns[0] - bare[0], rows[0] - bare[1]) > 3.0  # the lens does something here
    colour = np.asarray(view.colour).astype(int)
    assert colour.shape == (300, 400, 3)
    found = np.argwhere(colour[:, :, 0] > 3 * colour[:, :, 1] + 30).mean(axis=0)
    assert found[::-1] == pytest.approx([columns[0], rows[0]], abs=0.5)
    depth = np.asarray(view.depth)
    assert depth[round(rows[0]), round(columns[0])] == pytest.approx(10.0, abs=0.2)
    assert depth[0, 0] == np.inf


def test_every_pixel_of_a_lens_is_solved_for() -> None:
    lens = Lens(320, 200, 180.0, (-0.28, 0.07, 0.001, -0.002, 0.004))
    x, y = lens.points
    seen_x, seen_y = lens.distort(x, y)
    np.testing.assert_allclose(180.0 * seen_x + 159.5, np.tile(np.arange(320.0), (200, 1)), atol=1e-7)
    np.testing.assert_allclose(180.0 * seen_y + 99.5, np.tile(np.arange(200.0)[:, None], (1, 320)), atol=1e-7)


def test_a_lens_that_folds_its_picture_is_refused(make_twin: Any) -> None:
    with pytest.raises(InputError, match="folds its picture"):
        look_at(make_twin, {"position": [5, 0, 0], "size": [1, 1, 1]}, k1=-0.9)


class Watch(Controller):
    """Notes when it saw a new picture."""

    rate = 100

    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []

    def update(self, t: float, measured: Any, setpoints: Any) -> Mapping[str, float]:
        view = measured.camera
        if view.time is not None and (not self.seen or self.seen[-1][1] != view.time):
            self.seen.append((t, view.time))
        return {}


def test_a_program_sees_pictures_after_their_delay(make_twin: Any) -> None:
    twin = look_at(make_twin, {"position": [5, 0, 0], "size": [1, 1, 1]}, width=32, height=32, delay=0.03)
    program = Watch()
    twin.simulate(control=program).run(0.25)
    assert program.seen == [(pytest.approx(0.1 * i + 0.03), pytest.approx(0.1 * i)) for i in range(3)]


def test_a_restored_run_takes_the_same_pictures(make_twin: Any) -> None:
    simulation = look_at(make_twin, {"position": [5, 0, 0], "size": [1, 1, 1]}, width=64, height=64, noise=0.01).simulate()
    simulation.advance(5)
    state = simulation.save()
    simulation.advance(10)
    before = np.array(simulation.views["camera"].colour)
    simulation.restore(state)
    simulation.advance(10)
    assert np.array_equal(before, np.asarray(simulation.views["camera"].colour))
    assert simulation.views["camera"].time == pytest.approx(0.1)


def test_a_camera_that_is_off_costs_nothing(make_twin: Any) -> None:
    twin = look_at(make_twin, {"position": [5, 0, 0], "size": [1, 1, 1]}, enabled=0)
    simulation = twin.simulate()
    simulation.run(0.2)
    assert simulation.views == {}
    assert simulation.cameras == ()


def test_lost_pictures_are_lost_and_no_others(make_twin: Any) -> None:
    twin = look_at(make_twin, {"position": [5, 0, 0], "size": [1, 1, 1]}, width=8, height=8, rate=100, drop_out=0.3)
    simulation = twin.simulate(seed=5)
    simulation.advance(400)
    taken = len(simulation.take_pictures())
    assert taken == pytest.approx(280, abs=4 * math.sqrt(400 * 0.3 * 0.7))


def test_without_opengl_the_error_says_what_to_install(make_twin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUJOCO_GL", "disabled")
    with pytest.raises(InputError, match=INSTALL):
        look_at(make_twin, {"position": [5, 0, 0], "size": [1, 1, 1]}).simulate().run(0.1)


@pytest.mark.parametrize(
    ("keys", "complaint"),
    [
        ({"near": 400.0}, "expected it before far"),
        ({"depth": False, "colour": False}, "at least one of the keys"),
        ({"link": "eyes"}, "there is no link or frame 'eyes', did you mean 'eye'"),
        ({"width": 0}, "found 0, expected a number of at least 1"),
    ],
)
def test_a_camera_that_cannot_be_is_refused(make_twin: Any, keys: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        look_at(make_twin, {"position": [5, 0, 0], "size": [1, 1, 1]}, **keys)
