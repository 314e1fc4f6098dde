"""Intervals of a drive, through `fit`, beside the truth: as many hold it as should. docs/make_coverage.py is the larger study."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.signal import lfilter
from scipy.stats import binom

from didymos import Twin
from didymos.fitting import Channel, Column, Recording, fit
from didymos.record.log import Log

FITS, SURE = 40, 1e-4
COLUMNS = (
    (Column("pos", "parts.drive.output_position", weight=10.0), 0.002), (Column("vel", "parts.drive.output_velocity"), 0.03),
)  # fmt: skip
KINDS = ("white", "slow", "slower", "shared")
CORRELATION = {"slow": 0.9, "slower": 0.98}


def noise(kind: str, rng: np.random.Generator, samples: int) -> np.ndarray:
    """Of standard deviation 1 in two channels, shape [samples, 2]."""
    fresh = rng.standard_normal((samples, 2))
    if kind in CORRELATION:
        fresh[1:] *= np.sqrt(1.0 - CORRELATION[kind] ** 2)
        return lfilter([1.0], [1.0, -CORRELATION[kind]], fresh, axis=0)
    return 0.8 * rng.standard_normal((samples, 1)) + 0.6 * fresh if kind == "shared" else fresh


def recorded(log: Log, kind: str, samples: int, seed: int) -> Recording:
    time = np.linspace(0.0, 0.98, samples)
    errors = noise(kind, np.random.default_rng(seed), samples)
    channels = [
        Channel(column, time, np.interp(time, log[column.signal].time, log[column.signal].values) + size * error)
        for (column, size), error in zip(COLUMNS, errors.T, strict=True)
    ]
    return Recording(Path("sine.csv"), "sine", tuple(channels))


def test_intervals_of_a_drive_hold_the_truth_as_often_as_they_say(bench: Twin) -> None:
    log = bench.simulate(scenario="sine").run()
    truth = {"parts.drive.coulomb": 0.07, "parts.drive.rotor_inertia": 3e-4, "parts.drive.kd": 0.05}
    twin = bench.copy()
    twin.set_all({"parts.drive.coulomb": 0.05, "parts.drive.rotor_inertia": 2.5e-4, "parts.drive.kd": 0.06})
    away = np.array([
        [2.0 * (item.after - truth[item.path]) / np.ptp(item.interval) for item in found.parameters if item.interval]
        for found in (
            fit(twin, [recorded(log, KINDS[i % 4], (20, 60, 150)[i % 3], i)], bench.file.fit.parameters, threads=2)
            for i in range(FITS)
        )
    ])  # fmt: skip
    assert away.shape == (FITS, 3)  # all have an interval
    outside, inner = (np.abs(away) > 1.0).sum(axis=0), (np.abs(away) < 0.5).sum(axis=0)
    assert np.all(outside <= binom.isf(SURE, FITS, 0.05)), away
    assert np.all(inner <= binom.isf(SURE, FITS, 0.673)), away  # P(|z| < 0.98): twice the width would put 95 % there
