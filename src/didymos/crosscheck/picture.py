"""Pictures of a comparison: our curves over the second engine's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from didymos.crosscheck.contact_check import ContactFinding
from didymos.crosscheck.findings import TRAJECTORY, MechanismFinding
from didymos.errors import InputError
from didymos.record.style import COLOURS, figure_file, new_figure, style

__all__ = ["plot_crosscheck"]

_OURS, _THEIRS, _CLOSED = COLOURS[0], COLOURS[1], "#777777"
_SPREAD = {"drop": "height [m]", "stand": "height [m]", "slide": "way [m]", "ramp": "way [m]", "roll": "way [m]"}


def plot_crosscheck(name: str, mechanism: MechanismFinding, contacts: Sequence[ContactFinding], file: str | Path) -> Path:
    """Draw what was compared: the motion of the mechanism and the distance of the two, then every case of contact."""
    runs = [finding for finding in contacts if finding.ours is not None]
    rows = (mechanism.trajectory is not None) + len(runs)
    if not rows:
        raise InputError("there is nothing to draw: nothing could be compared")
    with style():
        figure = new_figure(8.5, 0.5 + 1.9 * rows)
        grid = figure.subplots(rows, 2, squeeze=False)
        if mechanism.trajectory is not None:
            _draw_motion(grid[0], mechanism)
        for panels, finding in zip(grid[rows - len(runs) :], runs, strict=True):
            _draw_contact(panels, finding)
        figure.suptitle(name, fontsize=11)
        return figure_file(figure, file)


def _draw_motion(panels: Any, finding: MechanismFinding) -> None:
    motion = finding.trajectory
    assert motion is not None
    moves = [i for i in np.argsort(-np.ptp(motion.theirs, axis=0)) if np.ptp(motion.theirs[:, i]) > 0.0][:6]
    for i in moves:
        panels[0].plot(motion.time, motion.ours[:, i] - motion.theirs[0, i], color=_OURS, linewidth=2.4, alpha=0.4)
        panels[0].plot(motion.time, motion.theirs[:, i] - motion.theirs[0, i], color=_THEIRS, linewidth=0.8)
    _label(panels[0])
    panels[0].set_title("mechanism under the same forces, those that move most")
    panels[0].set_ylabel("[m or rad]")
    away = np.abs(motion.ours - motion.theirs).max(axis=1)
    panels[1].semilogy(motion.time, np.maximum(away, 1e-17), color=_CLOSED)
    panels[1].axhline(TRAJECTORY, color=_CLOSED, linewidth=0.9, linestyle="--")
    panels[1].set_title("how far apart [m or rad], and the limit")
    for panel in panels:
        panel.set_xlabel("time [s]")


def _draw_contact(panels: Any, finding: ContactFinding) -> None:
    start, ours, theirs = finding.start, finding.ours, finding.theirs
    assert start is not None
    assert ours is not None
    assert theirs is not None
    left, right = panels
    level = finding.case in ("slide", "ramp", "roll")
    for run, colour, width in ((ours, _OURS, 2.4), (theirs, _THEIRS, 1.0)):
        way = (run.position - run.position[0]) @ start.forward if level else run.position[:, 2]
        left.plot(run.time, way, color=colour, linewidth=width, alpha=0.55 if colour == _OURS else 1.0)
        other = run.speed(start.forward) if level else run.support
        right.plot(run.time, other, color=colour, linewidth=width, alpha=0.55 if colour == _OURS else 1.0)
    if level:
        right.set_title("speed [m/s]")
    else:
        left.axhline(start.rest, color=_CLOSED, linewidth=0.9, linestyle="--")
        right.axhline(start.mass * float(np.linalg.norm(start.gravity)), color=_CLOSED, linewidth=0.9, linestyle="--")
        right.set_title("what the ground bears [N]; dashed: the weight")
        right.set_ylim(0.0, 4.0 * start.mass * float(np.linalg.norm(start.gravity)))
    left.set_title(f"{finding.case}: {_SPREAD[finding.case]}" + ("" if level else "; dashed: just touching"))
    _label(left)
    for panel in panels:
        panel.set_xlabel("time [s]")


def _label(panel: Any) -> None:
    """The legend: ours, theirs."""
    panel.plot([], [], color=_OURS, linewidth=2.4, alpha=0.55, label="ours")
    panel.plot([], [], color=_THEIRS, linewidth=1.0, label="second engine")
    panel.legend(loc="best")
