"""An alarm: what a shadow noticed, since when, how large it is and what is likely behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Alarm", "Likely"]

_CLOSE, _SHOWN = 0.1, 3  # probability from which on another cause is named beside the likeliest, and how many at most


@dataclass(frozen=True)
class Likely:
    """A cause and how well it explains what was seen.

    Attributes:
        cause: `mass`, `friction`, `actuator`, `bias`, `delay`, `wind` or a declared one's own name.
        of: the link, joint, part, sensor or signal that it is about; empty where it is about all.
        size: estimated, in `unit`; `sd` its standard deviation.
        unit: `1` for a share: 0.2 is 20 % more, -0.15 is 15 % less.
        probability: among all declared causes, after the readings until now.
    """

    cause: str
    of: str
    size: float
    sd: float
    unit: str
    probability: float

    def __str__(self) -> str:
        about = f" of {self.of}" if self.of else ""
        size = f"{100.0 * self.size:+.0f} %" if self.unit == "1" else f"{self.size:+.3g} {self.unit}"
        return f"{self.cause}{about} {size}"


@dataclass(frozen=True)
class Alarm:
    """Something is wrong.

    Attributes:
        number: of the alarm, from 1 on.
        time: [s] of the robot's clock when it was raised.
        since: [s] when it is thought to have begun.
        signals: that show it, the clearest first.
        statistic, threshold: what was compared.
        likely: causes, the most probable first.
    """

    number: int
    time: float
    since: float
    signals: tuple[str, ...]
    statistic: float
    threshold: float
    likely: tuple[Likely, ...] = field(default=())

    @property
    def cause(self) -> Likely | None:
        """The most probable one; None where nothing declared explains it."""
        return self.likely[0] if self.likely else None

    def __str__(self) -> str:
        cause = self.cause
        close = [one for one in self.likely[:_SHOWN] if one is cause or one.probability >= _CLOSE]
        why = ", or ".join(f"{one} ({100.0 * one.probability:.0f} %)" for one in close) or "no declared cause explains it"
        shown = ", ".join(self.signals[:3])
        return f"t = {self.time:.2f} s: {why}; since {self.since:.2f} s, seen in {shown}"

    @property
    def facts(self) -> dict[str, Any]:
        """As plain data, for scripts."""
        return {
            "alarm": self.number, "time": self.time, "since": self.since, "signals": list(self.signals),
            "statistic": self.statistic if math.isfinite(self.statistic) else None, "threshold": self.threshold,
            "causes": [
                {"cause": one.cause, "of": one.of, "size": one.size, "sd": one.sd, "unit": one.unit,
                 "probability": one.probability}
                for one in self.likely
            ],
        }  # fmt: skip
