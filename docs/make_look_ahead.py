"""Measure what docs/look_ahead.md says and draw its picture: `python docs/make_look_ahead.py`; four minutes of one core.

The robot is a simulation of its own, with parameters drawn from the stated uncertainty and gusts of another seed; what the look
ahead is told of its state has errors drawn from the stated covariance. When the robot really gets there is seen in its own run,
by code that shares nothing with the look ahead: signals by their samples, contacts by the engine's list.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

import didymos
from didymos.shadow.estimate import Estimate
from didymos.shadow.look_ahead import Course, LookAhead
from didymos.shadow.stepper import Stepper

HERE = Path(__file__).parent
PAGE = HERE / "look_ahead.md"
PICTURE = HERE / "pictures" / "look_ahead.png"
AHEAD = 2.0  # [s]
SEEDS, ROBOTS, DRIVEN = 20, 50, 100
BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A robot on its way to a limit: `command` are the inputs of a tick, `spread` what is not known of the state."""

    title: str
    signal: str
    twin: didymos.Twin
    uncertainty: Mapping[str, float]
    command: Callable[[int, bool], Mapping[str, float]]
    spread: Callable[[Stepper], Array]
    lead_in: int
    offsets: Sequence[float]
    """[s] by which limits lie before or behind the horizon, for the probabilities."""
    course: Course = "hold"
    rates: Mapping[str, float] = field(default_factory=dict)
    touches: tuple[str, str] | None = None
    """Link and object, where the limit is a contact; else it is one of the signal."""
    start: str = ""
    """What moves the limit: a value below `start`, for a contact."""


def motion(stepper: Stepper, free: Sequence[float], joints: Sequence[float], act: float) -> Array:
    """Standard deviations of a state: `free` for x, y, z, roll, pitch, yaw and their rates, `joints` for angle and speed."""
    model, found = stepper.model, np.zeros(stepper.states)
    for joint in range(model.njnt):
        dof, floats = int(model.jnt_dofadr[joint]), model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE
        for i in range(6 if floats else 1):
            found[dof + i] = free[i] if floats else joints[0]
            found[model.nv + dof + i] = free[6 + i] if floats else joints[1]
    found[2 * model.nv :] = act
    return found


def power_unit() -> Case:
    """The shaft creeps towards an end of its way, its set-point at 0.2 motor turns a second."""

    def command(tick: int, _: bool) -> dict[str, float]:
        return {"drive.position": 0.001 * tick, "drive.kp_scale": 1, "drive.kd_scale": 1, "drive.mode": 10, "drive.beat": tick}

    return Case(
        "power_unit creeps to the end of its way", "joints.shaft_joint.position", didymos.load("power_unit"),
        {"parts.drive.coulomb": 0.007, "parts.drive.stribeck": 0.0017, "parts.drive.kp": 0.034}, command,
        lambda stepper: motion(stepper, (), (2e-3, 5e-3), 0.0), 400,
        (-0.06, -0.045, -0.03, -0.015, 0.0, 0.015, 0.03, 0.045, 0.06),
        course="extrapolate", rates={"drive.position": 0.2},
    )  # fmt: skip


def quadcopter() -> Case:
    """Too little thrust in gusts: it sinks."""
    twin = didymos.load("quadcopter")
    twin.set_all({"start.position.z": 20.0, "world.gusts.wind_6m": 6.0})
    motors = [f"motor{i}" for i in range(1, 5)]
    free = (0.02, 0.02, 0.02, 0.01, 0.01, 0.01, 0.03, 0.03, 0.03, 0.01, 0.01, 0.01)
    return Case(
        "quadcopter sinks in gusts", "truth.position.z", twin,
        {"links.body_FLU.mass": 0.002, **{f"parts.{motor}.efficiency": 0.0002 for motor in motors}},
        lambda _, late: dict.fromkeys(motors, 0.45 if late else 0.46825),
        lambda stepper: motion(stepper, free, (0.0, 2.0), 0.0), 40, (-0.06, -0.03, 0.0, 0.03, 0.06, 0.09, 0.12),
    )  # fmt: skip


def omni_base() -> Case:
    """It drives towards a wall."""
    twin = didymos.load("omni_base", variant="walled")
    free = (0.02, 0.02, 1e-5, 1e-5, 1e-5, 0.01, 0.005, 0.005, 1e-4, 1e-4, 1e-4, 0.005)
    unsure = {f"parts.rollers_{i}.drag_x": 1.5 for i in range(1, 5)}
    unsure |= {f"parts.drive_{i}.time_constant": 0.008 for i in range(1, 5)}
    return Case(
        "omni_base drives at a wall", "truth.position.x", twin, unsure, lambda *_: {f"drive_{i}": 3.0 for i in range(1, 5)},
        lambda stepper: motion(stepper, free, (1e-5, 0.02), 0.0), 200, (-0.1, -0.05, 0.0, 0.05, 0.1),
        touches=("wheel_1", "wall"), start="start.position.x",
    )  # fmt: skip


class Robot:
    """A robot of a case; each `begin` is another one."""

    def __init__(self, case: Case) -> None:
        self.case, self.stepper = case, Stepper(case.twin, (case.signal,))

    def begin(self, seed: int | None, shift: float = 0.0) -> None:
        """Bring it to now: with the twin's own numbers, or with others."""
        case, stepper = self.case, self.stepper
        chance, numbers = np.random.default_rng([seed or 0, 77]), {}
        for path, deviation in case.uncertainty.items():
            numbers[path] = case.twin.get(path) + (deviation * chance.standard_normal() if seed is not None else 0.0)
        stepper.set(numbers)
        begin = {case.start.removeprefix("start."): case.twin.get(case.start) + shift} if case.start else None
        stepper.simulation.reset(seed=1000 + (seed or 0), start=begin)
        stepper.simulation.switch_record(True)
        stepper.keep()
        self.passed = 0
        for _ in range(case.lead_in):
            self.tick(late=False)

    def tick(self, late: bool = True) -> float:
        """Let a tick pass; the signal at its end."""
        self.passed += 1
        given = self.case.command(self.passed, late)
        rows = self.stepper.run(np.array([[given.get(name, 0.0) for name in self.stepper.inputs]]))
        self.stepper.keep()
        return float(rows[-1, 0])

    def estimate(self, seed: int) -> Estimate:
        """What a shadow may know of it: its state with errors."""
        stepper, spread = self.stepper, self.case.spread(self.stepper)
        stepper.keep()
        stepper.move(-spread * np.random.default_rng([seed, 78]).standard_normal(stepper.states))
        qpos, qvel, act = stepper.state()
        stepper.back()
        now, inputs = self.passed * stepper.period, self.case.command(self.passed, True)
        return Estimate(now, qpos, qvel, act, np.diag(spread**2), {}, inputs, stepper.vector.copy(), stepper.tick)

    def reaches(self, limits: Sequence[float], seconds: float) -> list[float]:
        """When [s] from now it gets to each limit of the signal, or touches; inf where it does not."""
        ticks = range(1, round(seconds / self.stepper.period) + 2)
        if self.case.touches is not None:
            return [next((tick * self.stepper.period for tick in ticks if self.tick() > -np.inf and self.touching()), np.inf)]
        track = np.array([self.tick() for _ in ticks])  # a row is that of the begin of its tick
        sign = 1.0 if self.case.course == "extrapolate" else -1.0
        found = []
        for limit in limits:
            beyond = sign * (track - limit)
            at = int(np.argmax(beyond >= 0.0))
            share = beyond[at] / (beyond[at] - beyond[at - 1]) if at else 0.0
            found.append((at - share) * self.stepper.period if (beyond >= 0.0).any() else np.inf)
        return found

    def touching(self) -> bool:
        """Whether the engine lists the contact."""
        assert self.case.touches is not None
        model, link, thing = self.stepper.model, self.case.touches[0], f"didymos:{self.case.touches[1]}"
        links = self.stepper.simulation.links
        for contact in self.stepper.data.contact:
            names = {links.link_of_geom(model, geom) or model.geom(geom).name for geom in contact.geom.tolist()}
            if names == {link, thing} and contact.dist < contact.includemargin:
                return True
        return False


def nominal(case: Case, seconds: float) -> float:
    """Where the twin's own numbers bring the signal in a time from now; for a contact, how far the start has to be shifted."""
    robot = Robot(case)
    robot.begin(None)
    if case.touches is None:
        where = [robot.tick() for _ in range(round(seconds / robot.stepper.period) + 1)]
        return where[-1]
    ticks = round((robot.reaches((), 20.0)[0] - seconds) / robot.stepper.period)
    robot.begin(None)
    where = [robot.tick() for _ in range(ticks + 1)]
    return where[-1] - where[0]


def name_of(case: Case, limit: float) -> str:
    """The limit as the outlook names it."""
    if case.touches is not None:
        return f"{case.touches[0]} touches {case.touches[1]}"
    return f"{case.signal} {'>' if case.course == 'extrapolate' else '<'} {limit!r}"


def look(case: Case, limits: Sequence[str], **options: float) -> LookAhead:
    """A look ahead of a case."""
    contact = case.touches is not None
    given = [] if contact else limits
    return LookAhead(
        case.twin, course=case.course, limits=given, known=contact, uncertainty=case.uncertainty, seconds=options["seconds"],
        branches=int(options.get("branches", 64)),
    )  # fmt: skip


def times(case: Case) -> list[tuple[float, float]]:
    """Predicted and true time of a limit that lies about two seconds ahead, for each seed."""
    limit, robot = nominal(case, AHEAD), Robot(case)
    ahead, name = look(case, [name_of(case, limit)], seconds=1.5 * AHEAD), name_of(case, limit)
    found = []
    for seed in range(SEEDS):
        robot.begin(seed, limit if case.touches else 0.0)
        outlook = ahead.look(robot.estimate(seed), origin=robot.stepper, rates=case.rates)
        found.append((outlook[name].median or np.inf, robot.reaches([limit], 2.0 * AHEAD)[0]))
    return found


def predictions(case: Case) -> list[tuple[float, bool]]:
    """Probability that a limit is reached within two seconds, and whether it was, of many robots and limits."""
    places = [nominal(case, AHEAD + offset) for offset in case.offsets]
    robot, found = Robot(case), []
    ahead = look(case, [name_of(case, place) for place in places], seconds=AHEAD)
    for seed in range(100, 100 + (ROBOTS if case.touches is None else DRIVEN)):
        tried = places if case.touches is None else [places[seed % len(places)]]
        robot.begin(seed, tried[0] if case.touches is not None else 0.0)
        outlook = ahead.look(robot.estimate(seed), origin=robot.stepper, rates=case.rates)
        for place, when in zip(tried, robot.reaches(tried, AHEAD), strict=True):
            found.append((outlook[name_of(case, place)].probability, when <= AHEAD + 1e-9))
    return found


def speed(case: Case) -> tuple[float, float]:
    """Seconds of branches per second of one core's time: one branch of 2 s, and 64 of them."""
    robot, found = Robot(case), []
    robot.begin(None)
    estimate = robot.estimate(0)
    for branches in (1, 64):
        ahead = look(case, [name_of(case, 1e3)], seconds=AHEAD, branches=branches)
        ahead.look(estimate, origin=robot.stepper, rates=case.rates)  # compiles what is not compiled yet
        repeats = 64 // branches
        began = time.process_time()
        for _ in range(repeats):
            ahead.look(estimate, origin=robot.stepper, rates=case.rates)
        found.append(repeats * branches * AHEAD / (time.process_time() - began))
    return found[0], found[1]


def binned(pairs: Sequence[tuple[float, bool]]) -> list[tuple[int, float, float]]:
    """Of each bin: how many predictions, their mean, the share that happened."""
    said, true = np.array([p for p, _ in pairs]), np.array([float(h) for _, h in pairs])
    found = []
    for low, high in itertools.pairwise(BINS):
        inside = (said >= low) & ((said < high) | (high == 1.0))
        mean, share = (float(values[inside].mean()) if inside.any() else np.nan for values in (said, true))
        found.append((int(inside.sum()), mean, share))
    return found


def fill(page: str, name: str, lines: Sequence[str]) -> str:
    """The page with a table between its marks."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
    return pattern.sub(lambda found: found[1] + "\n".join(lines) + found[2], page)


def main() -> None:
    """Measure all, write the tables, draw the picture."""
    cases = (power_unit(), quadcopter(), omni_base())
    speeds = ["| twin | one branch of 2 s | 64 branches of 2 s | the whole set takes |", "|---|---|---|---|"]
    timed = ["| case | median of \\|error\\| | largest | within 10 % |", "|---|---|---|---|"]
    sure = ["| case | " + " | ".join(f"{100 * a:.0f} to {100 * b:.0f} %" for a, b in itertools.pairwise(BINS)) + " |"]
    sure.append("|---" * len(BINS) + "|")
    every, drawn = [], {}
    for case in cases:
        one, many = speed(case)
        speeds.append(f"| {case.twin.name} | {one:.0f} | {many:.0f} | {64 * AHEAD / many:.2f} s |")
        print(speeds[-1], flush=True)
        pairs = times(case)
        errors = np.array([abs(said - true) / true for said, true in pairs])
        worst, good = f"{100 * errors.max():.1f} %", f"{(errors <= 0.1).sum()} of {SEEDS}"
        timed.append(f"| {case.title} | {100 * np.median(errors):.1f} % | {worst} | {good} |")
        print(timed[-1], flush=True)
        said = predictions(case)
        every += said
        drawn[case.twin.name] = (pairs, said)
        cells = [f"{100 * share:.0f} % of {count}" if count else "none" for count, _, share in binned(said)]
        sure.append(f"| {case.title} | {' | '.join(cells)} |")
        print(sure[-1], flush=True)
    cells = [f"**{100 * share:.0f} %** of {count}, said {100 * mean:.0f} %" for count, mean, share in binned(every)]
    sure.append(f"| all | {' | '.join(cells)} |")
    print(sure[-1])
    page = PAGE.read_text(encoding="utf-8")
    for name, lines in (("speed", speeds), ("times", timed), ("probabilities", sure)):
        page = fill(page, name, lines)
    PAGE.write_text(page, encoding="utf-8")
    draw(drawn, every)


def draw(
    drawn: Mapping[str, tuple[list[tuple[float, float]], list[tuple[float, bool]]]], every: list[tuple[float, bool]]
) -> None:
    """Predicted against true times, and probabilities against what happened."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), constrained_layout=True)
    for (name, (pairs, _)), mark in zip(drawn.items(), "os^", strict=True):
        left.plot([true for _, true in pairs], [said for said, _ in pairs], mark, ms=4, label=name)
    ends = np.array([min(t for p, _ in drawn.values() for _, t in p), max(t for p, _ in drawn.values() for _, t in p)])
    left.plot(ends, ends, "k-", lw=0.8)
    left.fill_between(ends, 0.9 * ends, 1.1 * ends, color="0.9", label="10 %")
    left.set(xlabel="the robot reached it after [s]", ylabel="median of the branches [s]", title="A limit two seconds ahead")
    left.legend()
    rows = [row for row in binned(every) if row[0]]
    right.plot([0, 1], [0, 1], "k-", lw=0.8)
    right.plot([mean for _, mean, _ in rows], [share for _, _, share in rows], "o-", label="all predictions")
    right.vlines(0.7, 0.55, 0.85, color="C3", lw=2, label="55 to 85 % at 70 %")
    right.set(xlabel="probability that was told", ylabel="share that happened", title="Within two seconds")
    right.legend()
    figure.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()
