"""A recording that lags its twin is told where no lag is free, by how much and what to free; one that does not lag is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from didymos.describe.twin import Twin
from didymos.fitting import Fit, fit, read_recording

LAG = 0.006  # [s]
FREE = {"parts.drive.coulomb": (0.0, 0.2), "parts.drive.rotor_inertia": (5e-5, 1e-3)}
Columns = dict[str, np.ndarray]


def late(columns: Columns) -> None:
    columns["time"] += LAG


def late_velocity(columns: Columns) -> None:
    columns["vel"] = np.interp(columns["time"] - LAG, columns["time"], columns["vel"])


def run(bench: Twin, file: Path, **more: tuple[float, float]) -> Fit:
    return fit(bench, [read_recording(bench, file)], FREE | {f"recording.{name}": bounds for name, bounds in more.items()})


def test_a_recording_that_lags_is_told_with_its_lag_and_what_to_free(bench: Twin, record: Callable[..., Path]) -> None:
    file = record(change=late)
    found = run(bench, file)
    (lag,) = found.lags
    assert lag.column is None
    assert lag.seconds == pytest.approx(LAG, abs=2.0 * lag.half_width)  # of the 95 % interval: 4 standard deviations
    assert lag.half_width < 0.2 * LAG
    assert found.warnings[0] == lag.text
    assert "sine.csv is " in lag.text
    assert "ms behind the twin" in lag.text
    assert "free recording.clock_offset" in lag.text
    freed = run(bench, file, clock_offset=(-0.02, 0.02))
    assert freed.lags == ()
    assert not any("behind the twin" in text for text in freed.warnings)


def test_a_column_that_lags_is_named(bench: Twin, record: Callable[..., Path]) -> None:
    found = run(bench, record(change=late_velocity))
    assert {"vel"} <= {lag.column for lag in found.lags}
    assert "free recording.delay.vel" in found.warnings[0]


def test_recordings_that_do_not_lag_are_not_accused(bench: Twin, record: Callable[..., Path]) -> None:
    assert all(run(bench, record(seed)).lags == () for seed in range(3))


def test_a_recording_that_is_ahead_is_told_so(bench: Twin, record: Callable[..., Path]) -> None:
    def early(columns: Columns) -> None:
        columns["time"][:] = np.maximum(columns["time"] - LAG, 0.0)

    assert "ms ahead of the twin" in run(bench, record(change=early)).warnings[0]
