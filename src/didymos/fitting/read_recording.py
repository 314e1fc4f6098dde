"""Files of recordings, read into the twin's own words; what cannot be trusted is left out and told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.engine.simulation import Simulation
from didymos.errors import InputError, nearest, nearest_few
from didymos.fitting.faulty_samples import disagreeing, faulty, not_numbers
from didymos.fitting.joined_log import JoinedLog, split_files, split_scenario
from didymos.fitting.recording import Channel, Column, Recording
from didymos.record.frames import (
    body_to_flu,
    euler_to_quaternion,
    orientation_to_enu_flu,
    quaternion_to_wxyz,
    without_sign_flips,
    world_to_enu,
)
from didymos.record.health import examine
from didymos.record.log import Log
from didymos.record.units import convert, read_unit
from didymos.rotations import quaternion_product, rotation_vector_to_quaternion

__all__ = ["columns_of", "known_channels", "read_recording", "read_recordings"]

_Array = NDArray[np.float64]
_PLACE = "recordings.columns"
_WHOLE = ("ground", "damage", "clock")  # kinds of findings that are told of a file as a whole
_NAMED = 8  # columns of a file that an error lists
_LOST = 0.5  # share of bad samples from which on a column is refused
_WORLD = ("position", "velocity_world")  # last steps of vectors that are given in the world's frame
_STARTS = {
    "position": "truth.position", "orientation": "truth.orientation", "velocity": "truth.velocity",
    "angular_velocity": "truth.angular_velocity", "velocity_world": "truth.velocity_world",
}  # fmt: skip


def columns_of(twin: Twin) -> dict[str, Column]:
    """What the columns of recordings mean, as the twin file says."""
    found = {}
    for name, spec in twin.file.recordings.columns.items():
        use = next(key for key in ("signal", "input", "setpoint", "start") if getattr(spec, key) is not None)
        found[name] = Column(
            name, getattr(spec, use), spec.scale, spec.weight, spec.columns, use, spec.unit, spec.frame, spec.order, spec.sd,
            spec.alignment,
        )  # fmt: skip
    return found


def read_recordings(twin: Twin, texts: Sequence[str | Path], columns: Mapping[str, Column] | None = None) -> list[Recording]:
    """Read `FILE`, `FILE+FILE` of one clock, or `FILE=SCENARIO` each; one that is given twice is an `InputError`."""
    made: list[Recording] = []
    seen: dict[tuple[str, str | None], Path] = {}
    for text in texts:
        recording, content = _read(twin, text, columns_of(twin) if columns is None else columns)
        first = seen.setdefault((content, recording.scenario), recording.file)
        if first is not recording.file:
            raise InputError(f"holds the same as {first.name}: leave one of them out, or it counts twice", file=recording.file)
        made.append(recording)
    return made


def read_recording(
    twin: Twin, text: str | Path, columns: Mapping[str, Column] | None = None, *, as_recorded: bool = False
) -> Recording:
    """Read `FILE` or `FILE=SCENARIO`; without a scenario it is the one that is called as the file is. `A+B` are of one clock.

    The columns are those of the twin file by default. One that is compared with a weight of 0 may be missing; any other is an
    `InputError`. A log of a run of the twin needs no columns: everything that both record is compared. What comes `as_recorded`
    keeps samples that cannot be trusted, for whoever looks for faults: only what is no number is left out.
    """
    return _read(twin, text, columns_of(twin) if columns is None else columns, as_recorded=as_recorded)[0]


def _read(
    twin: Twin, text: str | Path, columns: Mapping[str, Column], *, as_recorded: bool = False
) -> tuple[Recording, str]:
    name, scenario = split_scenario(text)
    files = split_files(name)
    file, log = files[0], JoinedLog(files)
    if not any(source in log for column in columns.values() for source in column.sources):
        columns = _own_columns(twin, log) or columns
    if not columns:
        names = ", ".join(log.signals[:_NAMED]) + (", ..." if len(log.signals) > _NAMED else "")
        text = f"does not say which columns of {file.name} ({names}) mean which signals; see `columns`"
        raise InputError(text, file=twin.source, path=_PLACE)
    present = [
        column for column in columns.values()
        if column.weight > 0.0 or column.use != "signal" or all(source in log for source in column.sources)
    ]  # fmt: skip
    found: list[str] = []
    masked: list[tuple[float, float]] = []
    for each in log.logs:
        found += [f"{file.name}: {item.text}" for item in examine(each, ()) if item.kind in _WHOLE]
    units = _units(twin, present)
    channels = [_channel(file, log, column, units[column.name], found, masked, as_recorded) for column in present]
    fed = {_target(twin, channel.column, file): np.column_stack([channel.time, channel.values])
           for channel in channels if channel.column.use in ("input", "setpoint")}  # fmt: skip
    for text, stretches in () if as_recorded else disagreeing(channels):
        found.append(f"{file.name}: {text}")
        masked += stretches
    compared = tuple(channel for channel in channels if channel.column.use == "signal")
    states = tuple(_as_state(channel) for channel in channels if channel.column.use == "start")
    open_loop = any(channel.column.use == "input" for channel in channels)
    chosen = _scenario(twin, file, scenario or log.metadata.get("scenario", ""), needed=not open_loop)
    if not compared:
        raise InputError("no column is compared with a signal, so there is nothing to fit", file=twin.source, path=_PLACE)
    return Recording(file, chosen, compared, fed, states, _merged(masked), tuple(found)), log.sha256


def known_channels(twin: Twin, log: Log, file: Path) -> tuple[list[tuple[dict[str, str], Channel]], list[str]]:
    """Columns of a log of which the twin file says what they are, as recorded, each with the twin's signals and their units.

    Second, in words, columns that cannot be read.
    """
    known, channels, hindered = _known_units(twin), [], []
    for column in columns_of(twin).values():
        if not all(source in log for source in column.sources):
            continue
        try:
            target = _unit_of(known, column) if column.unit else ""
            channel = _channel(file, log, column, target, [], [], as_recorded=True)
        except InputError as error:
            hindered.append(f"{column.name} is not shown as {column.signal}: {error.message}")
            continue
        if column.use == "start":
            channel = _as_state(channel)
        names = (_target(twin, column, file),) if column.use in ("input", "setpoint") else channel.signals
        channels.append(({name: known.get(name, "") for name in names}, channel))
    return channels, hindered


def _own_columns(twin: Twin, log: JoinedLog) -> dict[str, Column]:
    """What a log of the twin itself is compared by: its joints, readouts and truth."""
    if log.metadata.get("twin") != twin.name:
        return {}
    kept = [name for name in log.signals if name.split(".")[0] in ("joints", "parts", "truth")]
    scalars = {name: Column(name, name) for name in kept if not name.startswith("truth.")}
    vectors = {}
    for stem, axes in (("position", "xyz"), ("orientation", "wxyz"), ("velocity", "xyz"), ("angular_velocity", "xyz")):
        names = tuple(f"truth.{stem}.{axis}" for axis in axes)
        if all(name in kept for name in names):
            vectors[f"truth.{stem}"] = Column(f"truth.{stem}", f"truth.{stem}", columns=names)
    return scalars | vectors


def _target(twin: Twin, column: Column, file: Path) -> str:
    head = f"{column.use}s."
    return column.signal if column.signal.startswith(head) else head + column.signal


def _as_state(channel: Channel) -> Channel:
    """A channel that serves for the start alone, under the name of the signal that it would be compared with."""
    column = channel.column
    head, _, rest = column.signal.partition(".")
    names = {"joints": f"joints.{rest}.position", "joint_velocities": f"joints.{rest}.velocity"}
    signal = names.get(head) or _STARTS.get(column.signal)
    if signal is None:
        known = (*_STARTS, "joints.NAME", "joint_velocities.NAME")
        raise InputError(f"found start {column.signal!r}, expected one of {', '.join(known)}", path=f"{_PLACE}.{column.name}")
    return Channel(Column(column.name, signal, column.scale, column.weight, column.columns, "start", sd=column.sd),
                   channel.time, channel.values)  # fmt: skip


def _scenario(twin: Twin, file: Path, name: str, *, needed: bool) -> str | None:
    known = tuple(twin.scenarios)
    if not name:
        if file.stem in known:
            return file.stem
        if not needed:
            return None
        if len(known) < 2:
            return known[0] if known else None
        options = ", ".join(known)
        raise InputError(f"which scenario was commanded? Write {file.name}=SCENARIO with one of {options}", file=file)
    if name not in known:
        raise InputError(f"{twin.name} has no scenario {name!r}{nearest(name, known)}", file=file)
    return name


def _channel(
    file: Path, log: JoinedLog | Log, column: Column, target: str, found: list[str], masked: list[tuple[float, float]],
    as_recorded: bool,
) -> Channel:  # fmt: skip
    """A column as the twin would say it, without samples that cannot be trusted; `as_recorded`, without those that are none."""
    for source in column.sources:
        if source not in log:
            known = nearest_few(source, log.signals)
            raise InputError(f"there is no column {source!r}{nearest(source, log.signals)} (it has: {known})", file=file)
    signals = [log[source] for source in column.sources]
    time = signals[0].time
    for signal in signals[1:]:
        if len(signal.time) != len(time) or (signal.time != time).any():
            raise InputError(f"{signal.name} and {signals[0].name} have different stamps, so they are no vector", file=file)
    values = _in_our_words(column, np.column_stack([signal.values for signal in signals]), target, file)
    if len(time) < 2:
        raise InputError(f"found {len(time)} samples, expected a motion", file=file, path=column.name)
    if time[0] < 0.0:
        raise InputError(f"begins at t = {time[0]:.6g} s, expected the command's begin at 0", file=file, path=column.name)
    bad = not_numbers(values) if as_recorded else faulty(column, time, values)
    masked += bad.stretches
    found += [f"{file.name}: {column.name}: {text}" for text in bad.texts]
    if bad.mask.sum() > (len(time) - 2 if as_recorded else _LOST * len(time)):
        text = f"{bad.mask.sum()} of {len(time)} samples cannot be trusted: {bad.texts[0]}"
        raise InputError(text, file=file, path=column.name)
    good = ~bad.mask
    return Channel(column, time[good], values[good, 0] if values.shape[1] == 1 else values[good])


def _in_our_words(column: Column, values: _Array, target: str, file: Path) -> _Array:
    """Values, shape [n, k], by unit, frame and order of their column; `target` is the unit that they should have."""
    name, count = column.signal, values.shape[1]
    last = name.rpartition(".")[2]
    if count == 1:
        return _converted(column, values, target, file)
    if last == "orientation":
        world, _, body = (column.frame or "ENU/FLU").partition("/")
        if count == 3:
            values = euler_to_quaternion(_converted(column, values, target, file))
        elif count == 4:
            values = quaternion_to_wxyz(values, column.order)
        else:
            raise InputError(f"found {count} columns, expected a quaternion or roll, pitch and yaw", file=file, path=column.name)
        size = np.linalg.norm(values, axis=1, keepdims=True)
        values = np.where(np.abs(size - 1.0) < 0.05, values / size, np.nan)  # no attitude at all: told as no number
        values = orientation_to_enu_flu(values, world, body or "FRD") if column.frame else without_sign_flips(values)
        return quaternion_product(values, rotation_vector_to_quaternion(np.array([column.alignment])))
    if count != 3:
        raise InputError(f"found {count} columns, expected the three of a vector", file=file, path=column.name)
    values = _converted(column, values, target, file)
    if not column.frame:
        return values
    return world_to_enu(values, column.frame) if last in _WORLD else body_to_flu(values, column.frame)


def _converted(column: Column, values: _Array, target: str, file: Path) -> _Array:
    if column.unit:
        try:
            values = convert(values, column.unit, target)
        except InputError as error:
            raise InputError(error.message, file=file, path=column.name) from None
    return values * column.scale


def _units(twin: Twin, columns: Sequence[Column]) -> dict[str, str]:
    """The units that the twin has for what columns mean, by the columns' names; empty for those that say no unit of theirs."""
    known = _known_units(twin) if any(column.unit for column in columns) else {}
    return {column.name: _unit_of(known, column) if column.unit else "" for column in columns}


def _unit_of(known: Mapping[str, str], column: Column) -> str:
    """The unit that is known of what a column means; base units where none is."""
    names = (column.signal, f"{column.signal}.x", f"{column.use}s.{column.signal}", f"truth.{column.signal}.x")
    unit = next((known[name] for name in names if known.get(name)), "")
    if not unit or column.signal.endswith("orientation"):
        base = read_unit(column.unit).base
        unit = "1" if base == "a number" else base
    return unit


def _known_units(twin: Twin) -> dict[str, str]:
    """Units of all signals, inputs and set-points of a twin."""
    simulation = Simulation(twin)
    layouts = [stream.layout for stream in simulation.built.streams]
    recorded = {name: unit for layout in layouts for name, unit in zip(layout.signals, layout.units, strict=True)}
    return {**recorded, **simulation.robot.units, **{f"truth.velocity_world.{axis}": "m/s" for axis in "xyz"}}


def _merged(stretches: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    merged: list[tuple[float, float]] = []
    for begin, end in sorted(stretches):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return tuple(merged)
