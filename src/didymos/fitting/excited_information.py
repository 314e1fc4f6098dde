"""The information of excitations about parameters, and whether they keep the limits: what a search asks of a twin.

Jacobians are differences between runs, of the channels that will be recorded, in units of their noise. A run that exceeds a
limit, fails, or brings together what the scenario keeps apart, is judged by how far it does so, and no Jacobian is spent on it.

A search that believed in slopes would find motions that hang by a thread: a shaft just about to break away tells of friction with
any precision, and a fit that begins a percent off does not find it. One that believed in wide steps would find motions that tell
what is far off, and little of what is near. So a search takes both, to both sides, and of each sample the smallest slope, or none
where they point to different sides (the limiter `minmod`): what a fit can follow from afar, and knows when it is there.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.engine.sampler import Samples
from didymos.fitting.excited_runs import Excited, ExcitedRuns, Trial
from didymos.fitting.information import prior_information, shared_information
from didymos.fitting.limits import Limit
from didymos.fitting.parameterization import Parameterization, is_of_recording
from didymos.fitting.recording import Channel
from didymos.fitting.signals import channel_error, predicted

__all__ = ["Breach", "ExcitedInformation"]

_Array = NDArray[np.float64]
_TOUCHED = 0.1  # excess of a pair of links that meet
_FAILED = 10.0  # of a run that fails
_ROUNDING = 1e-9  # excess that is none


@dataclass(frozen=True)
class Breach:
    """Something that a run exceeds, of which signal or pair, in words, and by how much, relative to its size."""

    of: str
    what: str
    excess: float


class ExcitedInformation:
    """Information of excitations of one scenario of a twin about parameters.

    Args:
        runs: of the scenario.
        parameters: of one recording.
        channels: what will be recorded, with the stamps of a run; their values do not matter.
        noise: standard deviation of each channel.
        limits: what no run may exceed.
        together: pairs of bodies that may meet.
    """

    def __init__(
        self,
        runs: ExcitedRuns,
        parameters: Parameterization,
        channels: Sequence[Channel],
        noise: Sequence[float],
        limits: Sequence[Limit],
        together: frozenset[tuple[str, str]],
    ) -> None:
        self.runs, self.parameters, self.limits, self.together = runs, parameters, tuple(limits), together
        self._channels = tuple(zip(channels, noise, strict=True))
        self.shared = sum(len(group.start) for group in parameters.shared)

    def trial(self, stimuli: tuple[StimulusSpec, ...], point: _Array, seed: int = 0) -> Trial:
        """The run of an excitation at coordinates of the parameters."""
        values = self.parameters.values(point, 0)
        return Trial(stimuli, {path: value for path, value in values.items() if not is_of_recording(path)}, seed)

    def breaches(self, run: Excited) -> list[Breach]:
        """All that a run exceeds."""
        if run.samples is None:
            return [Breach("run", f"the run fails: {run.why}", _FAILED)]
        found = [
            Breach(f"{one} {other}", f"{one} meets {other}", _TOUCHED) for one, other in sorted(run.touched - self.together)
        ]  # fmt: skip
        for limit in self.limits:
            values = run.samples[limit.signal][1]
            excess = limit.excess(values)
            if excess > _ROUNDING:
                least, most = limit.reached(values)
                end, wall = (most, limit.high) if most > limit.high else (least, limit.low)
                text = f"{limit.signal} reaches {end:.4g}, beyond {wall:.4g} ({limit.why})"
                found.append(Breach(f"{limit.signal} {limit.rms}", text, excess))
        return found

    def of_many(
        self, excitations: Sequence[tuple[StimulusSpec, ...]], point: _Array, steps: Sequence[float]
    ) -> list[tuple[float, _Array | None]]:
        """Excess of excitations, and, of those without, the information of the samples about all coordinates at a point."""
        bare = self.runs.run([self.trial(stimuli, point) for stimuli in excitations])
        excess = [sum(breach.excess for breach in self.breaches(run)) for run in bare]
        good = [i for i, size in enumerate(excess) if size == 0.0]
        sides = self._sides(point, steps)
        moved = self.runs.run([self.trial(excitations[i], end) for i in good for ends in sides for end in ends])
        count = sum(map(len, sides))
        informed = {i: self._agreed(bare[i], moved[k * count :][:count], point, sides) for k, i in enumerate(good)}
        return [(size, informed.get(i)) for i, size in enumerate(excess)]

    def _agreed(
        self, bare: Excited, moved: Sequence[Excited], point: _Array, sides: Sequence[Sequence[_Array]]
    ) -> _Array:
        """The information that runs to both sides, near and far, agree on."""
        runs, columns = iter(moved), []
        for k, ends in enumerate(sides):
            slopes = [self._difference((bare, point), (next(runs), end)) / (end[k] - point[k]) for end in ends]
            columns.append(functools.reduce(_minmod, slopes))
        return _squared(columns)

    def of_one(self, stimuli: tuple[StimulusSpec, ...], point: _Array, step: float) -> _Array:
        """The information of shared coordinates, as a fit has it: by differences between both sides."""
        sides = self._sides(point, (step,))
        runs = iter(self.runs.run([self.trial(stimuli, one) for ends in sides for one in (point, *ends)]))
        columns = []
        for k, ends in enumerate(sides):
            here, *there = [(next(runs), one) for one in (point, *ends)]
            first, last = (here, there[0]) if len(there) == 1 else there
            columns.append(self._difference(first, last) / (last[1][k] - first[1][k]))
        return shared_information(_squared(columns) + prior_information(self.parameters, point), self.shared)

    def _sides(self, point: _Array, steps: Sequence[float]) -> list[list[_Array]]:
        """Of each coordinate, the points some steps away to both sides, as far as they are within the bounds."""
        ways = np.eye(len(point))
        ends = [[point + sign * step * way for step in steps for sign in (-1.0, 1.0)] for way in ways]
        return [[end for end in these if 0.0 <= end[k] <= 1.0] for k, these in enumerate(ends)]

    def _difference(self, first: tuple[Excited, _Array], second: tuple[Excited, _Array]) -> _Array:
        """What the second of two runs gives more than the first, in units of the noise; nothing where one of them failed."""
        pieces = []
        for channel, noise in self._channels:
            said = [self._said(run.samples, channel, point) for run, point in (first, second)]
            width = 3 if channel.is_orientation else channel.rows.shape[1]
            none = np.zeros(width * len(channel.time))
            one, other = said
            pieces.append(none if one is None or other is None else channel_error(channel, one, other).ravel() / noise)
        return np.concatenate(pieces)

    def _said(self, samples: Samples | None, channel: Channel, point: _Array) -> _Array | None:
        if samples is None:
            return None
        values: Mapping[str, float] = self.parameters.values(point, 0)
        name = channel.column.name
        late = values.get("recording.clock_offset", 0.0) + values.get(f"recording.delay.{name}", 0.0)
        found = predicted(samples, channel, channel.time - late)
        for k, signal in enumerate(channel.signals):
            axis = signal.removeprefix(channel.column.signal)
            found[:, k] += values.get(f"recording.bias.{name}{axis}", 0.0)
        return found


def _squared(columns: Sequence[_Array]) -> _Array:
    jacobian = np.column_stack(columns)
    return np.asarray(jacobian.T @ jacobian)


def _minmod(one: _Array, other: _Array) -> _Array:
    """The smaller of two slopes where they have the same sign, else none."""
    return np.where(one * other > 0.0, np.where(np.abs(one) < np.abs(other), one, other), 0.0)
