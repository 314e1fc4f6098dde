"""What a fit expects of a noisy sensor is its expected reading, not a draw of the twin's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from carts import COLUMNS, cart_twin, motion, write_csv

from didymos import Twin
from didymos.fitting import fit, read_recording, validate
from didymos.fitting.expected_readings import expect_readings

NOISE, SCALE = 0.02, 1.1  # [m], of the encoder; true is another one
DRAWN = {"noise": NOISE, "noise_density": 0.001, "bias": 0.2, "bias_walk": 0.05, "turn_on_bias": 0.1, "resolution": 0.01}
READ = COLUMNS | {"x": {"signal": "encoder.rail.position"}, "v": {"signal": "joints.rail.velocity", "weight": 0}}


def cart(**errors: float) -> Twin:
    """A cart whose encoder reads with errors, some of them missing."""
    encoder = {"kind": "joints", "rate": 100, "drop_out": 0.3, "outage_rate": 0.5, "outage_time": 0.2, "position": errors}
    return cart_twin(sensors={"encoder": encoder}, recordings={"columns": READ})


def test_readings_are_expected_with_known_errors_and_without_draws(tmp_path: Path) -> None:
    columns = motion(2.0, start=(0.0, 0.0))
    columns["x"] = SCALE * columns["x"]
    twin = cart(scale=SCALE, **DRAWN)
    found = validate(twin, [read_recording(twin, write_csv(tmp_path / "a.csv", columns))])
    (row,) = (row for row in found.rows if row.signal == "encoder.rail.position")
    assert row.after < 1e-9
    assert twin.get("sensors.encoder.position.noise") == NOISE  # it is as it was


def test_a_residual_is_as_large_as_the_noise_of_the_recording(tmp_path: Path) -> None:
    """With draws of the twin's own it would be larger by the root of two, and a right model would be called wrong."""
    columns = motion(3.0, 8.0, start=(0.0, 0.0))
    count = len(columns["x"])
    columns["x"] = columns["x"] + NOISE * np.random.default_rng(5).standard_normal(count)
    twin = cart(noise=NOISE)
    found = fit(twin, [read_recording(twin, write_csv(tmp_path / "a.csv", columns))], {"links.cart.mass": (0.5, 5.0)})
    (item,) = (item for item in found.evaluations if item.channel.column.name == "x")
    assert item.rmse_after == pytest.approx(NOISE, rel=5.0 / np.sqrt(2.0 * count))  # five standard deviations of its estimate
    assert found.converged
    assert found.values()["links.cart.mass"] == pytest.approx(3.0, rel=0.01)


def test_no_draw_is_left_out() -> None:
    twin = cart(**DRAWN)
    expected = expect_readings(twin)
    assert [path for path in twin.parameters if expected.get(path) != twin.get(path)] == [
        "sensors.encoder.drop_out", "sensors.encoder.outage_rate", *(f"sensors.encoder.position.{name}" for name in DRAWN)
    ]  # fmt: skip
