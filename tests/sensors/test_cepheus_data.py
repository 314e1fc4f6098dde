"""The space robot's sensors against recordings of the real ones: the same numbers, wherever a number was measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.record.log import Log


@pytest.fixture(scope="module")
def at_rest() -> Log:
    """Three minutes of the twin's sensors, real ones, nobody driving."""
    twin = didymos.load("cepheus", variant="driven")
    for sensor in ("base", "wrench"):
        twin.set(f"sensors.{sensor}.errors", 1.0)
    return twin.simulate(seed=4).run(185.0)


def structure(values: np.ndarray, lag: int) -> float:
    """Standard deviation of the change over a lag, divided by sqrt(2): that of white noise at any lag."""
    return float((values[lag:] - values[:-lag]).std() / np.sqrt(2.0))


@pytest.mark.parametrize("lag", [1, 5, 10, 100])
@pytest.mark.parametrize(("ours", "theirs"), [("position.x", "x_m"), ("position.y", "y_m"), ("yaw", "theta_rad")])
def test_motion_capture_scatters_and_wanders_as_measured(
    at_rest: Log, shared_data: Path, ours: str, theirs: str, lag: int
) -> None:
    """To 15 %, which is about what x and y, of one camera system, differ by (9.0 and 8.3 um at the shortest lag)."""
    real = Log.load(shared_data / "cepheus" / "mocap_stationary.csv")[theirs].values
    assert structure(at_rest[f"base.{ours}"].values, lag) == pytest.approx(structure(real, lag), rel=0.15)


@pytest.mark.parametrize(("file", "load", "first", "last"), [("force_1kg", 9.81, 12.0, 60.0), ("force_500g", 4.905, 36.0, 76.0)])
def test_the_force_sensor_reads_and_scatters_as_measured(
    at_rest: Log, shared_data: Path, file: str, load: float, first: float, last: float
) -> None:
    """Two weights that hang still: the scale within the 2 % by which the two recordings differ, the noise within 10 %."""
    table = np.genfromtxt(shared_data / "cepheus" / f"{file}.csv", delimiter=",", names=True)
    hung = table["fx_N"][(table["t_s"] > first) & (table["t_s"] < last)]
    twin = didymos.load("cepheus")
    assert twin.get("sensors.wrench.force.scale") == pytest.approx(-hung.mean() / load, rel=0.025)
    assert structure(at_rest["wrench.force.x"].values, 1) == pytest.approx(structure(hung, 1), rel=0.1)
    creep = structure(np.convolve(hung, np.ones(100) / 100, "valid"), 1000)  # of means of a second, over ten
    assert creep < structure(np.convolve(at_rest["wrench.force.x"].values, np.ones(100) / 100, "valid"), 1000) < 6.0 * creep


def test_an_encoder_counts() -> None:
    """2000 counts a turn of the motor, 186 turns of it a turn of the joint."""
    twin = didymos.load("cepheus", variant="driven")
    twin.set("sensors.encoders.errors", 1.0)
    log = twin.simulate(seed=1).run(0.1)
    counts = log["encoders.elbow.position"].values * 2000 * 186 / (2.0 * np.pi)
    np.testing.assert_allclose(counts, np.rint(counts), atol=1e-3)
    assert counts[0] == pytest.approx(1.8325957145940461 * 2000 * 186 / (2.0 * np.pi), abs=0.51)
