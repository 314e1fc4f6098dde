"""Runs beside recordings for the training of a residual: physics as it was fitted, the numbers of one part given or moved.

What a recording has for itself (the angle of a gear, the offset of a clock) stays as it was fitted to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.cluster.executor import Workers
from didymos.describe.twin import Twin
from didymos.engine.sampler import Sampler
from didymos.engine.sampling import Sampling
from didymos.fitting.parameterization import Group, Parameterization, Single, is_of_recording
from didymos.fitting.problem import Problem
from didymos.fitting.recording import Recording
from didymos.fitting.residual_part import ResidualPart
from didymos.fitting.segments import Segment
from didymos.fitting.signals import sources
from didymos.fitting.start_states import StartStates

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ResidualRuns"]

_Array = NDArray[np.float64]


class _Own(Parameterization):
    """Coordinates that are shared, beside fixed values that each recording has for itself."""

    def __init__(self, groups: Sequence[Group], own: Sequence[Mapping[str, float]]) -> None:
        super().__init__(groups, len(own))
        self._own = own

    def values(self, point: _Array, recording: int | None = None) -> dict[str, float]:
        """Values by path."""
        return {**super().values(point, recording), **({} if recording is None else self._own[recording])}


@dataclass(frozen=True, eq=False)
class ResidualRuns:
    """A twin whose physics is fixed, recordings, and what each of these has for itself, by path."""

    twin: Twin
    part: ResidualPart
    recordings: Sequence[Recording]
    own: Sequence[Mapping[str, float]]
    threads: Workers = None

    def set_to(self, values: Mapping[str, float]) -> Twin:
        """The twin with some numbers of the part, all others of which are blank; on, unless they say otherwise."""
        made = self.twin.copy()
        made.set_all({**self.part.blank(), self.part.path("scale"): 1.0, **values})
        return made

    @contextmanager
    def moving(
        self, segments: Sequence[Segment], values: Mapping[str, float], sizes: Mapping[str, float]
    ) -> Iterator[Problem]:
        """A problem in which numbers move, by path: each from minus to plus its size, which is the coordinate 0 and 1."""
        groups = [Single(path, "", -size, size, 0.0, {path: 1.0}, None, False, 1) for path, size in sizes.items()]
        problem = Problem(self.set_to(values), self.recordings, segments, _Own(groups, self.own), threads=self.threads)
        try:
            yield problem
        finally:
            problem.close()

    def predictions(self, segments: Sequence[Segment], values: Mapping[str, float]) -> list[list[_Array] | None]:
        """What the twin says of each segment's channels with some numbers of the part; None where its run fails."""
        with self.moving(segments, values, {}) as problem:
            return problem.predictions_or_none(np.empty(0))

    def features(self, recording: int) -> _Array:
        """The trained features at every sample of a recording's first channel, at the state that was measured; shape [n, k]."""
        about, values = self.recordings[recording], self.own[recording]
        rows = max((len(table) for table in about.fed.values()), default=0)
        signals = sources(tuple(name for channel in about.channels for name in channel.signals))
        twin = self.set_to({})
        sampler = Sampler(twin, about.scenario, Sampling(tuple(about.fed), rows, signals, 1.0))
        sampler.set_values({path: value for path, value in values.items() if not is_of_recording(path)})
        simulation = sampler.simulation
        states = StartStates(twin, simulation.model, simulation.links.root_body(simulation.model), about)
        names = [item.name for item in self.part.kind.outputs]
        sizes = [item.size for item in self.part.kind.outputs]
        first = sum(sizes[: names.index("feature")])
        found = [
            sampler.outputs_at(self.part.name, *states.at(time), at=time, tables=about.fed)
            for time in about.channels[0].time.tolist()
        ]
        return np.array(found)[:, first + self.part.places]
