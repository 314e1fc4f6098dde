"""Whether a fit finds its way: the twin records a proposed motion, without noise, and is fitted to it from values that are off.

    x_0 = x + d s,    d: a tenth of the value, at most a twentieth of the bounds;    s = all +1, all -1, +1 and -1 in turn

in all shared coordinates. It is found where errors are left that are smaller than the noise, sum r^2 < n. A motion that stops and
breaks away often may have slopes that promise much, and valleys from which no search comes out; of such a one nothing is learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.fitting.design_scenario import plain_scenario
from didymos.fitting.experiment import NAME, Experiment
from didymos.fitting.methods import METHODS
from didymos.fitting.parameterization import Parameterization
from didymos.fitting.problem import Problem
from didymos.fitting.recording import Channel, Recording
from didymos.fitting.segments import whole

__all__ = ["finds_its_way"]

_Array = NDArray[np.float64]
_OF_VALUE, _OF_BOUNDS = 0.1, 0.05


def finds_its_way(experiment: Experiment, stimuli: Sequence[StimulusSpec]) -> bool:
    """Whether fits that begin off, to several sides, find the values that made a recording."""
    plain = plain_scenario(experiment.twin, experiment.scenario, experiment.seconds, experiment.moved, stimuli)
    twin, name = experiment.twin_with(plain)
    channels = [
        replace(channel, column=replace(channel.column, weight=size**-2, sd=size))
        for channel, size in zip(experiment.channels, experiment.noise, strict=True)
    ]
    truth = experiment.parameters.start

    def problem_of(recorded: Sequence[Channel]) -> Problem:
        recording = Recording(Path(NAME), name, tuple(recorded))
        return Problem(twin, [recording], [whole(0, recording)], experiment.parameters, threads=experiment.threads)

    empty = problem_of(channels)
    try:
        (said,) = empty.predictions(truth)
    finally:
        empty.close()
    problem = problem_of([replace(channel, values=values) for channel, values in zip(channels, said, strict=True)])
    try:
        return all(_found(problem, start) for start in _starts(truth, _off(experiment.parameters)))
    finally:
        problem.close()


def _off(parameters: Parameterization) -> _Array:
    """How far off a fit begins, in shared coordinates, which come first."""
    found = []
    for group in parameters.shared:
        if len(group.start) == 1:
            (low, high), value = group.bounds[0], float(group.reported(group.start)[0])
            found.append(min(_OF_BOUNDS, _OF_VALUE * abs(value) / (high - low)) or _OF_BOUNDS)
        else:
            found += [_OF_BOUNDS] * len(group.start)
    return np.array(found)


def _starts(truth: _Array, off: _Array) -> list[_Array]:
    """Points that are off in the first coordinates, and within the bounds."""
    turns = np.where(np.arange(len(off)) % 2 == 0, 1.0, -1.0)
    found = []
    for signs in (np.ones(len(off)), -np.ones(len(off)), turns):
        point = truth.copy()
        here = point[: len(off)]
        moved = here + off * signs
        point[: len(off)] = np.where((moved < 0.0) | (moved > 1.0), here - off * signs, moved)
        found.append(point)
    return found


def _found(problem: Problem, start: _Array) -> bool:
    end = METHODS["least-squares"](problem, start, 0).point
    errors = problem.residuals(end)[: problem.samples]
    return float(errors @ errors) < problem.samples
