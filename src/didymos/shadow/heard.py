"""A source that lets others hear, too: what a shadow reads of its robot goes to them first, as it came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from didymos.shadow.source import Arrival, Source

__all__ = ["Heard", "Hears"]


class Hears(Protocol):
    """Somebody who wants to know what came."""

    def heard(self, arrivals: Sequence[Arrival]) -> None:
        """Take what came at once, nothing where nothing did; called each time that the source was asked."""
        ...


class Heard:
    """A source (see `Source`) and those who hear with its reader, on the reader's thread."""

    def __init__(self, source: Source, *others: Hears) -> None:
        self._source, self._others = source, others

    @property
    def live(self) -> bool:
        """Whether time passes by itself."""
        return self._source.live

    @property
    def signals(self) -> tuple[str, ...]:
        """What it may tell of."""
        return self._source.signals

    def read(self, seconds: float) -> Sequence[Arrival]:
        """What has come since the last time."""
        arrivals = self._source.read(seconds)
        for other in self._others:
            other.heard(arrivals)
        return arrivals

    def notices(self) -> Sequence[str]:
        """What there is to say since the last time."""
        return self._source.notices()

    def close(self) -> None:
        """Let go of the wire."""
        self._source.close()
