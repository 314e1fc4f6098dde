"""A recording as a robot would have told it: columns of others in the twin's own words, and the inputs that the robot got.

A log of a run of the twin has its words already; what only the simulation knew is left out (`signals.py`). Columns of others
are read as a fit reads them (`fitting/read_recording.py`), but as they were recorded: a sample that leaps may be the fault that
a shadow is there to find. `STREAM.velocity_world` becomes the velocity in the body's frame that a log has, by the attitude of
the same recording:

    v_body = R(q)^T v_world

Of a recording of others the longest part counts in which windows may begin by the twin file (a flight, in the air).

Where a recording holds no inputs but the set-points of a scenario, the inputs are those that the twin's program gives in that
scenario, as in a fit: the run is closed over the twin. For programs that look at no sensor, such as a drive's set-points, they
are exactly those of the robot; for others they are those that the robot would have got if it had moved as the twin does, which
is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.engine.sampler import Sampler
from didymos.engine.sampling import Sampling
from didymos.errors import InputError
from didymos.fitting.joined_log import JoinedLog, split_files, split_scenario
from didymos.fitting.read_recording import columns_of, read_recording
from didymos.fitting.recording import Channel, Recording
from didymos.fitting.segments import allowed_at
from didymos.rotations import rotate
from didymos.shadow.signals import all_signals, chosen, robot_signals
from didymos.shadow.sources.table import ArrivalTable, Stream, joined

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["read_table"]

_Array = NDArray[np.float64]
_WORLD = "velocity_world"


def read_table(twin: Twin, text: str, patterns: tuple[str, ...]) -> tuple[ArrivalTable, list[str]]:
    """The arrivals of `FILE`, `FILE=SCENARIO` or `A+B` of one clock, and what there is to say of them, a sentence each."""
    name = split_scenario(text)[0]
    files = split_files(name)
    log = JoinedLog(files)
    named = any(source in log for column in columns_of(twin).values() for source in column.sources)
    own = robot_signals(twin) if not patterns else chosen(patterns, all_signals(twin))
    if not named and any(signal in log for signal in own):
        return joined(files[0].name, _own_streams(log, own)), []
    recording = read_recording(twin, text, as_recorded=True)
    notices = list(recording.findings)
    streams = _usable(twin, recording, _told(recording, notices), notices)
    if not any(target.startswith("inputs.") for target in recording.fed):
        streams.append(_commanded(twin, recording))
        notices.append(f"{recording.file.name}: holds no inputs; those of the twin's program in {_scenario(recording)} are taken")
    if patterns:
        wanted = chosen(patterns, dict.fromkeys((signal for _, signals, _ in streams for signal in signals), ""))
        streams = [_only(stream, wanted) for stream in streams]
    return joined(files[0].name, streams), notices


def _own_streams(log: JoinedLog, own: Mapping[str, str]) -> list[Stream]:
    """Streams of a log in the twin's words."""
    streams: list[Stream] = []
    for each in log.logs:
        for index, layout in enumerate(each.layouts):
            columns = [column for column, signal in enumerate(layout.signals) if signal in own]
            if columns:
                times, rows = each.rows(index)
                streams.append((times, [layout.signals[column] for column in columns], rows[:, columns]))
    return streams


def _told(recording: Recording, notices: list[str]) -> list[Stream]:
    """What was measured and fed, in the words of the twin's log."""
    streams: list[Stream] = [(table[:, 0], (target,), table[:, 1:]) for target, table in recording.fed.items()]
    for channel in recording.channels:
        head, _, last = channel.column.signal.rpartition(".")
        if last != _WORLD:
            streams.append((channel.time, channel.signals, channel.rows))
            continue
        attitude = next((item for item in recording.channels if item.column.signal == f"{head}.orientation"), None)
        if attitude is None:
            notices.append(f"{recording.file.name}: {channel.column.name} is left out: no attitude says where the body points")
        else:
            streams.append((channel.time, [f"{head}.velocity.{axis}" for axis in "xyz"], _in_body(channel, attitude)))
    return streams


def _usable(twin: Twin, recording: Recording, streams: list[Stream], notices: list[str]) -> list[Stream]:
    """The longest part of a recording in which the twin file allows windows (`recordings.windows_where`), if it says where."""
    rules = twin.file.recordings.windows_where
    if not rules:
        return streams
    clock = np.unique(np.concatenate([channel.time for channel in recording.channels]))
    inside = np.flatnonzero(allowed_at(recording, clock, rules))
    if not len(inside):
        raise InputError("is nowhere as recordings.windows_where of the twin asks", file=recording.file)
    part = max(np.split(inside, np.flatnonzero(np.diff(inside) > 1) + 1), key=len)
    first, last = float(clock[part[0]]), float(clock[part[-1]])
    if len(part) < len(clock):
        notices.append(f"{recording.file.name}: watched from {first:.2f} to {last:.2f} s, as recordings.windows_where has it")
    kept = []
    for times, signals, rows in streams:
        here = (times >= first) & (times <= last)
        kept.append((times[here], signals, rows[here]))
    return kept


def _in_body(channel: Channel, attitude: Channel) -> _Array:
    """Velocities of the world, shape [n, 3], in the body's frame."""
    q = np.column_stack([np.interp(channel.time, attitude.time, column) for column in attitude.rows.T])
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return rotate(q * [1.0, -1.0, -1.0, -1.0], channel.rows)


def _commanded(twin: Twin, recording: Recording) -> Stream:
    """The inputs that the twin's program gives in the scenario of a recording, with each of its ticks."""
    twin = twin.copy()
    rate = twin.file.record.rate if twin.file.control is None else twin.file.control.rate
    twin.file = twin.file.model_copy(update={"record": twin.file.record.model_copy(update={"rate": rate})})
    names = tuple(signal for signal in robot_signals(twin) if signal.startswith("inputs."))
    rows = max((len(table) for table in recording.fed.values()), default=0)
    seconds = recording.seconds
    sampler = Sampler(twin, recording.scenario, Sampling(tuple(recording.fed), rows, names, seconds + 1.0 / rate))
    sampler.feed(recording.fed)
    samples = sampler.run_from_start(seconds)
    times = np.rint(samples[names[0]][0] * 1e9) / 1e9  # to the nanosecond, as logs keep them
    return times, names, np.column_stack([samples[name][1] for name in names])


def _scenario(recording: Recording) -> str:
    return "its scenario" if recording.scenario is None else f"the scenario {recording.scenario!r}"


def _only(stream: Stream, wanted: Mapping[str, str]) -> Stream:
    times, signals, rows = stream
    columns = [column for column, signal in enumerate(signals) if signal in wanted]
    return times, [signals[column] for column in columns], rows[:, columns]
