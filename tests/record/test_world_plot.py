"""The overview of a world's log: paths, heights, distances, and what is expected of the run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record import Kind, Log, StreamLayout
from didymos.record.expected import EXPECTED, Limit
from didymos.record.panel import Panel
from didymos.record.robots import robot_of, track
from didymos.record.style import COLOURS, new_figure
from didymos.record.world_plot import NEAREST, draw_plan, robot_colours, world_panels

POSITION = tuple(f"position.{axis}" for axis in "xyz")
TURNED = tuple(f"orientation.{axis}" for axis in "wxyz")


def world_log(robots: dict[str, np.ndarray], times: dict[str, np.ndarray] | None = None, **metadata: str) -> Log:
    """A log of robots whose root links moved like this, shape [n, 3] each."""
    layouts = [StreamLayout(f"{name}.truth", Kind.SCALARS, POSITION, ("m",) * 3, namespace=name) for name in robots]
    log = Log(layouts, metadata)
    for i, (name, places) in enumerate(robots.items()):
        log.append(i, times[name] if times else np.arange(len(places)) / 10.0, places)
    return log


def line(start: list[float], end: list[float], count: int = 11) -> np.ndarray:
    return np.linspace(start, end, count)


@pytest.mark.parametrize(
    ("signal", "robot"),
    [("a.imu.gyro.x", "a"), ("tf.b/arm.position.x", "b"), ("world.momentum.linear.x", ""), ("tf.c/arm.x", ""), ("ab.x", "")],
)
def test_a_signal_belongs_to_the_robot_that_it_names(signal: str, robot: str) -> None:
    assert robot_of(signal, {"a", "b"}) == robot


def test_the_nearest_two_are_those_of_each_instant() -> None:
    """b passes a in the middle of the time, c stays 5 m away from where b begins."""
    log = world_log({
        "a": line([0, 0, 0], [0, 0, 0]), "b": line([-10, 1, 0], [10, 1, 0]), "c": line([-10, 6, 0], [-10, 6, 0]),
    })  # fmt: skip
    (height, distance), more = world_panels(log)
    assert (height.title, set(height.curves), more) == ("height", {"a", "b", "c"}, [])
    times, nearest = distance.curves[NEAREST]
    x = np.linspace(-10, 10, 11)
    expected = np.minimum(np.hypot(x, 1.0), np.minimum(np.hypot(x + 10.0, 5.0), np.hypot(10.0, 6.0)))
    assert nearest == pytest.approx(expected)
    assert times == pytest.approx(np.arange(11) / 10.0)


def test_robots_that_are_mounted_on_each_other_are_not_near_each_other() -> None:
    """An arm 0.1 m above its base, and a drone that waits 3 m ahead of where both end."""
    base, arm = line([0, 0, 0], [4, 0, 0]), line([0, 0, 0.1], [4, 0, 0.1])
    _, distance = world_panels(world_log({"base": base, "arm": arm, "drone": line([7, 0, 0], [7, 0, 0])}))[0]
    assert distance.curves[NEAREST][1] == pytest.approx(np.linspace(7.0, 3.0, 11), abs=0.01)
    assert [panel.title for panel in world_panels(world_log({"base": base, "arm": arm}))[0]] == ["height"]


def test_robots_of_other_rates_are_compared_at_the_same_times() -> None:
    times = {"a": np.array([0.0, 1.0, 2.0]), "b": np.array([0.0, 2.0])}
    log = world_log({"a": np.zeros((3, 3)), "b": line([2, 0, 0], [4, 0, 0], 2)}, times)
    _, distance = world_panels(log)[0]
    assert distance.curves["a to b"][1] == pytest.approx([2.0, 3.0, 4.0])


def test_what_is_expected_is_drawn_with_its_limits_and_robots_share_panels() -> None:
    expected = [
        {"name": "apart", "signal": "distance", "distance": ["a", "c"], "measure": "min", "low": 1.5},
        {"name": "a height", "signal": "a.truth.position.z", "target": 1.0, "high": 0.25},
        {"name": "a x", "signal": "a.truth.position.x", "measure": "final", "low": -1.0, "high": 2.0},
        {"name": "b x", "signal": "b.truth.position.x", "measure": "final", "low": -1.0, "high": 2.0},
        {"name": "place", "signal": "c.truth.position", "point": {"x": 0.0, "y": 3.0, "z": 4.0}, "measure": "max", "high": 3.0},
        {"name": "gone", "signal": "d.truth.position.x", "high": 1.0},
        {"name": "nonsense", "distance": ["a"], "high": 1.0},
    ]
    robots = {"a": line([0, 0, 1], [0, 0, 1]), "b": line([1, 0, 1], [1, 0, 1]), "c": line([0, 3, 0], [0, 3, 0])}
    panels, more = world_panels(world_log(robots, **{EXPECTED: json.dumps(expected)}))
    height, distance, place, along = panels  # what was missed comes before what was met
    assert [panel.missed for panel in panels] == [False, False, True, False]
    assert height.limits == {Limit(0.75, side=-1), Limit(1.25, side=1)}
    assert set(distance.curves) == {NEAREST, "a to c"}
    assert distance.limits == {Limit(1.5, side=-1)}
    assert distance.curves["a to c"][1] == pytest.approx(np.full(11, np.sqrt(10.0)))
    ends = {Limit(value, at_end=True, side=side) for value, side in ((-1.0, -1), (2.0, 1))}
    assert (along.title, set(along.curves), along.limits) == ("truth.position.x", {"a", "b"}, ends)
    assert place.curves["c"][1] == pytest.approx(np.full(11, 4.0))
    assert place.limits == {Limit(3.0, side=1)}
    assert more == []


def test_places_as_seen_from_a_robot_and_the_nearest_of_all_are_drawn() -> None:
    seen = {"of": "b", "to": "a", "axes": "world"}
    expected = [
        {"name": "place", "signal": "relative", "relative": seen, "point": {"x": 1.0}, "after": 0.4, "high": 0.5},
        {"name": "side", "signal": "relative", "relative": {**seen, "along": "y"}, "before": 0.6, "high": 0.2},
        {"name": "apart", "signal": "distance", "distance": ["a", "b", "c"], "measure": "min", "low": 0.3},
    ]
    robots = {"a": line([0, 0, 0], [0, 0, 1]), "b": line([1, 1, 0], [1, 1, 1]), "c": line([0, 9, 0], [0, 8, 1])}
    layouts = [StreamLayout(f"{name}.truth", Kind.SCALARS, (*POSITION, *TURNED), ("m",) * 3 + ("1",) * 4, namespace=name)
               for name in robots]  # fmt: skip
    log = Log(layouts, {EXPECTED: json.dumps(expected)})
    for i, places in enumerate(robots.values()):
        log.append(i, np.arange(11) / 10.0, np.column_stack([places, np.ones(11), np.zeros((11, 3))]))
    (_, distance, place, side), _ = world_panels(log)
    assert set(distance.curves) == {NEAREST}
    assert distance.limits == {Limit(0.3, side=-1)}
    assert place.title == "distance from its place seen from a"
    assert place.curves["b"][1] == pytest.approx(np.ones(11))
    assert [(span, limit.value) for span, limit in place.lines()] == [((0.4, 1.0), 0.5)]
    assert side.curves["b"][1] == pytest.approx(np.ones(11))
    assert [(span, limit.value) for span, limit in side.lines()] == [((0.0, 0.6), -0.2), ((0.0, 0.6), 0.2)]


def test_a_limit_of_the_end_is_drawn_there() -> None:
    limits = {Limit(1.0, at_end=True), Limit(2.0, after=11.0)}
    panel = Panel("height", "m", {"a": (np.array([0.0, 10.0]), np.zeros(2))}, limits)
    assert panel.lines() == [((9.0, 10.0), Limit(1.0, at_end=True))]


@pytest.mark.parametrize("text", ["", "{", "3", "[3]", '[{"signal": 3}]', "[" * 5000])
def test_words_of_others_about_what_is_expected_are_left_out(text: str) -> None:
    panels, _ = world_panels(world_log({"a": np.zeros((2, 3))}, **{EXPECTED: text}))
    assert [panel.title for panel in panels] == ["height"]


def test_there_are_colours_for_any_number_of_robots() -> None:
    few, many = [f"q{i}" for i in range(8)], [f"q{i}" for i in range(30)]
    assert tuple(robot_colours(few, COLOURS).values()) == COLOURS
    assert len({tuple(colour) for colour in robot_colours(many, COLOURS).values()}) == 30


def test_the_overview_of_a_world_is_one_picture_the_same_each_time(tmp_path: Path) -> None:
    log = world_log({f"q{i}": line([i, 0, 0], [i, 1, 1]) for i in range(12)})
    first, second = (log.plot(path=tmp_path / f"{i}.png").read_bytes() for i in range(2))
    assert first == second
    assert first != log.of_robot("q3").plot(path=tmp_path / "one.png").read_bytes()


def test_the_plan_shows_begin_and_end_of_each_robot() -> None:
    from didymos.record.style import new_figure

    ax = new_figure(4, 4).subplots()
    draw_plan(ax, world_log({"a": line([0, 0, 0], [1, 2, 3]), "b": line([5, 0, 0], [5, 1, 0])}), {"a": "red", "b": "blue"})
    ends = [tuple(line.get_xydata()[0]) for line in ax.lines if len(line.get_xydata()) == 1]
    assert ends == [(0.0, 0.0), (1.0, 2.0), (5.0, 0.0), (5.0, 1.0)]
    assert [text.get_text() for text in ax.texts] == ["a", "b"]
    with pytest.raises(InputError, match="no poses of robots"):
        draw_plan(ax, Log([StreamLayout("a.x", Kind.SCALARS, ("y",), ("m",), namespace="a")]), {})


def test_a_link_leaves_a_track_of_its_own() -> None:
    layout = StreamLayout("tf", Kind.SCALARS, tuple(f"a/arm.{name}" for name in POSITION), ("m",) * 3)
    log = Log([layout])
    log.append(0, [0.0, 1.0], [[1, 2, 3], [4, 5, 6]])
    assert track(log, "a.arm")[1].tolist() == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(InputError, match="no run records"):
        track(log, "a")


@pytest.mark.parametrize(("apart", "written"), [(0.2, {"a, b"}), (2.0, {"a", "b"})])
def test_names_of_robots_that_come_together_from_far_are_not_written_over_each_other(apart: float, written: set[str]) -> None:
    """As of a drone that lands on a deck: how close is close, the whole plan says, not the places where they end."""
    figure = new_figure(5.0, 5.0)
    ax = figure.add_subplot()
    ways = {"a": line([0, 0, 0], [10, 0, 0]), "b": line([0, 10, 0], [10 - apart, 0, 0])}
    draw_plan(ax, world_log(ways), robot_colours(("a", "b"), COLOURS))
    assert {text.get_text() for text in ax.texts} == written
