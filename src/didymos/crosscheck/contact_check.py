"""A twin on the ground in two engines with different models of contact, beside what a closed form says.

No two soft contacts are alike, so no equality is asked for. Ours yields with a time constant (`world.contact_time`), Drake's with
a stiffness and Hunt and Crossley's dissipation; both sink in, and both slip a little before they grip. Two figures agree *within
their softness* if they differ by no more than

    heights                 both penetrations at rest together
    touch                   one sample of 2 ms, in which either notices the ground
    what the ground bears   1 % of the weight
    sliding, rolling        5 %: the transient in which friction builds up, the knocks of wheels that are not round

A closed form is given where it holds: for a body in one piece that stays level, or one that rolls on its wheels alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

from didymos.crosscheck.contact_case import ContactStart, begin_contact
from didymos.crosscheck.contact_drake import run_drake
from didymos.crosscheck.contact_ours import ContactRun, run_ours
from didymos.crosscheck.our_mechanism import OurMechanism, our_mechanism
from didymos.crosscheck.source_reading import NotComparable
from didymos.crosscheck.trajectory import mass_matrix
from didymos.describe.twin import Twin

__all__ = ["ContactFigure", "ContactFinding", "check_contact"]

_SLIDING, _BEARING = 0.05, 0.01
_LEVEL = 0.01  # [rad]: what leans more does not rest, slide or roll as it began


@dataclass(frozen=True)
class ContactFigure:
    """One number of a case: ours, Drake's, the closed form's, how far ours and Drake's may differ; None where there is none."""

    name: str
    unit: str
    ours: float
    theirs: float
    closed_form: float | None
    tolerance: float | None

    @property
    def agrees(self) -> bool:
        """Whether both engines say the same within their softness."""
        return self.tolerance is None or abs(self.ours - self.theirs) <= self.tolerance


@dataclass(frozen=True, eq=False)
class ContactFinding:
    """A case in both engines; `not_comparable` says why there is nothing else."""

    case: str
    figures: tuple[ContactFigure, ...] = ()
    start: ContactStart | None = None
    ours: ContactRun | None = None
    theirs: ContactRun | None = None
    not_comparable: str | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether all figures agree within the softness of the contacts; None where they cannot be compared."""
        return None if self.not_comparable is not None else all(figure.agrees for figure in self.figures)

    @property
    def verdict(self) -> str:
        """In words."""
        if self.not_comparable is not None:
            return f"not comparable: {self.not_comparable}"
        apart = [f"{x.name} {x.ours:.4g} {x.unit} here, {x.theirs:.4g} {x.unit} there" for x in self.figures if not x.agrees]
        return f"differ: {'; '.join(apart)}" if apart else "agree within their softness"


def check_contact(twin: Twin, case: str, ours: OurMechanism | None = None) -> ContactFinding:
    """Put a twin into a case of contact in both engines; `ours` takes the place of the twin's own model."""
    try:
        start = begin_contact(twin, our_mechanism(twin) if ours is None else ours, case)
        here, there = run_ours(start), run_drake(twin, start)
    except NotComparable as reason:
        return ContactFinding(case, not_comparable=str(reason))
    return ContactFinding(case, tuple(_figures(start, here, there)), start, here, there)


def _figures(start: ContactStart, ours: ContactRun, theirs: ContactRun) -> Iterator[ContactFigure]:
    gravity, rigid = float(np.linalg.norm(start.gravity)), not start.kp.any() and not start.wheels
    both = (ours, theirs)
    leans = max(_last(run.tilt) for run in both) > _LEVEL
    if start.case == "drop":
        height = float(start.qpos[start.model.jnt_qposadr[start.model.body_jntadr[start.root]] + 2]) - start.rest
        touched = [_touch(run, start.rest) for run in both]
        yield ContactFigure("touches", "s", touched[0], touched[1], float(np.sqrt(2 * height / gravity)), 0.002)
    if start.case in ("drop", "stand"):
        soft = sum(_last(run.depth) for run in both)
        rest = [_last(run.position[:, 2]) for run in both]
        yield ContactFigure("rests at", "m", rest[0], rest[1], None if start.kp.any() or leans else start.rest, soft)
        yield ContactFigure("sinks in", "m", _last(ours.depth), _last(theirs.depth), 0.0, None)
        weight = start.mass * gravity
        yield ContactFigure("ground bears", "N", _last(ours.support), _last(theirs.support), weight, _BEARING * weight)
    if start.case == "slide":
        speed, limit = float(np.linalg.norm(start.kick)), start.friction * gravity
        far = [float((run.position[-1] - run.position[0]) @ start.forward) + speed * start.sample for run in both]
        yield _sliding("slides", "m", far, speed**2 / (2 * limit) if rigid and not leans else None)
        if rigid and not leans:
            yield _sliding("a tenth as fast after", "s", [_slow(run, start) for run in both], 0.9 * speed / limit)
    if start.case == "ramp":
        pull = float(start.gravity[0] + start.friction * start.gravity[2])
        pair = [_acceleration(run, start) for run in both]
        yield _sliding("accelerates by", "m/s^2", pair, pull if rigid and not leans else None)
    if start.case == "roll":
        rolling = float(np.linalg.norm(start.kick)) * start.mass / (start.mass + _wheels_as_mass(start))
        for name, unit, begin, end in (("rolls at", "m/s", 0.3, 0.7), ("at last at", "m/s", 0.8 * start.seconds, start.seconds)):
            pair = [_speed(run, start, begin, end) for run in both]
            yield ContactFigure(name, unit, pair[0], pair[1], None if leans else rolling, _SLIDING * rolling)


def _sliding(name: str, unit: str, pair: list[float], closed_form: float | None) -> ContactFigure:
    largest = max(map(abs, pair))
    return ContactFigure(name, unit, pair[0], pair[1], closed_form, _SLIDING * largest)


def _last(values: np.ndarray) -> float:
    """The mean over the last tenth."""
    return float(values[-max(1, len(values) // 10) :].mean())


def _touch(run: ContactRun, rest: float) -> float:
    """When [s] the root link is first as low as it is when the lowest point touches."""
    low = np.flatnonzero(run.position[:, 2] <= rest)
    if not len(low) or low[0] == 0:
        return float(run.time[low[0]] if len(low) else np.inf)
    after, before = low[0], low[0] - 1
    share = (run.position[before, 2] - rest) / (run.position[before, 2] - run.position[after, 2])
    return float(run.time[before] + share * (run.time[after] - run.time[before]))


def _slow(run: ContactRun, start: ContactStart) -> float:
    """When [s] the speed is first below a tenth of what it began with: what is left is the creep of soft friction."""
    slow = np.flatnonzero(np.abs(run.speed(start.forward)) < 0.1 * np.linalg.norm(start.kick))
    return float(run.time[slow[0]]) if len(slow) else np.inf


def _acceleration(run: ContactRun, start: ContactStart) -> float:
    """Mean acceleration [m/s^2] over the second half."""
    half = len(run.time) // 2
    return float(np.polyfit(run.time[half:], run.speed(start.forward)[half:], 1)[0])


def _speed(run: ContactRun, start: ContactStart, begin: float, end: float) -> float:
    """Mean speed [m/s] between two times [s]."""
    first, last = np.minimum(np.searchsorted(run.time, (begin, end)), len(run.time) - 1)
    return float((run.position[last] - run.position[first]) @ start.forward / (run.time[last] - run.time[first]))


def _wheels_as_mass(start: ContactStart) -> float:
    """Sum of I / r^2 [kg] of the wheels: r is the height of their centres."""
    model, data = start.model, mujoco.MjData(start.model)
    data.qpos[:] = start.qpos
    mujoco.mj_forward(model, data)
    inertias, total = np.diag(mass_matrix(model, data)), 0.0
    for dof in start.wheels:
        radius = float(data.xanchor[model.dof_jntid[dof]][2]) - start.ground
        total += float(inertias[dof]) / radius**2
    return total
