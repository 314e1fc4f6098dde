"""The overview of a log: first what the scenario is about, then what was asked and what came of it, the inputs, and the rest.

    1. what is expected, with its limits; what was missed first          at most 5 panels
    2. set-points against what they ask for, unless it is drawn already   2
    3. inputs                                                             2
    4. the first pose, then sensors, joints and parts; what moves first   until 8 are full, or 4 where nothing moves

What has no place is named, as `plot` and `select` take it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from didymos.errors import InputError
from didymos.record.expected import Expectation, expectations
from didymos.record.formula_limits import formula_limits
from didymos.record.log import Log, Signal
from didymos.record.panel import Panel, alike
from didymos.record.setpoint_pairs import setpoint_of, setpoints_in_use
from didymos.record.stream import Kind

__all__ = ["MOST_CURVES", "MOST_PANELS", "group_of", "grouped", "overview"]

MOST_PANELS = 8
MOST_CURVES = 8
_ENOUGH = 4  # panels, where all others would show what stands still
_EXPECTED, _ASKED, _INPUTS = 5, 2, 2  # panels
_ORDER = (
    Kind.ODOMETRY, Kind.POSE, Kind.SCALARS, Kind.IMU, Kind.JOINT_STATES, Kind.TWIST, Kind.WRENCH, Kind.NAVSAT,
    Kind.MAGNETIC_FIELD, Kind.PRESSURE, Kind.RANGE,
)  # fmt: skip


def overview(log: Log) -> tuple[list[Panel], list[str]]:
    """The panels, and names of what is not shown."""
    expected = sorted(_expected(log), key=lambda panel: not panel.missed)
    asked = _asked(log, _shown(expected))
    first, later = expected[:_EXPECTED] + asked[:_ASKED], expected[_EXPECTED:] + asked[_ASKED:]
    done = _shown([*expected, *asked])
    rest = [signal for signal in _worth_a_look(log) if signal.name not in done]
    inputs = _moving_first(grouped([signal for signal in rest if signal.name.startswith("inputs.")]))
    others = [signal for signal in rest if not signal.name.startswith("inputs.")]
    groups = grouped(others) if "twin" in log.metadata else list(_groups_of_others(others, log))
    told = max(1, min(_INPUTS, sum(panel.stillness == 0 for panel in inputs)))  # one where all are at rest
    panels = [*first, *inputs[:told]]
    moving = _moving_first(groups)
    alive = sum(panel.stillness < 2 for panel in moving)
    room = min(max(0, MOST_PANELS - len(panels)), max(alive, _ENOUGH - len(panels)))
    panels += moving[:room]
    left = [*later, *inputs[told:], *moving[room:]]
    return panels[:MOST_PANELS], list(dict.fromkeys(_name(panel) for panel in left))


def _shown(panels: Sequence[Panel]) -> set[str]:
    return {name for panel in panels for name in panel.signals}


def grouped(signals: Sequence[Signal]) -> list[Panel]:
    """Signals in panels: the axes of a vector in one, and one quantity of all joints or parts, at most 8 curves in each.

    Curves that are equal are drawn as one (`panel.tidy`), and count as one.
    """
    groups: dict[tuple[str, str], list[tuple[str, Signal]]] = {}
    for signal in signals:
        title, label = group_of(signal.name)
        groups.setdefault((title, signal.unit), []).append((label, signal))
    panels = []
    for (title, unit), members in groups.items():
        if len(members) == 1:  # which the title names
            members = [(members[0][1].name, members[0][1])]
            title = members[0][0]
        curves = {label: (signal.time, signal.values) for label, signal in members}
        names = {label: signal.name for label, signal in members}
        drawn = alike(curves)
        pieces = -(-len(drawn) // MOST_CURVES)
        for i in range(pieces):
            part = {label for labels in drawn[i * MOST_CURVES : (i + 1) * MOST_CURVES] for label in labels}
            own = {label: curve for label, curve in curves.items() if label in part}
            count = f" ({i + 1} of {pieces})" if pieces > 1 else ""
            panels.append(Panel(title + count, unit, own, signals={names[label] for label in part}))
    return panels


def group_of(name: str) -> tuple[str, str]:
    """Title of the panel to which a signal belongs, and its label there.

    What a program reports is named by the quantity, then by whose it is (`control.error.elbow`); joints and parts the other way
    round.
    """
    parts = name.split(".")
    if parts[-1] in ("w", "x", "y", "z") or len(parts) < 3 or parts[0] == "control":
        return ".".join(parts[:-1]), parts[-1]
    return f"{parts[0]} · {parts[-1]}", ".".join(parts[1:-1])


def _name(panel: Panel) -> str:
    """What to say in order to see a panel."""
    return panel.title.partition(" (")[0].replace(" · ", ".*.") or next(iter(panel.curves), "")


def _moving_first(panels: Sequence[Panel]) -> list[Panel]:
    return sorted(panels, key=lambda panel: panel.stillness)  # a stable sort


def _expected(log: Log) -> list[Panel]:
    """A panel for each signal that is looked at; those of one group with the same limits share one."""
    found: dict[str, Panel] = {}
    for item in expectations(log):
        try:
            _add(log, item, found)
        except (InputError, KeyError, TypeError, ValueError):
            continue  # the log does not have it
    shared: dict[tuple[object, ...], list[Panel]] = {}
    for name, panel in found.items():
        title, label = group_of(name) if " " not in name else (panel.title.partition(" from (")[0], next(iter(panel.curves)))
        panels = shared.setdefault((title or name, panel.unit, frozenset(panel.limits)), [])
        if panels and _has_room(panels[-1], panel):
            _share(panels[-1], panel, title, label)
        else:
            panels.append(panel)
    return [panel for panels in shared.values() for panel in panels]


def _has_room(panel: Panel, other: Panel) -> bool:
    """Whether the curve of another panel can be drawn in one as well, and still be told from the others."""
    curves = {**panel.curves, "other": next(iter(other.curves.values()))}
    return len(alike(curves, [limit.value for limit in panel.limits])) <= MOST_CURVES


def _share(panel: Panel, other: Panel, title: str, label: str) -> None:
    """Draw the curve of another panel in one, under a label; the first that was there has its whole name as yet."""
    if panel.title != title:
        only = next(iter(panel.curves))
        panel.curves = {group_of(only)[1] if " " not in only else only: panel.curves[only]}
        panel.setpoints = dict(zip(panel.curves, panel.setpoints.values(), strict=False))
        panel.title = title
    panel.curves[label] = next(iter(other.curves.values()))
    panel.setpoints |= dict(zip((label,), other.setpoints.values(), strict=False))
    panel.verdicts += other.verdicts
    panel.signals |= other.signals


def _add(log: Log, item: Expectation, found: dict[str, Panel]) -> None:
    """One expectation: the curve that it looks at, its limits and its verdict."""
    if item.stl is not None:
        verdict = item.verdict(log)
        for number, (name, limits) in enumerate(formula_limits(item.stl).items()):
            panel = found.setdefault(name, _of_signal(log, name))
            panel.limits |= limits
            panel.verdicts += [verdict] if number == 0 and verdict is not None else []
        return
    assert item.signal is not None
    series = item.series(log)
    if not len(series[0]):
        return
    if item.point is None:
        panel = found.setdefault(item.signal, _of_signal(log, item.signal))
    else:
        place = ", ".join(f"{value:g}" for value in item.point)
        title = f"distance of {item.signal} from ({place})"
        panel = found.setdefault(title, Panel(title, series[2], {item.name: series[:2]}))
    panel.limits |= item.limits
    verdict = item.verdict(log, series)
    panel.verdicts += [verdict] if verdict is not None else []


def _of_signal(log: Log, name: str) -> Panel:
    signal = log[name]
    panel = Panel(name, signal.unit, {name: (signal.time, signal.values)}, signals={name})
    setpoint = setpoint_of(log, name)
    if setpoint is not None:
        panel.setpoints[name] = log[setpoint].time, log[setpoint].values
        panel.signals.add(setpoint)
    return panel


def _asked(log: Log, drawn: set[str]) -> list[Panel]:
    """Set-points beside what they ask for; what changes first."""
    panels: dict[tuple[str, str], Panel] = {}
    wishes = setpoints_in_use(log)
    for setpoint, name in wishes.items():
        if {name, setpoint} & drawn or not len(log[name].time):
            continue
        title, label = group_of(name)
        signal, wish = log[name], log[setpoint]
        panel = panels.setdefault((title, signal.unit), Panel(title or name, signal.unit))
        if len(panel.curves) < MOST_CURVES:
            panel.curves[label] = signal.time, signal.values
            panel.setpoints[label] = wish.time, wish.values
            panel.signals |= {name, setpoint}
    for panel in panels.values():
        if len(panel.curves) == 1:  # which the title names
            panel.title = next(name for name in panel.signals if name not in wishes)
            panel.curves, panel.setpoints = ({panel.title: only} for only in (*panel.curves.values(), *panel.setpoints.values()))
    return sorted(panels.values(), key=lambda panel: all(bool((v == v[0]).all()) for _, v in panel.setpoints.values()))


def _worth_a_look(log: Log) -> list[Signal]:
    """The first pose as position, angles and motion, then set-points, inputs, the rest.

    Neither every link's pose nor every ray of a scan, and no second pose of the same robot.
    """
    chosen: list[Signal] = []
    for kind in _ORDER:
        layouts = [layout for layout in log.layouts if layout.kind is kind]
        for layout in layouts[:1] if kind is Kind.ODOMETRY else layouts:
            signals = [log[name] for name in layout.signals if ".orientation." not in name]
            if kind is Kind.ODOMETRY and f"{layout.name}.orientation.w" in log:
                signals[3:3] = [log[f"{layout.name}.{name}"] for name in ("roll", "pitch", "yaw")]
            if kind is Kind.JOINT_STATES and len(layout.labels) > 1:
                signals.sort(key=lambda signal: signal.name.rsplit(".", 1)[1] == "position")
            chosen += signals
    return [signal for signal in chosen if len(signal.time)]


def _groups_of_others(signals: Sequence[Signal], log: Log) -> Iterator[Panel]:
    """Panels of a log whose names follow no convention of ours: poses, orientations, motors, then the rest."""
    from didymos.record.log_picture import signal_groups

    by_name = {signal.name: signal for signal in signals}
    for title, names in signal_groups(log, set(by_name)):
        for unit in dict.fromkeys(by_name[name].unit for name in names):
            own = [by_name[name] for name in names if by_name[name].unit == unit]
            curves = {x.name: (x.time, x.values) for x in own}
            yield Panel(title if len(own) > 1 else own[0].name, unit, curves, signals=set(curves))
