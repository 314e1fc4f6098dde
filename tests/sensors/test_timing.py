"""When a sensor reads, when its reading arrives and what it is stamped with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control import Values

CART = """<mujoco><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/>
  </body></worldbody></mujoco>"""


class Watching(didymos.Controller):
    """Notes what it sees and when."""

    rate = 1000.0

    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        self.seen.append((t, measured.encoder.rail.position))
        return {}


def _watch(make_twin: Any, **sensor: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Times, what a program saw then, and the log of a cart at 1 m/s: a position is the time at which it was true."""
    twin = make_twin(
        CART, world={"step": 0.001, "integrator": "rk4"}, sensors={"encoder": {"kind": "joints"} | sensor}
    )
    program = Watching()
    simulation = twin.simulate(control=program)
    simulation.data.qvel[0] = 1.0
    log = simulation.run(0.5)
    times, seen = np.array(program.seen).T
    return times, seen, log


@pytest.mark.parametrize("delay", [0.0, 0.001, 0.007, 0.033])
@pytest.mark.parametrize("rate", [1000, 100, 40])
def test_a_reading_arrives_exactly_after_its_delay(make_twin: Any, rate: int, delay: float) -> None:
    times, seen, log = _watch(make_twin, rate=rate, delay=delay)
    ticks = np.arange(500)
    late = ticks - round(delay * 1000)
    latest = np.floor_divide(late, 1000 // rate) * (1000 // rate)  # tick of the last reading that has arrived
    expected = np.where(late >= 0, latest * 0.001, 0.0)
    np.testing.assert_allclose(times, ticks * 0.001, atol=1e-12)
    np.testing.assert_allclose(seen, expected, atol=1e-12)  # 500 sums of 0.001 m
    stamps, values = log["encoder.rail.position"].time, log["encoder.rail.position"].values
    np.testing.assert_allclose(stamps, values, atol=1e-9)  # stamped with the time of measurement, to the nanosecond
    assert len(stamps) == sum(1 for k in range(0, 500, 1000 // rate) if k + round(delay * 1000) < 500)


def test_a_rate_that_does_not_divide_the_clock_is_kept_on_average(make_twin: Any) -> None:
    _, _, log = _watch(make_twin, rate=300)
    stamps = log["encoder.rail.position"].time
    assert len(stamps) == 150
    gaps = np.round(np.diff(stamps) * 1000)
    assert set(gaps) == {3.0, 4.0}  # 3.33 ms
    # each reading comes at the first tick at which its turn has come: less than a tick late
    lateness = stamps - np.arange(150) / 300
    assert lateness.min() > -1e-9
    assert lateness.max() < 0.001


def test_a_lost_reading_leaves_the_last_one_standing(make_twin: Any) -> None:
    _, seen, log = _watch(make_twin, rate=1000, drop_out=0.5)
    stamps = log["encoder.rail.position"].time
    ticks = np.round(stamps * 1000).astype(int)
    expected = np.zeros(500)
    for tick in ticks:
        expected[tick:] = tick * 0.001
    np.testing.assert_allclose(seen, expected, atol=1e-12)
    assert 150 < len(ticks) < 350  # 250 +- 100 is nine standard deviations


def test_an_outage_swallows_all_readings_of_its_time(make_twin: Any) -> None:
    """Of one second, outages of 20 ms that begin 10 times a second of sight: lost 0.02 / (0.02 + 0.1) of it on average."""
    _, _, log = _watch(make_twin, rate=1000, outage_rate=10.0, outage_time=0.02)
    ticks = np.round(log["encoder.rail.position"].time * 1000).astype(int)
    gaps = np.diff(ticks)
    assert set(gaps[gaps > 1] % 20) == {1}  # whole outages, now and then two in a row
    lost = 500 - len(ticks)
    assert 20 <= lost <= 200  # 83 on average; its standard deviation is 32


class Stamped(Watching):
    """Notes the stamp of what it sees."""

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        self.seen.append((t, measured.encoder.stamp))
        return {}


@pytest.mark.parametrize("errors", [0.0, 1.0])
def test_a_program_learns_of_a_new_reading_by_its_stamp(make_twin: Any, errors: float) -> None:
    """A cart that stands still reads the same number for ever; only its stamps move: at 40 Hz, 7 ms late, -1 before the first."""
    sensor = {"kind": "joints", "rate": 40, "delay": 0.007, "errors": errors}
    twin = make_twin(CART, world={"step": 0.001, "integrator": "rk4"}, sensors={"encoder": sensor})
    program = Stamped()
    simulation = twin.simulate(control=program)
    simulation.run(0.1)
    ticks = np.arange(100)
    expected = np.where(ticks < 7, -1.0, np.floor_divide(ticks - 7, 25) * 0.025)
    np.testing.assert_allclose(np.array(program.seen)[:, 1], expected, atol=1e-12)
    program.seen.clear()
    simulation.reset()
    simulation.run(0.003)
    assert [stamp for _, stamp in program.seen] == [-1.0] * 3
