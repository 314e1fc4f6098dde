"""Pictures of one camera on their way into an MCAP file: messages, and the index that follows their chunk."""

from __future__ import annotations

from didymos.record.image import Picture, PinHole, messages_of, topics_of
from didymos.record.mcap_chunk import index_record, message_record

__all__ = ["ImageWriter"]


class ImageWriter:
    """Collects pictures until they are written; its channels are numbered from `first_channel`, three at most."""

    def __init__(self, eye: PinHole, first_channel: int) -> None:
        self.topics = topics_of(eye)
        self.channels = range(first_channel, first_channel + len(self.topics))
        self.written = 0
        self._eye = eye
        self._pictures: list[Picture] = []

    @property
    def count(self) -> int:
        """Pictures that wait."""
        return len(self._pictures)

    def add(self, picture: Picture) -> None:
        """Take a picture."""
        self._pictures.append(picture)

    def empty(self) -> tuple[bytes, bytes, dict[int, int], tuple[int, int]]:
        """Messages, index records, where in them each channel's begins, first and last time [ns] of all that wait.

        `written` tells how many pictures that were.
        """
        data = bytearray()
        entries: dict[int, list[tuple[int, int]]] = {channel: [] for channel in self.channels}
        times = [round(picture.time * 1e9) for picture in self._pictures]
        for picture, time in zip(self._pictures, times, strict=True):
            messages = messages_of(self._eye, picture)
            for channel, message in zip(self.channels, messages, strict=True):
                entries[channel].append((time, len(data)))
                data += message_record(channel, time, message)
        index, offsets = bytearray(), {}
        for channel, rows in entries.items():
            offsets[channel] = len(index)
            index += index_record(channel, rows)
        self.written = len(self._pictures)
        self._pictures.clear()
        return bytes(data), bytes(index), offsets, (min(times), max(times))
