"""The overview of a world's log: where its robots went, seen from above and over time, how near they came, what is expected.

What the scenario expects stands in the log's metadata (`expected.py`); signals of the same name of several robots share a panel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from didymos.errors import InputError
from didymos.record.expected import Expectation, expectations
from didymos.record.formula_limits import formula_limits
from didymos.record.log import Log
from didymos.record.panel import Array, Panel
from didymos.record.relations import SPANS
from didymos.record.robots import robot_of, track

__all__ = ["NEAREST", "draw_plan", "robot_colours", "world_panels"]

NEAREST = "nearest two"
_MOST_PANELS = 7  # and the plan
_MOST_POINTS = 1000  # of a curve of distances
_SMALLEST = 0.1  # [m] of the plan: less is no way
_FIRM = 1e-6  # [m] by which the distance of two that are mounted on each other changes, wherever they go
_LABELLED = 40  # robots whose names are written into the plan


def robot_colours(robots: Sequence[str], few: Sequence[str]) -> dict[str, Any]:
    """A colour for each robot: of the few that are told apart with ease, or along a map of them where there are more."""
    if len(robots) <= len(few):
        return dict(zip(robots, few, strict=False))
    import matplotlib

    shades = matplotlib.colormaps["turbo"](np.linspace(0.05, 0.95, len(robots)))
    return dict(zip(robots, shades, strict=True))


def world_panels(log: Log) -> tuple[list[Panel], list[str]]:
    """What is drawn over time, the heights first, then what was missed; and the titles of what has no place."""
    tracks = _tracks(log)
    always = [Panel("height", "m", {robot: (times, places[:, 2]) for robot, (times, places) in tracks.items()})]
    if len(tracks) > 1:
        label = " to ".join(tracks) if len(tracks) == 2 else NEAREST
        always += [Panel("distance", "m", {label: curve}) for curve in [_nearest(tracks)] if curve is not None]
    panels = {(panel.title, panel.unit): panel for panel in always}
    for item in expectations(log):
        try:
            _add_expected(log, item, panels)
        except (InputError, KeyError, TypeError, ValueError):
            continue  # the log does not have it
    expected = sorted(list(panels.values())[len(always) :], key=lambda panel: not panel.missed)
    everything = [panel for panel in (*always, *expected) if panel.curves]
    return everything[:_MOST_PANELS], [panel.title for panel in everything[_MOST_PANELS:]]


def _add_expected(log: Log, item: Expectation, panels: dict[tuple[str, str], Panel]) -> None:
    """One expectation as a curve with its limits and its verdict, in the panel of its title and unit."""
    if item.stl is None:
        curves = {_title(log, item): (item.series(log), item.limits)}
    else:
        curves = {_place_of(log, name): ((log[name].time, log[name].values, log[name].unit), limits)
                  for name, limits in formula_limits(item.stl).items()}  # fmt: skip
    verdict = item.verdict(log, next(iter(curves.values()))[0] if item.stl is None else None)
    for number, ((title, label), ((times, values, unit), limits)) in enumerate(curves.items()):
        panel = panels.setdefault((title, unit), Panel(title, unit))
        if len(times):
            panel.curves[label] = times, values
            panel.limits |= limits
        panel.verdicts += [verdict] if number == 0 and verdict is not None else []


def _place_of(log: Log, name: str, what: str = "") -> tuple[str, str]:
    """The title of the panel of a signal, and the name of its curve: that of the robot."""
    robot = robot_of(name, log.robots)
    own = (name.removeprefix(f"{robot}.") if robot else name) + what
    return ("height" if own == "truth.position.z" else own), robot or own


def _title(log: Log, item: Expectation) -> tuple[str, str]:
    """Where an expectation belongs: the title of its panel, the name of its curve."""
    if item.distance:
        ends = item.distance
        label = " to ".join(ends) if len(ends) == 2 else NEAREST if set(ends) == set(log.robots) else f"nearest of {len(ends)}"
        return "distance", label
    if item.relative:
        along = str(item.relative.get("along", "space"))
        what = "distance from its place" if item.point is not None else "distance" if along in SPANS else along
        rate = ", its rate" if item.relative.get("rate") else ""
        return f"{what} seen from {item.relative['to']}{rate}", str(item.relative["of"])
    return _place_of(log, str(item.signal), " from its place" if item.point is not None else "")


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


def _nearest(tracks: Mapping[str, tuple[Array, Array]]) -> tuple[Array, Array] | None:
    """The distance [m] of the two root links that are nearest to each other, over time; None of robots that are mounted."""
    times = next(iter(tracks.values()))[0]
    times = times[:: -(-len(times) // _MOST_POINTS)]
    places = [np.column_stack([np.interp(times, t, p[:, axis]) for axis in range(3)]) for t, p in tracks.values()]
    nearest = np.full(len(times), np.inf)
    for one, other in combinations(places, 2):
        distance = np.linalg.norm(one - other, axis=1)
        if not (np.ptp(distance) < _FIRM and max(np.ptp(place, axis=0).max() for place in (one, other)) > _SMALLEST):
            np.minimum(nearest, distance, out=nearest)
    return (times, nearest) if np.isfinite(nearest).all() else None


def draw_plan(
    ax: Any, log: Log, colours: Mapping[str, Any], start: float | None = None, end: float | None = None
) -> None:
    """The paths of all robots from above between two times [s]: a ring where each begins, a dot and its name where it ends."""
    tracks = {}
    for robot, (times, places) in _tracks(log).items():
        inside = (times >= (-np.inf if start is None else start)) & (times <= (np.inf if end is None else end))
        if inside.any():
            tracks[robot] = times[inside], places[inside]
    if not tracks:
        raise InputError("the log has no poses of robots")
    for robot, (_, places) in tracks.items():
        colour = colours[robot]
        ax.plot(places[:, 0], places[:, 1], color=colour, linewidth=1.3)
        ax.plot(*places[0, :2], "o", color=colour, markerfacecolor="white", markersize=4.5)
        ax.plot(*places[-1, :2], "o", color=colour, markersize=4.5)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.12)
    every = np.concatenate([places[:, :2] for _, places in tracks.values()])
    width = float(np.ptp(every, axis=0).max())
    if len(tracks) <= _LABELLED:
        for place, name in _labels({robot: places[-1, :2] for robot, (_, places) in tracks.items()}, width):
            ax.annotate(name, place, xytext=(4, 4), textcoords="offset points", fontsize=8, color="#333333")
    if width < _SMALLEST:  # they all stood still
        (x, y), half = every.mean(axis=0), 0.5 * _SMALLEST
        ax.set_xlim(x - half, x + half)
        ax.set_ylim(y - half, y + half)
    ax.set_title("from above [m]: ○ begin, ● end")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")


def _labels(ends: Mapping[str, Array], width: float) -> list[tuple[Array, str]]:
    """Places [m] and what is written there: robots that end close to each other in a plan so wide [m] share a row."""
    close = 0.04 * max(width, 1.0)
    found: list[tuple[Array, list[str]]] = []
    for robot, place in ends.items():
        near = next((names for other, names in found if float(np.linalg.norm(other - place)) < close), None)
        if near is None:
            found.append((place, [robot]))
        else:
            near.append(robot)
    return [(place, ", ".join(names)) for place, names in found]
