"""Everything that a run records goes out to viewers, on a thread of its own: the run never waits for one.

What nobody has subscribed to is not even encoded. Rows wait in a queue with an end. What has gathered in it goes out stream by
stream, which costs less than slice by slice; where this thread cannot follow even so, rows that find it full are dropped and
counted. A viewer that reads too slowly loses its oldest messages (the library's business), and neither the run nor the others
notice.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, Thread

import numpy as np

from didymos.engine.row_buffer import Row
from didymos.ports.foxglove.outlets import Channels, Outlet
from didymos.record.image import Picture, messages_of

__all__ = ["Sender"]

_ROOM = 5_000  # slices on their way: some seconds
_AT_ONCE = 32  # slices that are joined
_REST = 0.02  # [s] between two goes, in which slices gather and the run has the interpreter for itself; viewers draw every 16 ms
_CLOCK = 4_000_000  # [ns] of the twin's clock between two messages of the time


@dataclass(frozen=True)
class _Batch:
    """What a slice recorded, and the time [ns] that it leads to."""

    time: int
    rows: list[Row]
    pictures: list[tuple[str, Picture]]


class Sender:
    """Sends rows and pictures; `sent` and `lost` count messages that somebody subscribed to.

    Args:
        channels: where to.
        send_time: tells all viewers the twin's time [ns].
    """

    def __init__(self, channels: Channels, send_time: Callable[[int], None]) -> None:
        self.sent = self.lost = 0
        self._channels, self._send_time = channels, send_time
        self._last_time = -_CLOCK
        self._queue: queue.Queue[_Batch | int | None] = queue.Queue(_ROOM)
        self._over = Event()
        self._thread = Thread(target=self._work, name="didymos-foxglove-out", daemon=True)
        self._thread.start()

    def put(self, rows: list[Row], pictures: list[tuple[str, Picture]]) -> None:
        """What was recorded, to be sent soon; returns at once. An `Audience` of the run."""
        times = [float(times[-1]) for _, times, _ in rows] + [picture.time for _, picture in pictures]
        try:
            self._queue.put_nowait(_Batch(round(1e9 * max(times)), rows, pictures))
        except queue.Full:
            for index, stamps, _ in rows:
                self.lost += len(stamps) * sum(len(outlet.channels) for outlet in self._channels.streams[index] if outlet.heard)

    def begin_at(self, time: int) -> None:
        """The clock stands at a time [ns] that may lie before the last one: viewers clear their pictures, and get the scene."""
        if self.alive:
            self._queue.put(time)

    @property
    def alive(self) -> bool:
        """Whether its thread does its work."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Send what is left and end."""
        self._over.set()
        if self.alive:
            self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            batches: list[_Batch] = []
            item = self._queue.get()
            while isinstance(item, _Batch):
                batches.append(item)
                if len(batches) == _AT_ONCE or self._queue.empty():
                    break
                item = self._queue.get()
            if batches:
                self._send_all(batches)
                if self._queue.qsize() < _AT_ONCE:
                    self._over.wait(_REST)
            if item is None:
                return
            if isinstance(item, int):
                self._last_time = item
                self._send_time(item)
                self._channels.send_kept(item)

    def _send_all(self, batches: list[_Batch]) -> None:
        """Send what some slices recorded, stream by stream."""
        time = batches[-1].time
        if time - self._last_time >= _CLOCK:
            self._last_time = time
            self._send_time(time)
        by_stream: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
        for batch in batches:
            for index, times, rows in batch.rows:
                by_stream.setdefault(index, []).append((times, rows))
        for index, pieces in by_stream.items():
            heard = [outlet for outlet in self._channels.streams[index] if outlet.heard]
            if heard:
                times, rows = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
                for outlet in heard:
                    self._send(outlet, times, rows)
        for batch in batches:
            for camera, picture in batch.pictures:
                self._send_picture(camera, picture)

    def _send(self, outlet: Outlet, times: np.ndarray, rows: np.ndarray) -> None:
        stamps = np.rint(times * 1e9).astype(np.int64).tolist()
        encoded = outlet.encoder.encode(times, rows if outlet.columns is None else rows[:, outlet.columns])
        for channel, messages in zip(outlet.channels, encoded, strict=True):
            if channel.has_sinks():
                log = channel.base.log  # without the library's look at what kind of message it is, which takes as long again
                for stamp, message in zip(stamps, messages, strict=True):
                    log(message, stamp)
                self.sent += len(messages)

    def _send_picture(self, camera: str, picture: Picture) -> None:
        eye, channels = self._channels.pictures[camera]
        if any(channel.has_sinks() for channel, _ in channels):
            stamp = round(picture.time * 1e9)
            for (channel, _), message in zip(channels, messages_of(eye, picture), strict=True):
                if channel.has_sinks():
                    channel.log(message, log_time=stamp)
                    self.sent += 1
