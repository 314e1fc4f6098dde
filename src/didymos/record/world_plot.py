"""The overview of a world's log: where its robots went, seen from above and over time, how near they came, what is expected.

What the scenario expects stands in the log's metadata, under EXPECTED, as the keys of its expectations; signals of the same name
of several robots share a panel, and dotted lines are the limits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.log import Log
from didymos.record.robots import robot_of, track

__all__ = ["EXPECTED", "NEAREST", "WorldPanel", "draw_plan", "robot_colours", "world_panels"]

EXPECTED = "expected"
"""Name under which a log's metadata has what the scenario of a world expects, as JSON."""

Array = NDArray[np.float64]
NEAREST = "nearest two"
_MOST_PANELS = 8
_MOST_POINTS = 1000  # of a curve of distances
_HAS_LINES = ("min", "max", "mean", "final")
_LABELLED = 40  # robots whose names are written into the plan


@dataclass
class WorldPanel:
    """Curves over time by what each is of, and the heights at which something is expected of them."""

    title: str
    unit: str
    curves: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    limits: set[float] = field(default_factory=set)


def robot_colours(robots: Sequence[str], few: Sequence[str]) -> dict[str, Any]:
    """A colour for each robot: of the few that are told apart with ease, or along a map of them where there are more."""
    if len(robots) <= len(few):
        return dict(zip(robots, few, strict=False))
    import matplotlib

    shades = matplotlib.colormaps["turbo"](np.linspace(0.05, 0.95, len(robots)))
    return dict(zip(robots, shades, strict=True))


def world_panels(log: Log) -> tuple[list[WorldPanel], int]:
    """What is drawn over time, the heights first, and how many more panels there would be."""
    tracks = _tracks(log)
    panels = [WorldPanel("height", "m", {robot: (times, places[:, 2]) for robot, (times, places) in tracks.items()})]
    if len(tracks) > 1:
        label = " to ".join(tracks) if len(tracks) == 2 else NEAREST
        panels.append(WorldPanel("distance", "m", {label: _nearest(tracks)}))
    found: dict[tuple[str, str], WorldPanel] = {}
    for item in _expected(log):
        _add_expected(log, item, panels, found)
    everything = [panel for panel in (*panels, *found.values()) if panel.curves]
    return everything[:_MOST_PANELS], max(0, len(everything) - _MOST_PANELS)


def _expected(log: Log) -> list[Mapping[str, Any]]:
    """What the scenario expects; nothing where the log does not say, or somebody else wrote it."""
    try:
        found = json.loads(log.metadata.get(EXPECTED, "[]"))
        return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    except (ValueError, RecursionError):
        return []


def _add_expected(
    log: Log, item: Mapping[str, Any], panels: list[WorldPanel], found: dict[tuple[str, str], WorldPanel]
) -> None:
    """One expectation as a curve with its limits; what the log does not have is left out."""
    try:
        if item.get("distance"):
            first, second = item["distance"]
            panel, label, curve, unit = panels[-1], f"{first} to {second}", _distance(track(log, first), track(log, second)), "m"
            if panel.title != "distance":  # a log without the truth of its robots
                panel = found.setdefault(("distance", "m"), WorldPanel("distance", "m"))
        else:
            name = str(item["signal"])
            robot = robot_of(name, log.robots)
            own, unit, curve = _curve(log, name, item.get("point"))
            own = own.removeprefix(f"{robot}.") if robot else own
            if own == "truth.position.z":
                panel, label = panels[0], robot
            else:
                panel, label = found.setdefault((own, unit), WorldPanel(own, unit)), robot or own
        panel.limits |= _limits(item)
    except (InputError, KeyError, TypeError, ValueError):
        return
    panel.curves.setdefault(label, curve)


def _curve(log: Log, name: str, point: Any) -> tuple[str, str, tuple[Array, Array]]:
    """What a signal, or the distance of a position from a point, is called, its unit, its times [s] and values."""
    if point is None:
        signal = log[name]
        return name, signal.unit, (signal.time, signal.values)
    axes = [log[f"{name}.{axis}"] for axis in "xyz"]
    place = np.array([point[axis] for axis in "xyz"] if isinstance(point, dict) else list(point), dtype=np.float64)
    away = np.linalg.norm(np.column_stack([axis.values for axis in axes]) - place, axis=1)
    return f"{name} from its place", axes[0].unit, (axes[0].time, away)


def _limits(item: Mapping[str, Any]) -> set[float]:
    """Where the curve shall stay, as far as that is a line."""
    target, bounds = float(item.get("target", 0.0)), [float(item[key]) for key in ("low", "high") if item.get(key) is not None]
    if item.get("measure", "max_error") in _HAS_LINES:
        return {target + bound for bound in bounds}
    return {target + sign * bound for bound in bounds for sign in ((1.0,) if item.get("point") is not None else (-1.0, 1.0))}


def _tracks(log: Log) -> dict[str, tuple[Array, Array]]:
    """Times [s] and positions [m] of the robots that the log has poses of."""
    found = {}
    for robot in log.robots:
        try:
            times, places = track(log, robot)
        except InputError:
            continue
        if len(times):
            found[robot] = times, places
    return found


def _distance(one: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
    """Times [s] of the first of two tracks and their distance [m] there."""
    (times, places), (others, there) = one, other
    beside = np.column_stack([np.interp(times, others, there[:, axis]) for axis in range(3)])
    return times, np.linalg.norm(places - beside, axis=1)


def _nearest(tracks: Mapping[str, tuple[Array, Array]]) -> tuple[Array, Array]:
    """The distance [m] of the two root links that are nearest to each other, over time."""
    times = next(iter(tracks.values()))[0]
    times = times[:: -(-len(times) // _MOST_POINTS)]
    places = [np.column_stack([np.interp(times, t, p[:, axis]) for axis in range(3)]) for t, p in tracks.values()]
    nearest = np.full(len(times), np.inf)
    for one, other in combinations(places, 2):
        np.minimum(nearest, np.linalg.norm(one - other, axis=1), out=nearest)
    return times, nearest


def draw_plan(ax: Any, log: Log, colours: Mapping[str, Any]) -> None:
    """The paths of all robots from above: a ring where each begins, a dot and its name where it ends."""
    tracks = _tracks(log)
    if not tracks:
        raise InputError("the log has no poses of robots")
    for robot, (_, places) in tracks.items():
        colour = colours[robot]
        ax.plot(places[:, 0], places[:, 1], color=colour, linewidth=1.3)
        ax.plot(*places[0, :2], "o", color=colour, markerfacecolor="white", markersize=4.5)
        ax.plot(*places[-1, :2], "o", color=colour, markersize=4.5)
        if len(tracks) <= _LABELLED:
            ax.annotate(robot, places[-1, :2], xytext=(4, 4), textcoords="offset points", fontsize=8, color="#333333")
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    ax.set_title("from above [m]: ○ begin, ● end")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
