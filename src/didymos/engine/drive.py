"""The one loop that lets a control program drive a robot, simulated or real.

A `Plant` is a robot one tick at a time: it senses, and it acts. The simulation is one; a port to a real robot is another. The
program cannot tell which. Compiled programs on a simulated plant skip Python (`engine/loop.py`); the order is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from didymos.control import Controller, Robot, Values
from didymos.errors import DidymosError, RunError, nearest

__all__ = ["Plant", "ask", "drive", "start"]


class Plant(Protocol):
    """A robot that a program can drive."""

    @property
    def robot(self) -> Robot:
        """Names and geometry."""
        ...

    @property
    def period(self) -> float:
        """Time between ticks [s]."""
        ...

    def sense(self, tick: int) -> tuple[Values, Values]:
        """What the sensors say and what is setpoints at a tick."""
        ...

    def act(self, tick: int, inputs: Mapping[str, float]) -> None:
        """Hand over the inputs and let the tick pass; an input that is not named keeps its value."""
        ...


def start(program: Controller, robot: Robot) -> None:
    """Tell the program which robot it drives; whatever goes wrong in it becomes a `RunError`."""
    try:
        program.start(robot)
    except DidymosError:
        raise
    except Exception as error:
        raise _raised(program, error, 0.0) from error


def _raised(program: Controller, error: Exception, t: float) -> RunError:
    what = " ".join(str(error).split()) or "no message"
    return RunError(f"the control program {type(program).__name__} raised {type(error).__name__}: {what}", time=t)


def ask(program: Controller, t: float, measured: Values, setpoints: Values, inputs: tuple[str, ...]) -> dict[str, float]:
    """The program's answer, checked; whatever is wrong with it becomes a `RunError` with the time."""
    name = type(program).__name__
    try:
        answer = program.update(t, measured, setpoints)
    except DidymosError:
        raise
    except Exception as error:
        raise _raised(program, error, t) from error
    if not isinstance(answer, Mapping):
        raise RunError(f"the control program {name} returned {_kind(answer)}, expected a mapping of inputs to numbers", time=t)
    checked = {}
    for key, value in answer.items():
        if key not in inputs:
            known = ", ".join(inputs)
            hint = nearest(str(key), inputs)
            raise RunError(f"the control program {name} set the input {key!r}, which is none of: {known}{hint}", time=t)
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise RunError(f"the control program {name} set {key} to {value!r}, expected a number", time=t) from None
        if not np.isfinite(number):
            raise RunError(f"the control program {name} set {key} to {number}, expected a finite number", time=t)
        checked[key] = number
    return checked


def _kind(answer: object) -> str:
    return "nothing" if answer is None else f"a {type(answer).__name__}"


def drive(plant: Plant, program: Controller, *, first: int, count: int) -> None:
    """Run `count` ticks from tick `first`; the program is asked whenever its period is over."""
    every = max(1, round(1.0 / (program.rate * plant.period)))
    for tick in range(first, first + count):
        measured, setpoints = plant.sense(tick)
        inputs = {}
        if tick % every == 0:
            inputs = ask(program, tick * plant.period, measured, setpoints, plant.robot.inputs)
        plant.act(tick, inputs)
