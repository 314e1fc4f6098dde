"""Log: what a run recorded, in memory, by the name of each signal.

    log = Log.load("hover.mcap")
    gyro = log["imu.gyro.x"]          # .time [s], .values [rad/s]
    log.plot("imu.gyro", path="gyro.png")

Times are kept to the nanosecond, as ROS 2 does; so a log that was saved and loaded is the same log, bit for bit.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from didymos.errors import InputError, RunError, nearest
from didymos.record.disk_rows import DiskRows
from didymos.record.messages import stored
from didymos.record.rows import StreamRows
from didymos.record.stream import Kind, StreamLayout
from didymos.rotations import ANGLES, angle

if TYPE_CHECKING:
    import pandas
    import xarray

    from didymos.record.image import PinHole
    from didymos.record.recorder import Recorder, RecordTo

__all__ = ["Listener", "Log", "Signal"]

Listener = Callable[[int, NDArray[np.float64], NDArray[np.float64]], None]
"""Takes the number of a stream, times [s], shape [n], and rows, shape [n, columns]."""

Chunks = tuple[NDArray[np.float64], NDArray[np.float64]]
Tell = Callable[["Recorder", float], None]

_CHUNK = 0.5  # [s] of a saved log per chunk of the file
_PIECE = 2**15  # rows that are taken over at once


@dataclass(frozen=True, eq=False)
class Signal:
    """One quantity over time: time [s] and values [unit], shape [n] each, read-only."""

    name: str
    unit: str
    time: NDArray[np.float64]
    values: NDArray[np.float64]


class Log:
    """Streams of a run, with texts about it.

    Args:
        layouts: the streams, known by their number in this sequence; no two signals have the same name.
        metadata: texts about the run.
        keep: whether to hold the rows in memory; without, only their hash and the recording remain.
        only: signals of which rows are taken at all, with the others of their streams; all by default.
    """

    def __init__(
        self,
        layouts: Sequence[StreamLayout],
        metadata: Mapping[str, str] | None = None,
        *,
        keep: bool = True,
        only: Collection[str] | None = None,
    ) -> None:
        self.layouts, self.metadata = tuple(layouts), dict(metadata or {})
        self._recorder: Recorder | None = None
        self._listeners: list[Listener] = []
        self._keep = keep
        self._most: int | None = None  # [B] in memory
        self._say: Callable[[str], None] = lambda text: None
        self._streams = [StreamRows(len(layout.columns)) for layout in self.layouts]
        self._columns: dict[str, tuple[int, int]] = {}
        for i, layout in enumerate(self.layouts):
            for column, name in enumerate(layout.signals):
                if name in self._columns:
                    raise InputError("two signals have this name", path=name)
                self._columns[name] = (i, column)
        self.taken: frozenset[int] | None = None if only is None else frozenset(map(self._stream_of, only))
        """The numbers of the streams of which rows are taken, None for all."""

    def append(self, index: int, times: ArrayLike, values: ArrayLike) -> None:
        """Add rows to a stream: times [s], shape [n], not decreasing, and values, shape [n, columns]."""
        if self.taken is not None and index not in self.taken:
            return
        layout, stream = self.layouts[index], self._streams[index]
        seconds, rows = np.asarray(times, np.float64), np.asarray(values, np.float64)
        if seconds.ndim != 1 or rows.shape != (len(seconds), len(layout.columns)):
            expected = f"[n] and [n, {len(layout.columns)}]"
            raise InputError(f"rows of shape {seconds.shape} and {rows.shape}, expected {expected}", path=layout.name)
        if len(seconds) == 0:
            return
        seconds, rows = stored(layout, seconds, rows)
        if not (seconds[0] >= stream.end and (seconds[1:] >= seconds[:-1]).all()):
            raise InputError(f"time runs backwards near {seconds[0]!r} s", path=layout.name)
        stream.count(seconds, rows)
        if self._keep:
            self._hold(index, seconds, rows)
        if self._recorder is not None:
            self._recorder.write(index, seconds, rows)
        for listener in self._listeners:
            listener(index, seconds, rows)

    @property
    def robots(self) -> tuple[str, ...]:
        """The robots of a world whose log this is; none of a twin alone."""
        return tuple(dict.fromkeys(layout.namespace for layout in self.layouts if layout.namespace))

    def of_robot(self, name: str) -> Log:
        """What a log of a world holds of a robot, by the names that a log of its twin alone has."""
        if name not in self.robots:
            raise InputError(f"this log holds no robot {name!r}{nearest(name, self.robots)} (it has: {', '.join(self.robots)})")
        mine = [(i, own) for i, layout in enumerate(self.layouts) if (own := _of_robot(layout, name)) is not None]
        found = Log([own for _, own in mine], {**self.metadata, "robot": name})
        for number, (i, _) in enumerate(mine):
            found._streams[number] = self._streams[i]
        return found

    @property
    def keeps_rows(self) -> bool:
        """Whether the rows are in memory."""
        return self._keep

    @property
    def nbytes(self) -> int:
        """Memory that the rows take [B]."""
        return sum(stream.held.nbytes for stream in self._streams)

    def bound(self, most: int, say: Callable[[str], None] = lambda text: None) -> None:
        """Keep no more than so many bytes in memory from now on; all rows go to a temporary file then, and are read from there.

        Where that finds no room on the disk, the older rows are forgotten; `say` is told once, on the thread that appends.
        """
        self._most, self._say = most, say

    @property
    def counts(self) -> tuple[int, ...]:
        """How many rows each stream has held since the log began."""
        return tuple(stream.forgotten + len(stream.held) for stream in self._streams)

    def take_over(self, other: Log, counts: Sequence[int]) -> None:
        """Begin with the first rows of another log of the same streams, so many of each, as far as it has them."""
        for i, (stream, count) in enumerate(zip(other._streams, counts, strict=True)):
            times, values = stream.view()
            end = max(0, count - stream.forgotten)
            for first in range(0, end, _PIECE):
                last = min(first + _PIECE, end)
                self.append(i, times[first:last], values[first:last])

    def _hold(self, index: int, times: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Keep rows, within the bounds of memory and disk."""
        held = self._streams[index].held
        before = held.nbytes
        try:
            held.hold(times, values)
        except OSError:
            self._forget()
            self._streams[index].held.hold(times, values)  # in memory now
        if self._most is not None and held.nbytes != before and self.nbytes > self._most:
            try:
                disk = DiskRows(2 * len(self._streams))
                for i, stream in enumerate(self._streams):
                    stream.held.move(disk, 2 * i)
            except (OSError, ValueError, OverflowError):  # no room, or a system without such files
                self._forget()

    def _forget(self) -> None:
        """Let go of the older rows, so that the others take half of the memory that there is; the disk is free again."""
        assert self._most is not None
        share = min(0.5, 0.5 * self._most / max(1, sum(stream.held.nbytes_used for stream in self._streams)))
        for i, stream in enumerate(self._streams):
            self._streams[i] = stream.newest(share)  # as a whole: another thread may be looking at the old one
        begins = [times[0] for times, _ in (stream.view() for stream in self._streams) if len(times)]
        say, self._say = self._say, lambda text: None
        since = min(begins, default=0.0)
        say(f"there is no room on the disk for the log of this run: what came before t = {since:.0f} s is forgotten")

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of all signals."""
        return tuple(self._columns)

    def _stream_of(self, name: str) -> int:
        """The number of the stream that a signal lies in, or is computed from."""
        stream, _, last = name.rpartition(".")
        derived = f"{stream}.orientation.w"
        if name not in self._columns and not (last in ANGLES and derived in self._columns):
            raise InputError(f"no signal {name!r} in this log{nearest(name, self._columns)}")
        return self._columns.get(name, self._columns.get(derived, (0, 0)))[0]

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __getitem__(self, name: str) -> Signal:
        """The signal of a name; an `InputError` suggests the nearest where there is none.

        A stream with an orientation also answers to `roll`, `pitch`, `yaw` and `tilt`: `log["truth.tilt"]`.
        """
        stream, _, last = name.rpartition(".")
        if name not in self._columns and last in ANGLES and f"{stream}.orientation.w" in self._columns:
            parts = [self[f"{stream}.orientation.{axis}"] for axis in "wxyz"]
            return Signal(name, "rad", parts[0].time, angle(last, np.column_stack([part.values for part in parts])))
        if name not in self._columns:
            raise InputError(f"no signal {name!r} in this log{nearest(name, self._columns)}")
        i, column = self._columns[name]
        times, values = self.rows(i)
        return Signal(name, self.layouts[i].units[column], times, values[:, column])

    def rows(self, index: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All rows of a stream: times [s], shape [n], and values, shape [n, columns]; read-only."""
        if not self._keep:
            raise RunError("this log kept no rows in memory; load them from its recording")
        if self.taken is not None and index not in self.taken:
            raise RunError(f"this log took no rows of {self.layouts[index].name!r}; name a signal of it in `only`")
        return self._streams[index].view()

    def select(self, pattern: str) -> tuple[Signal, ...]:
        """All signals of a name (`truth.tilt`), of a prefix (`imu.gyro`) or of a pattern with wildcards (`*.gyro.?`)."""
        if any(mark in pattern for mark in "*?["):
            names = fnmatch.filter(self._columns, pattern)
        else:
            names = [name for name in self._columns if name == pattern or name.startswith(pattern + ".")]
            stream, _, last = pattern.rpartition(".")
            if not names and last in ANGLES and f"{stream}.orientation.w" in self._columns:
                names = [pattern]
        if not names:
            prefixes = {name.rsplit(".", cut)[0] for name in self._columns for cut in range(3)}
            raise InputError(f"no signal {pattern!r} in this log{nearest(pattern, sorted(prefixes))}")
        return tuple(self[name] for name in names)

    @property
    def sha256(self) -> str:
        """SHA-256 of the content: of each stream its name, columns, times and rows, as little-endian float64.

        It does not depend on the metadata, nor on how the rows were cut into pieces.
        """
        if self.taken is not None:
            raise RunError("this log took rows of some signals only")
        total = hashlib.sha256()
        for layout, stream in zip(self.layouts, self._streams, strict=True):
            total.update(json.dumps([layout.name, layout.columns]).encode())
            total.update(stream.times_hash.digest() + stream.values_hash.digest())
        return total.hexdigest()

    def save(self, path: str | Path) -> Path:
        """Write the log to a file, `.mcap` or `.csv`; one that is there and no log of ours stays."""
        path = Path(path)
        if path.suffix.lower() == ".csv":
            from didymos.record.csv_file import save_csv
            from didymos.record.own_file import check_replaceable

            check_replaceable(path)
            save_csv(path, [(layout, *self.rows(i)) for i, layout in enumerate(self.layouts)], self.metadata)
        elif path.suffix.lower() == ".mcap":
            self._save_mcap(path)
        else:
            raise InputError(f"a log is saved as .mcap or .csv, not {path.suffix!r}", file=path)
        return path

    def _save_mcap(self, path: Path) -> None:
        from didymos.record.mcap_file import McapRecorder

        with McapRecorder(path, self.layouts, self.metadata) as recorder:
            self._write_all(recorder)

    def _write_all(self, recorder: Recorder) -> None:
        streams = [self.rows(i) for i in range(len(self.layouts))]
        ends = _CHUNK * (1.0 + np.unique(np.concatenate([times // _CHUNK for times, _ in streams] or [np.empty(0)])))
        done = [0] * len(streams)
        for end in ends:
            for i, (times, values) in enumerate(streams):
                until = int(np.searchsorted(times, end))
                recorder.write(i, times[done[i] : until], values[done[i] : until])
                done[i] = until
            recorder.flush()

    def _write_chunks(self, recorder: Recorder, chunks: Chunks, tell: Tell) -> None:
        """Hand the rows of all chunks to a recorder that is flushed after each, and then the rest."""
        done = np.zeros(len(self.layouts), dtype=np.int64)
        counts = np.array(self.counts)
        for time, ends in [*zip(*chunks, strict=True), (np.inf, counts)]:
            for i, stream in enumerate(self._streams):
                times, values = stream.view()
                begin, end = (max(0, int(place) - stream.forgotten) for place in (done[i], ends[i]))
                recorder.write(i, times[begin:end], values[begin:end])
            done[:] = ends
            if time < np.inf:
                tell(recorder, float(time))
                recorder.flush()

    def record_to(
        self,
        record: RecordTo,
        eyes: Sequence[PinHole] = (),
        chunks: Chunks | None = None,
        tell: Tell = lambda recorder, end: None,
    ) -> Recorder:
        """Take every further row to an MCAP file, or a row of them, as well, after those held already; the caller closes it.

        Pictures of cameras, the `eyes`, go there only. `chunks` says how the rows held already would have been flushed: when
        [s], and how many of each stream there were then. Before each flush `tell` is given the recorder and the time.
        """
        from didymos.record.recorder import open_recorder

        recorder = open_recorder(record, self.layouts, self.metadata, eyes)
        if any(np.isfinite(stream.end) for stream in self._streams):
            if not self._keep:
                raise RunError("this log kept no rows in memory; record from the beginning")
            empty = np.empty(0), np.empty((0, len(self.layouts)))
            self._write_chunks(recorder, empty if chunks is None else chunks, tell)
        self._recorder = recorder
        return recorder

    def stop_recording(self) -> None:
        """Rows go to no file from now on."""
        self._recorder = None

    def listen(self, listener: Listener) -> None:
        """Hand every further row to a function as well, on the thread that appends it; the arrays are the appender's."""
        self._listeners.append(listener)

    @classmethod
    def load(cls, path: str | Path) -> Log:
        """Read a log, of Didymos or of others: MCAP, CSV, ULog, bags of ROS 1 and 2, Betaflight's blackbox, a Crazyflie's card.

        What a file is, its content says, or its ending (`formats.py`). `metadata` tells under `damage`, `unread`, `time_column`,
        `time_unit`, `time_order` and `time_shift` what was lost, guessed or changed, where anything was. What is wrong with the
        samples themselves says `didymos.examine`.
        """
        from didymos.record.formats import format_of

        path = Path(path)
        streams, metadata = format_of(path).read(path)
        try:
            return cls._filled([layout for layout, _, _ in streams], metadata, [(times, values) for _, times, values in streams])
        except InputError as error:
            raise InputError(error.message, file=path, path=error.path) from error

    @classmethod
    def _filled(
        cls, layouts: Sequence[StreamLayout], metadata: Mapping[str, str], rows: Sequence[tuple[ArrayLike, ArrayLike]]
    ) -> Log:
        """A log of streams that are known already."""
        log = cls(layouts, metadata)
        for i, (times, values) in enumerate(rows):
            log.append(i, times, values)
        return log

    def to_pandas(self, *names: str, at: str | ArrayLike | None = None) -> pandas.DataFrame:
        """Signals as one `pandas.DataFrame`: a column per signal by its full name, the time [s] as index.

            log.to_pandas()                          everything, over all stamps; NaN where a signal has no sample
            log.to_pandas("truth")                   the rows of one stream
            log.to_pandas("truth.tilt", "imu.gyro")  names, prefixes or patterns, as `select` takes them
            log.to_pandas(at="truth")                everything at the stamps of one stream, other signals held
            log.to_pandas(at=np.arange(0, 10, 0.1))  the same at times of one's own [s]

        `frame.attrs["units"]` holds the unit of each column. Needs pandas: pip install 'didymos[notebook]'.
        """
        from didymos.record.tables import to_pandas

        return to_pandas(self, names, at)

    def to_xarray(self, *names: str, at: str | ArrayLike | None = None) -> xarray.Dataset:
        """Signals as one `xarray.Dataset` over the dimension `time` [s], chosen and aligned as by `to_pandas`.

        Each variable has its unit in `attrs["units"]`; the texts about the run are the dataset's `attrs`. Needs xarray: pip
        install 'didymos[notebook]'.
        """
        from didymos.record.tables import to_xarray

        return to_xarray(self, names, at)

    def __repr__(self) -> str:
        from didymos.record.summary import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from didymos.record.summary import as_html

        return as_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Rows and texts travel; a recording and listeners stay behind."""
        return type(self)._filled, (self.layouts, self.metadata, [self.rows(i) for i in range(len(self.layouts))])

    def plot(
        self,
        *names: str,
        path: str | Path | None = None,
        plane: Sequence[str] = (),
        start: float | None = None,
        end: float | None = None,
    ) -> Path:
        """Draw signals into a PNG, SVG or PDF, by default `log.png`; without names, an overview.

        `plane` names links, or chains of links joined by commas, whose paths are drawn from above beside the signals. `start`
        and `end` are the stretch of time [s] to draw. A file that is there and no picture of ours is an `InputError`.
        """
        from didymos.record.plot import plot

        return plot(self, names, path or "log.png", plane, start=start, end=end)


def _of_robot(layout: StreamLayout, name: str) -> StreamLayout | None:
    """A stream of a world's log as a robot's own has it; None where it is another one's."""
    if layout.namespace == name:
        frames = (layout.frame.removeprefix(f"{name}/"), layout.child_frame.removeprefix(f"{name}/"))
        own = layout.name.removeprefix(f"{name}.")
        return replace(layout, name=own, frame=frames[0], child_frame=frames[1], namespace="")
    if layout.kind is Kind.TF and layout.labels and all(label.startswith(f"{name}/") for label in layout.labels):
        columns = tuple(column.removeprefix(f"{name}/") for column in layout.columns)
        return replace(layout, columns=columns, labels=tuple(label.removeprefix(f"{name}/") for label in layout.labels))
    return layout if layout.kind is Kind.CLOCK or layout.name.startswith("objects.") else None
