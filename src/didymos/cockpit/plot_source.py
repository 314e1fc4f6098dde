"""What can be plotted now: the signals of a run, of a replay, or of a shadow, and which of them come first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from didymos.cockpit.error_log import INNOVATION, SIGMA, ErrorLog
from didymos.cockpit.robots import named
from didymos.cockpit.signals import Array, heights, last, names, tail, units
from didymos.record.log import Log
from didymos.record.setpoint_pairs import pairs
from didymos.shadow.alarm import Alarm

__all__ = ["DIFFERENCE", "GHOST", "PlotSource", "clearest", "of_errors", "of_replay", "of_run"]

GHOST, DIFFERENCE = "ghost", "difference"  # prefixes of what a replay has besides
MOST_CURVES = 8  # of a plot
ERROR_PLOTS = 3
Names = tuple[tuple[str, ...], ...]


class PlotSource:
    """Signals of logs, each log's under a prefix; what plots show first; set-points beside what they are about.

    Args:
        kind: `run`, `replay` or `shadow`; a page keeps a layout for each.
        logs: by prefix, without its dot; empty for none.
        first: signals of the first plots.
        bands: (signal, its standard deviation).
    """

    def __init__(self, kind: str, logs: Mapping[str, Log], first: Names, bands: Sequence[tuple[str, str]] = ()) -> None:
        self.kind, self.logs, self.first, self.bands = kind, dict(logs), first, tuple(bands)
        self._units: dict[str, str] = {}
        self._places: dict[str, tuple[Log, str]] = {}
        for prefix, log in self.logs.items():
            known = units(log)
            for name in names(log):
                self._units[named(prefix, name)] = known.get(name, "rad")
                self._places[named(prefix, name)] = log, name
        self.seconds = _seconds(self.logs.values()) if kind == "replay" else None
        """How long the whole is that pages show at once [s]; None where they follow the last seconds of a window."""

    @property
    def message(self) -> dict[str, Any]:
        """What a page has to know."""
        log = next(iter(self.logs.values()))
        beside = [(about, setpoint) for robot in log.robots or ("",) for setpoint, about in pairs(names(log, robot), robot)]
        return {
            "kind": self.kind, "names": list(self._units), "units": list(self._units.values()), "pairs": beside,
            "first": self.first, "bands": self.bands,
        }  # fmt: skip

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def tail(self, name: str, begin: float) -> tuple[Array, Array]:
        """Times [s] and values of a signal since a time, while another thread may add rows."""
        log, own = self._places[name]
        return tail(log, own, begin)

    def last(self, name: str) -> float:
        """The latest value of a signal; NaN where there is none yet."""
        log, own = self._places[name]
        return last(log, own)


def _seconds(logs: Iterable[Log]) -> float:
    """From the first row of some logs to the last [s]."""
    times = [log.rows(i)[0][[0, -1]] for log in logs for i in range(len(log.layouts)) if len(log.rows(i)[0])]
    return float(np.max(times) - np.min(times)) if times else 0.0


def of_run(log: Log) -> PlotSource:
    """A run: heights of all robots of a world; set-point beside truth; what goes into the robot, or moves."""
    robot = next(iter(log.robots), "")
    available = names(log, robot)
    beside = pairs(available, robot)
    favourite = sorted(beside, key=lambda pair: not pair[0].endswith((".z", ".vx", ".height")))
    first: list[tuple[str, ...]] = [heights(log)[:MOST_CURVES]] if robot else []
    first.append(favourite[0][::-1] if favourite else _likely_to_move(available, robot))
    inputs = tuple(name for name in available if name.startswith("inputs."))
    if not robot:
        first.append(inputs[:4] or _likely_to_move(available, robot))
    return PlotSource("run", {"": log}, tuple(dict.fromkeys(filter(None, first))))


def _likely_to_move(available: tuple[str, ...], robot: str) -> tuple[str, ...]:
    """What is likely to move where nothing is named: joints, or else the robot."""
    joints = [name for name in available if name.startswith(named(robot, "joints.")) and name.endswith(".position")]
    return tuple(joints[:4]) or tuple(name for name in available if name.startswith(named(robot, "truth.position.")))


def of_replay(log: Log, ghost: Log | None, difference: Log | None, compared: str) -> PlotSource:
    """A log: first the signal that is compared, its set-point beside it, then what a run shows; or with its ghost, and then
    their difference.
    """
    logs = {"": log, GHOST: ghost, DIFFERENCE: difference}
    found = PlotSource("replay", {prefix: one for prefix, one in logs.items() if one is not None}, ())
    usual = of_run(log).first if ghost is None else ()
    about = next((plot for plot in usual if compared in plot), _with_setpoint(log, compared))
    first = about if ghost is None else tuple(name for name in (compared, named(GHOST, compared)) if name in found)
    plots = dict.fromkeys((first, (named(DIFFERENCE, compared),), *usual))
    found.first = tuple(names for names in plots if names and names[0] in found)
    return found


def _with_setpoint(log: Log, name: str) -> tuple[str, ...]:
    """A signal, and the set-point that it is about or that is about it."""
    available = names(log)
    beside = [pair for robot in log.robots or ("",) for pair in pairs(available, robot)]
    return next(((about, setpoint) for setpoint, about in beside if name in (about, setpoint)), (name,))


def clearest(available: Sequence[str], alarms: Sequence[Alarm]) -> list[str]:
    """The signals that are worth looking at: those of the last alarm, then one of each sensor, then all others."""
    shown = [name for name in alarms[-1].signals if name in available] if alarms else []
    firsts = {name.partition(".")[0]: name for name in reversed(available)}
    return list(dict.fromkeys([*shown, *sorted(firsts.values(), key=list(available).index), *available]))


def of_errors(errors: ErrorLog, alarms: Sequence[Alarm]) -> PlotSource:
    """Innovations of a shadow in the band in which 95 % should lie, +-2 sigma; those first that show the last alarm."""
    signals = tuple(errors.units)
    first = tuple((f"{name}.{INNOVATION}",) for name in clearest(signals, alarms)[:ERROR_PLOTS])
    return PlotSource("shadow", {"": errors.log}, first, [(f"{name}.{INNOVATION}", f"{name}.{SIGMA}") for name in signals])
