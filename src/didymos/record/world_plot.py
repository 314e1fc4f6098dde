"""The overview of a world's log: where its robots went, seen from above and over time, how near they came, what is expected.

What the scenario expects stands in the log's metadata, under EXPECTED, as the keys of its expectations; signals of the same name
of several robots share a panel, and dotted lines are the limits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.log import Log
from didymos.record.relations import SPANS, distance_of, relative_of
from didymos.record.robots import robot_of, track

__all__ = ["EXPECTED", "NEAREST", "Limit", "WorldPanel", "draw_plan", "robot_colours", "world_panels"]

EXPECTED = "expected"
"""Name under which a log's metadata has what the scenario of a world expects, as JSON."""

Array = NDArray[np.float64]
NEAREST = "nearest two"
_MOST_PANELS = 8
_MOST_POINTS = 1000  # of a curve of distances
_HAS_LINES = ("min", "max", "mean", "final")
_SMALLEST = 0.1  # [m] of the plan: less is no way
_LABELLED = 40  # robots whose names are written into the plan


@dataclass(frozen=True)
class Limit:
    """A value that a curve shall keep, from a time on and until another [s], or at the end of the run."""

    value: float
    after: float = 0.0
    before: float = math.inf
    at_end: bool = False


@dataclass
class WorldPanel:
    """Curves over time by what each is of, and what is expected of them."""

    title: str
    unit: str
    curves: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    limits: set[Limit] = field(default_factory=set)

    def lines(self) -> list[tuple[tuple[float, float], float]]:
        """From when to when [s] a limit is drawn, and at which value: at the end of the run where only its last sample counts."""
        first = min(float(times[0]) for times, _ in self.curves.values() if len(times))
        last = max(float(times[-1]) for times, _ in self.curves.values() if len(times))
        found = []
        for limit in sorted(self.limits, key=lambda limit: (limit.value, limit.after)):
            begin = last - 0.1 * (last - first) if limit.at_end else max(first, limit.after)
            end = min(last, limit.before)
            if begin <= end:
                found.append(((begin, end), limit.value))
        return found


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
        title, label, curve, unit = _seen_of(log, item)
        limits = _limits(item)
    except (InputError, KeyError, TypeError, ValueError):
        return
    panel = next((panel for panel in panels if (panel.title, panel.unit) == (title, unit)), None)
    if panel is None:
        panel = found.setdefault((title, unit), WorldPanel(title, unit))
    if len(curve[0]):
        panel.curves.setdefault(label, curve)
        panel.limits |= limits


def _seen_of(log: Log, item: Mapping[str, Any]) -> tuple[str, str, tuple[Array, Array], str]:
    """Where an expectation belongs: the title of its panel, the name of its curve; its times [s] and values, and their unit."""
    if item.get("distance"):
        ends = [str(end) for end in item["distance"]]
        label = " to ".join(ends) if len(ends) == 2 else NEAREST if set(ends) == set(log.robots) else f"nearest of {len(ends)}"
        times, values, unit = distance_of(ends, log, {})
        return "distance", label, (times, values), unit
    if item.get("relative"):
        from didymos.describe.world_file import RelativeSpec
        from didymos.spec import Vector

        about, point = RelativeSpec.model_validate(item["relative"]), item.get("point")
        place = None if point is None else Vector(**dict(zip("xyz", _numbers(point), strict=True)))
        times, values, unit = relative_of(about, place, log, {})
        what = "distance from its place" if point is not None else "distance" if about.along in SPANS else about.along
        return f"{what} seen from {about.to}{', its rate' if about.rate else ''}", about.of, (times, values), unit
    name = str(item["signal"])
    robot = robot_of(name, log.robots)
    own, unit, curve = _curve(log, name, item.get("point"))
    own = own.removeprefix(f"{robot}.") if robot else own
    return ("height" if own == "truth.position.z" else own), robot or own, curve, unit


def _numbers(point: Any) -> list[float]:
    """The coordinates of a point, by axis or in a row."""
    return [float(value) for value in ([point.get(axis, 0.0) for axis in "xyz"] if isinstance(point, dict) else point)]


def _curve(log: Log, name: str, point: Any) -> tuple[str, str, tuple[Array, Array]]:
    """What a signal, or the distance of a position from a point, is called, its unit, its times [s] and values."""
    if point is None:
        signal = log[name]
        return name, signal.unit, (signal.time, signal.values)
    axes = [log[f"{name}.{axis}"] for axis in "xyz"]
    away = np.linalg.norm(np.column_stack([axis.values for axis in axes]) - _numbers(point), axis=1)
    return f"{name} from its place", axes[0].unit, (axes[0].time, away)


def _limits(item: Mapping[str, Any]) -> set[Limit]:
    """Where the curve shall stay, as far as that is a line."""
    target, bounds = float(item.get("target", 0.0)), [float(item[key]) for key in ("low", "high") if item.get(key) is not None]
    kind, about = item.get("measure", "max_error"), item.get("relative")
    before = math.inf if item.get("before") is None else float(item["before"])
    length = about.get("along", "space") in SPANS if about else bool(item.get("point") or item.get("distance"))
    signs = (1.0,) if kind in _HAS_LINES or length else (-1.0, 1.0)
    values = {target + sign * bound for bound in bounds for sign in signs}
    return {Limit(value, float(item.get("after", 0.0)), before, kind == "final") for value in values}


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
    every = np.concatenate([places[:, :2] for _, places in tracks.values()])
    if float(np.ptp(every, axis=0).max()) < _SMALLEST:  # they all stood still
        (x, y), half = every.mean(axis=0), 0.5 * _SMALLEST
        ax.set_xlim(x - half, x + half)
        ax.set_ylim(y - half, y + half)
    ax.set_title("from above [m]: ○ begin, ● end")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
