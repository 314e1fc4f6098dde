"""Which signals of a robot are one stream of its log: those of a sensor or part that came together; the twin's beside them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from didymos.record.stream import Kind, StreamLayout

__all__ = ["PredictedGroup", "SignalGroup", "grouped"]

_ANGLES = tuple(f".orientation.{axis}" for axis in "xyz")


@dataclass(frozen=True)
class SignalGroup:
    """Signals of one stream, and its layout."""

    signals: tuple[str, ...]
    layout: StreamLayout

    @property
    def name(self) -> str:
        """Of the stream."""
        return self.layout.name

    @cached_property
    def members(self) -> frozenset[str]:
        """The signals, for whoever asks whether one is among them."""
        return frozenset(self.signals)


@dataclass(frozen=True)
class PredictedGroup:
    """The stream `twin.NAME` with what a shadow makes of each signal of a stream.

    `places`: by signal, the columns of its prediction (-1 where there is none), innovation and standard deviation. The error of
    an attitude is a rotation vector [rad] in the body's frame: under its x, y and z stand innovation and standard deviation only.
    """

    layout: StreamLayout
    places: Mapping[str, tuple[int, int, int]]

    @classmethod
    def of(cls, group: SignalGroup, compared: Collection[str] | None) -> PredictedGroup:
        """That of those signals which are compared; None: all of them."""
        columns: list[str] = []
        units: list[str] = []
        places = {}
        for name, column, unit in zip(group.signals, group.layout.columns, group.layout.units, strict=True):
            angle = f".{name}".endswith(_ANGLES)
            if (compared is not None and name not in compared) or f".{name}".endswith(".orientation.w"):
                continue
            own = ("innovation", "sigma") if angle else ("predicted", "innovation", "sigma")
            first = len(columns)
            places[name] = (-1, first, first + 1) if angle else (first, first + 1, first + 2)
            columns += [f"{column}.{what}" for what in own]
            units += ["rad" if angle else unit] * len(own)
        return cls(StreamLayout(f"twin.{group.name}", Kind.SCALARS, tuple(columns), tuple(units)), places)


def grouped(together: Sequence[Sequence[str]], units: Mapping[str, str]) -> list[SignalGroup]:
    """Streams for all signals that there are units of: those with one first word whose appearances in `together` are the same."""
    came: dict[str, list[int]] = {}
    for number, signals in enumerate(dict.fromkeys(map(tuple, together))):
        for name in signals:
            came.setdefault(name, []).append(number)
    found: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for name in dict.fromkeys([*units, *came]):
        found.setdefault((name.partition(".")[0], tuple(came.get(name, ()))), []).append(name)
    return [_group(names, units) for names in found.values()]


def _group(names: Sequence[str], units: Mapping[str, str]) -> SignalGroup:
    """One stream, called as its names begin."""
    words = [name.split(".") for name in names]
    shared = list(takewhile(lambda same: len(set(same)) == 1, zip(*(word[:-1] for word in words), strict=False)))
    head = ".".join(same[0] for same in shared)
    columns = tuple(".".join(word[len(shared) :]) for word in words)
    return SignalGroup(tuple(names), StreamLayout(head, Kind.SCALARS, columns, tuple(units.get(name, "") for name in names)))
