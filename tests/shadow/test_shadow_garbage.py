"""A shadow goes on where stamps are no times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import didymos
from didymos.shadow.source import Arrival
from didymos.shadow.sources.log import LogSource


class Garbled:
    """A recording whose robot now and then says nonsense."""

    live = False

    def __init__(self, source: LogSource) -> None:
        self._source, self.signals = source, source.signals

    def read(self, seconds: float) -> Sequence[Arrival]:
        here = list(self._source.read(seconds))
        for stamp in (1e300, float("inf"), float("nan"), -1e300):
            here.insert(len(here) // 2, Arrival(stamp, here[0].received, {"parts.drive.position": 1e9}))
        return here

    def notices(self) -> Sequence[str]:
        return self._source.notices()

    def close(self) -> None:
        self._source.close()


def test_stamps_that_are_no_times_are_left_out_with_one_sentence(tmp_path: Path) -> None:
    twin = didymos.load("power_unit")
    twin.simulate(scenario="sine").run(1.5, record=tmp_path / "sine.mcap")
    shadow = didymos.Shadow(twin, Garbled(LogSource(twin, [str(tmp_path / "sine.mcap")])))
    summary = shadow.run()
    assert summary.seconds == pytest.approx(1.5, abs=0.02)
    assert (summary.alarms, len(shadow.notices)) == ([], 1)
    assert "no time of a robot's clock" in shadow.notices[0]
