"""Pictures: what goes into which panel, and that drawing has no side effects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record import Kind, Log, StreamLayout, plot
from didymos.record.overview import grouped, overview
from didymos.record.plane import draw_plane, read_chains
from didymos.record.style import COLOURS, new_figure, unit_label


def titles(log: Log, *names: str) -> dict[str, list[str]]:
    panels = grouped([signal for name in names for signal in log.select(name)])
    return {panel.title: list(panel.curves) for panel in panels}


def test_vectors_and_quantities_share_panels(full_log: Log) -> None:
    assert titles(full_log, "joints") == {
        "joints · position": ["motor1_to_axle1", "knee"],
        "joints · velocity": ["motor1_to_axle1", "knee"],
        "joints · effort": ["motor1_to_axle1", "knee"],
    }
    assert titles(full_log, "some.imu.gyro", "tf.body.orientation") == {
        "some.imu.gyro": ["x", "y", "z"],
        "tf.body.orientation": ["w", "x", "y", "z"],
    }


def test_other_units_get_other_panels(full_log: Log) -> None:
    panels = grouped(full_log.select("setpoints"))
    assert [(panel.title, panel.unit) for panel in panels] == [
        ("setpoints", "m"),
        ("setpoints.motor1.thrust", "N"),
        ("setpoints.yaw", "rad"),
    ]


def test_no_curve_is_dropped_from_a_crowded_panel() -> None:
    log = Log([StreamLayout("s", Kind.SCALARS, tuple(f"c{i}" for i in range(19)), ("m",) * 19)])
    log.append(0, [0.0], np.arange(19.0)[None])  # equal ones would be one curve
    assert {title: len(labels) for title, labels in titles(log, "s").items()} == {
        "s (1 of 3)": 8, "s (2 of 3)": 8, "s (3 of 3)": 3
    }  # fmt: skip


def test_the_overview_shows_the_state_first_and_no_transforms(full_log: Log) -> None:
    panels, left = overview(full_log)
    names = [name for panel in panels for name in panel.signals]
    assert "some.odometry.position.x" in panels[0].signals
    assert not [name for name in (*names, *left) if name.startswith(("tf", "some.laser_scan"))]


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_pictures_are_drawn_and_are_the_same_each_time(
    tmp_path: Path, full_log: Log, suffix: str, magic: bytes
) -> None:
    first = full_log.plot("some.imu.gyro", "setpoints", path=tmp_path / f"a.{suffix}").read_bytes()
    assert first.startswith(magic)
    assert plot(full_log, ["some.imu.gyro", "setpoints"], tmp_path / f"b.{suffix}").read_bytes() == first


def test_the_overview_is_drawn(tmp_path: Path, full_log: Log) -> None:
    assert full_log.plot(path=tmp_path / "all.png").stat().st_size > 10_000


def test_what_cannot_be_drawn_is_refused(tmp_path: Path, full_log: Log) -> None:
    with pytest.raises(InputError, match=r"\.png, \.svg or \.pdf, not '\.gif'"):
        full_log.plot("setpoints", path=tmp_path / "x.gif")
    with pytest.raises(InputError, match="did you mean 'setpoints'"):
        full_log.plot("setponts", path=tmp_path / "x.png")
    with pytest.raises(InputError, match="cannot be written"):
        full_log.plot("setpoints", path=tmp_path / "missing" / "x.png")
    with pytest.raises(InputError, match="nothing to plot"):
        Log([StreamLayout("clock", Kind.CLOCK, (), ())]).plot(path=tmp_path / "x.png")


def test_units_are_shown_as_people_write_them() -> None:
    assert [unit_label(unit) for unit in ("m/s^2", "N m", "")] == ["[m/s²]", "[N·m]", ""]


def test_importing_the_room_and_drawing_load_nothing_needless(tmp_path: Path) -> None:
    program = """
import sys
import didymos.record as record
heavy = {"matplotlib", "rosbags", "mcap", "lz4"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
log = record.Log([record.StreamLayout("a", record.Kind.SCALARS, ("x",), ("m",))])
log.append(0, [0.0, 1.0], [[1.0], [2.0]])
log.plot("a", path=sys.argv[1])
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "a.png")], check=True)


def test_the_plane_joins_the_links_of_a_chain_and_names_one_that_is_not_there(tmp_path: Path) -> None:
    columns = [f"{link}.{part}" for link in ("base", "hand") for part in
               ("position.x", "position.y", "position.z", *(f"orientation.{axis}" for axis in "wxyz"))]  # fmt: skip
    layouts = [
        StreamLayout("tf", Kind.TF, tuple(columns), ("",) * len(columns), labels=("base", "hand")),
        StreamLayout("force", Kind.SCALARS, ("x",), ("N",)),
    ]
    log = Log(layouts, {})
    times = np.linspace(0.0, 1.0, 21)
    rows = np.zeros((21, 14))
    rows[:, 3] = rows[:, 10] = 1.0
    rows[:, 0], rows[:, 7], rows[:, 8] = times, 2.0 + times, 1.0
    log.append(0, times, rows)
    log.append(1, times, times[:, None])
    assert read_chains(log, ["base, hand", "hand"]) == [("base", "hand"), ("hand",)]
    figure = new_figure(6.0, 4.0)
    ax = figure.add_subplot()
    draw_plane(ax, log, [("base", "hand")], COLOURS)
    paths = {line.get_label(): line.get_xydata() for line in ax.get_lines() if not line.get_label().startswith("_")}
    assert set(paths) == {"base", "hand"}
    np.testing.assert_allclose(paths["hand"][-1], [3.0, 1.0])
    joined = [line.get_xydata() for line in ax.get_lines() if line.get_marker() == "o"]
    np.testing.assert_allclose(joined, [[[t, 0.0], [2.0 + t, 1.0]] for t in (0.0, 0.25, 0.5, 0.75, 1.0)])
    picture = log.plot("force", path=tmp_path / "plane.png", plane=["base,hand"])
    assert picture.stat().st_size > 1000
    with pytest.raises(InputError, match=r"no poses of a link 'hend', did you mean 'hand'"):
        log.plot(path=tmp_path / "plane.png", plane=["base,hend"])
