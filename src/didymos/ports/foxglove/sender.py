"""Everything that a run records goes out to viewers, on a thread of its own: the run never waits for one.

What nobody has subscribed to is not even encoded. Rows wait in a queue with an end; where this thread cannot follow, those that
find it full are dropped and counted. A viewer that reads too slowly loses its oldest messages (the library's business), and
neither the run nor the others notice.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread

import numpy as np

from didymos.engine.row_buffer import Row
from didymos.ports.foxglove.outlets import Channels, Outlet
from didymos.record.cdr import ros2_types
from didymos.record.image import Picture, messages_of

__all__ = ["Sender"]

_ROOM = 5_000  # slices on their way: some seconds
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
        if self.alive:
            self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            if isinstance(item, int):
                self._last_time = item
                self._send_time(item)
                self._channels.send_kept(item)
                continue
            if item.time - self._last_time >= _CLOCK:
                self._last_time = item.time
                self._send_time(item.time)
            for index, times, rows in item.rows:
                for outlet in self._channels.streams[index]:
                    if outlet.heard:
                        self._send(outlet, times, rows)
            for camera, picture in item.pictures:
                self._send_picture(camera, picture)

    def _send(self, outlet: Outlet, times: np.ndarray, rows: np.ndarray) -> None:
        stamps = np.rint(times * 1e9).astype(np.int64).tolist()
        encoded = outlet.encoder.encode(times, rows if outlet.columns is None else rows[:, outlet.columns])
        for channel, messages in zip(outlet.channels, encoded, strict=True):
            if channel.has_sinks():
                for stamp, message in zip(stamps, messages, strict=True):
                    channel.log(message, log_time=stamp)
                self.sent += len(messages)

    def _send_picture(self, camera: str, picture: Picture) -> None:
        eye, channels = self._channels.pictures[camera]
        if any(channel.has_sinks() for channel, _ in channels):
            stamp = round(picture.time * 1e9)
            for (channel, kind), message in zip(channels, messages_of(eye, picture), strict=True):
                if channel.has_sinks():
                    channel.log(bytes(ros2_types().serialize_cdr(message, kind)), log_time=stamp)
                    self.sent += 1
