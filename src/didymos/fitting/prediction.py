"""What a twin says of one segment of a recording, at the stamps of its channels.

    values, start -> run -> samples -> channel at t - clock offset - delay, plus bias, turned by its alignment

A predictor has one sampler per kind of recording (scenario, what is fed, how long), whatever their number, and, where arguments
of the description move, one for each of the last values of these. It goes through segments one by one; a run depends on nothing
that was before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.engine.sampler import Sampler, Samples
from didymos.engine.sampling import Sampling
from didymos.errors import InputError
from didymos.fitting.described import Arguments, DescribedTwins, arguments_of
from didymos.fitting.parameterization import is_set_in_a_run
from didymos.fitting.recording import Channel, Recording
from didymos.fitting.segments import Segment
from didymos.fitting.signals import predicted, sources
from didymos.rotations import quaternion_product, rotation_vector_to_quaternion

__all__ = ["Predictor", "State"]

_Array = NDArray[np.float64]
_MARGIN = 2.0  # ticks that a run lasts longer than what it is compared with
_BUILDS = 6  # samplers of other arguments of the description that a predictor keeps

State = tuple[_Array, _Array]
"""Positions [nq] and velocities [nv] of the engine."""


class Predictor:
    """Runs of a twin over segments of recordings, one at a time; `described` is shared between predictors."""

    def __init__(
        self,
        twin: Twin,
        recordings: Sequence[Recording],
        segments: Sequence[Segment],
        described: DescribedTwins,
        look_back: float,
    ) -> None:
        self.twin, self.recordings, self.segments, self.look_back = twin, recordings, segments, look_back
        self._described = described
        self._samplers: dict[tuple[str | None, tuple[str, ...], Arguments], Sampler] = {}

    def predict(self, segment: Segment, values: Mapping[str, float], start: State | None) -> list[_Array]:
        """What the twin with values, by path, says of a segment's channels, shape [n, k] each.

        The segment begins at `start`, or where the scenario does. A run that fails is a `RunError`; values that no
        robot can have are an `InputError`.
        """
        recording = self.recordings[segment.recording]
        sampler = self.sampler(recording, arguments_of(values))
        samples = self._simulate(sampler, recording, segment, values, start)
        offset = values.get("recording.clock_offset", 0.0)
        return [
            _channel(samples, channel, channel.time[part] - segment.at - offset, values)
            for channel, part in zip(recording.channels, segment.samples, strict=True)
        ]

    def sampler(self, recording: Recording, arguments: Arguments = ()) -> Sampler:
        """The sampler of a kind of recording, made at its first use."""
        kind = recording.scenario, tuple(recording.fed), arguments
        if kind not in self._samplers:
            alike = [i for i, item in enumerate(self.recordings) if (item.scenario, tuple(item.fed)) == kind[:2]]
            rows = max((len(table) for i in alike for table in self.recordings[i].fed.values()), default=0)
            longest = max(segment.seconds for segment in self.segments if segment.recording in alike)
            rate = self.twin.file.record.rate
            names = tuple(dict.fromkeys(name for i in alike for c in self.recordings[i].channels for name in c.signals))
            sampling = Sampling(tuple(recording.fed), rows, sources(names), longest + 1.0 / rate)
            try:
                made = Sampler(self._described.get(arguments), recording.scenario, sampling)
            except InputError as error:
                column = next((c.column.name for c in recording.channels if repr(c.column.signal) in error.message), None)
                if column is None:
                    raise
                raise InputError(error.message, file=self.twin.source, path=f"recordings.columns.{column}") from None
            others = [key for key in self._samplers if key[2]]
            if len(others) >= _BUILDS and arguments:
                del self._samplers[others[0]]
            self._samplers[kind] = made
        self._samplers[kind] = self._samplers.pop(kind)  # the last used one comes last
        return self._samplers[kind]

    def _simulate(
        self, sampler: Sampler, recording: Recording, segment: Segment, values: Mapping[str, float], start: State | None
    ) -> Samples:
        sampler.set_values({path: value for path, value in values.items() if is_set_in_a_run(path)})
        at = segment.at - values.get("recording.input_delay", 0.0)
        sampler.feed(recording.fed)
        seconds = segment.seconds + 1.0 / self.twin.file.record.rate + _MARGIN * sampler.simulation.period
        if start is None:
            return sampler.run_from_start(seconds, at=at)
        qpos, qvel = self._aligned(sampler, recording, start, values)
        return sampler.run_from(qpos, qvel, seconds, at=at, tables=recording.fed, look_back=self.look_back)

    def _aligned(self, sampler: Sampler, recording: Recording, start: State, values: Mapping[str, float]) -> State:
        """Where a window begins, with the measured attitude turned into the robot's own."""
        channels = (*recording.channels, *recording.states)
        turned = next((q for c in channels if (q := _alignment(c, values)) is not None), None)
        if turned is None or not self.twin.description.floating:
            return start
        model = sampler.simulation.built.assembly.model
        first = int(model.jnt_qposadr[model.body_jntadr[sampler.simulation.links.root_body(model)]]) + 3
        qpos = start[0].copy()
        qpos[first : first + 4] = quaternion_product(qpos[None, first : first + 4], turned)[0]
        return qpos, start[1]


def _channel(samples: Samples, channel: Channel, times: _Array, values: Mapping[str, float]) -> _Array:
    name = channel.column.name
    found = predicted(samples, channel, times - values.get(f"recording.delay.{name}", 0.0))
    for k, signal in enumerate(channel.signals):
        axis = signal.removeprefix(channel.column.signal)
        found[:, k] += values.get(f"recording.bias.{name}{axis}", 0.0)
    turned = _alignment(channel, values)
    return found if turned is None else quaternion_product(found, turned * [1.0, -1.0, -1.0, -1.0])


def _alignment(channel: Channel, values: Mapping[str, float]) -> _Array | None:
    """The unit quaternion, shape [1, 4], from an attitude's own frame to the robot's; None where it has none."""
    if not channel.is_orientation:
        return None
    names = [f"recording.alignment.{channel.column.name}.{axis}" for axis in "xyz"]
    if not any(name in values for name in names):
        return None
    return rotation_vector_to_quaternion(np.array([[values.get(name, 0.0) for name in names]]))
