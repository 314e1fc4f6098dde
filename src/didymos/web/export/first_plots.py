"""What the plots of an exported page show when it is opened: what the scenario is about, set-points beside truth, then inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from didymos.engine.simulation import Simulation
from didymos.record.log import Log

__all__ = ["first_plots"]

MOST = 4  # plots at first
_MOST_CURVES = 6  # in one of them
_DUST = 1e-9  # of the largest value: what moves less is noise of the arithmetic
_PLACE = ("truth.position.x", "truth.position.y", "truth.position.z")
_USUAL = ("truth.position.z", "truth.position.x", "truth.velocity.x", "truth.roll", "truth.pitch", "truth.yaw")


def first_plots(
    simulation: Simulation, log: Log, available: Sequence[str], beside: Sequence[tuple[str, str]]
) -> list[list[str]]:
    """Names of signals, those of a plot together: at most four plots."""
    known, found = set(available), []
    setpoint = {about: pair for pair, about in beside}

    def with_setpoint(name: str) -> list[str]:
        return [name, setpoint[name]] if name in setpoint else [name]

    if log.robots:
        found.append([name for robot in log.robots if (name := f"{robot}.truth.position.z") in known][:_MOST_CURVES])
    for item in simulation.expected if simulation.scenario is not None else ():
        found += [with_setpoint(signal) for signal in item.signals if signal in known]
    moving = sorted(beside, key=lambda pair: -_change(log, pair[0]))
    found += [with_setpoint(about) for _, about in moving]
    if not found:  # a log of a real robot, whose scenario nobody wrote down
        found.append([name for name in _PLACE if name in known])
    found.append([name for name in available if name.startswith("inputs.")][:_MOST_CURVES])
    found += [[name] for name in _USUAL if name in known and _change(log, name) > 0.0]
    joints = [name for name in available if name.endswith(".position") and _change(log, name) > 0.0]
    found.append(joints[:_MOST_CURVES])
    found += [[name] for name in available if _change(log, name) > 0.0][:MOST] if len(found) < MOST else []
    plots: list[list[str]] = []
    for names in found:
        if names and not any(names[0] in plot for plot in plots):
            plots.append(names)
    return plots[:MOST]


def _change(log: Log, name: str) -> float:
    """How much a signal changes, of its largest value; none where that is dust."""
    values = log[name].values
    values = values[np.isfinite(values)]
    if not len(values):
        return 0.0
    change, largest = float(np.ptp(values)), float(np.abs(values).max())
    return change / largest if largest > _DUST and change > _DUST * largest else 0.0
