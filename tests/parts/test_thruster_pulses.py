"""Pulses of a thruster pair: edges between ticks, exact impulses, rise time and the smallest impulse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from laws import Law, record, step
from pydantic import ValidationError

from didymos.parts.thruster_pair import ThrusterPair
from didymos.record.log import Log

MASS, THRUST, PERIOD = 2.0, 0.3, 0.1
BODY = f"""<mujoco><option gravity="0 0 0"/><worldbody><body name="body"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="{MASS}" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
PAIR = {"thrust": THRUST, "exhaust_speed": 400.0, "gas": 0.05, "period": PERIOD}


def speed_after(make_twin: Any, seconds: float, *, integrator: str, duty: Any, **numbers: float) -> tuple[float, Any]:
    """Velocity along x at a time, and the log."""
    stimulus = duty if isinstance(duty, dict) else {"kind": "constant", "value": duty}
    twin = make_twin(
        BODY,
        world={"step": 0.002, "integrator": integrator, "gravity": 0.0},
        parts={"jet": {"kind": "thruster_pair", "link": "body"} | PAIR | numbers},
        scenarios={"run": {"seconds": seconds, "stimuli": [{"target": "inputs.jet"} | stimulus]}},
    )
    simulation = twin.simulate(scenario="run")
    log: Log = simulation.run()
    return float(simulation.data.qvel[0]), log


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
@pytest.mark.parametrize("duty", [0.12, -0.37, 0.0131, 1.0, 0.5])
def test_a_period_delivers_its_share_whatever_the_ticks(make_twin: Any, integrator: str, duty: float) -> None:
    """Ticks are of 10 ms and steps of 2 ms: T duty t to rounding, where a duty of 0.12 once delivered 0.20."""
    speed, log = speed_after(make_twin, 1.0, integrator=integrator, duty=duty)
    assert speed == pytest.approx(THRUST * duty * 1.0 / MASS, rel=1e-12)
    assert 0.05 - log["parts.jet.gas"].values[-1] == pytest.approx(THRUST * abs(duty) / 400.0, rel=0.2)


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
@pytest.mark.parametrize("numbers", [{"rise_time": 0.007}, {"rise_time": 0.1}, {"period": 0.0473}, {"period": 0.0031}])
def test_neither_a_rise_time_nor_an_odd_period_costs_impulse(make_twin: Any, integrator: str, numbers: dict[str, float]) -> None:
    """Whole periods within 0.3 s, then silence for longer than the thrust needs to fall."""
    period = numbers.get("period", PERIOD)
    stop = {"kind": "pulse", "start": 0.0, "end": 0.3, "value": 0.33}
    speed, _ = speed_after(make_twin, 0.6, integrator=integrator, duty=stop, **numbers)
    begun = int(np.ceil(0.3 / period - 1e-9))  # periods that begin while the duty is there
    assert speed == pytest.approx(THRUST * 0.33 * period * begun / MASS, rel=1e-11)


def test_thrust_rises_and_falls_linearly_behind_the_valve() -> None:
    rise, width, h = 0.02, 0.05, 1e-5
    law = Law(ThrusterPair, rise_time=rise, **PAIR)
    memory = {"awake": 1.0, "duty_now": width / PERIOD}
    for t in (0.0, 0.004, 0.015, 0.03, 0.049, 0.0575, 0.069, 0.08):
        found = law(memory=memory, step=h, step_time=t).force[0]
        middle = t + 0.5 * h
        expected = np.clip(middle / rise, 0.0, 1.0) - np.clip((middle - width) / rise, 0.0, 1.0)
        assert found == pytest.approx(THRUST * expected, abs=1e-12)


def test_full_thrust_goes_on_from_period_to_period() -> None:
    law = Law(ThrusterPair, rise_time=0.03, **PAIR)
    memory = {"awake": 1.0, "number": 1.0, "last_duty": 1.0, "duty_now": 1.0}
    for t in np.linspace(PERIOD, 1.9 * PERIOD, 37):
        assert law(memory=memory, step=0.002, step_time=t).force[0] == pytest.approx(THRUST, rel=1e-12)


def test_all_stages_of_a_step_answer_the_same() -> None:
    law = Law(ThrusterPair, **PAIR)
    memory = {"awake": 1.0, "duty_now": 0.0131}
    stages = [law(memory=memory, step=0.002, step_time=0.0, time=t).force[0] for t in (0.0, 0.001, 0.002)]
    assert stages == [pytest.approx(THRUST * 0.00131 / 0.002, rel=1e-12)] * 3


@pytest.mark.parametrize(("duty", "happens"), [(0.29, False), (-0.29, False), (0.3, True), (-0.31, True)])
def test_a_pulse_below_the_minimum_impulse_bit_does_not_happen(make_twin: Any, duty: float, happens: bool) -> None:
    speed, _ = speed_after(make_twin, 0.5, integrator="rk4", duty=duty, minimum_impulse_bit=0.009)  # 0.3 N for 30 ms
    assert speed == pytest.approx(THRUST * duty * 0.5 / MASS if happens else 0.0, rel=1e-12)


def test_the_duty_of_a_period_is_the_one_commanded_when_it_began() -> None:
    numbers = np.array([ThrusterPair.spec(link="body", **(PAIR | {"period": 0.025})).record()])
    memory, output = np.zeros(1, ThrusterPair.memory_layout), np.zeros(1, ThrusterPair.output_layout)
    held = []
    for tick, duty in enumerate((0.1, 0.2, 0.3, 0.4, 0.5, 0.6)):  # ticks of 10 ms, periods begin at 0, 25, 50 ms
        step(ThrusterPair, numbers, record(ThrusterPair.input_layout, {"duty": duty}), memory, output, time=0.01 * tick)
        held.append((float(memory["number"][0]), float(memory["duty_now"][0]), float(memory["next_duty"][0])))
    assert held == [(0, 0.1, 0.1), (0, 0.1, 0.2), (0, 0.1, 0.3), (1, 0.3, 0.4), (1, 0.3, 0.5), (2, 0.6, 0.6)]


def test_the_two_nozzles_are_mirror_images_and_use_the_same_gas() -> None:
    law, rng = Law(ThrusterPair, rise_time=0.01, **PAIR), np.random.default_rng(4)
    for _ in range(10_000):
        duties, t, h = rng.uniform(-1.0, 1.0, 3), rng.uniform(0.0, 2 * PERIOD), 10.0 ** rng.uniform(-4, -1)
        names = ("last_duty", "duty_now", "next_duty")
        one, other = (
            law(memory=dict(zip(names, side, strict=True)), state={"used": 0.01}, step=h, step_time=t)
            for side in (duties, -duties)
        )
        assert one.force[0] == -other.force[0]
        assert abs(one.force[0]) <= THRUST * (1.0 + 1e-12)
        assert one.rate["used"] == other.rate["used"] == pytest.approx(abs(one.force[0]) / 400.0)


def test_a_rise_longer_than_a_period_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"found rise_time 0\.2, expected at most the period, 0\.1 s"):
        ThrusterPair.spec(link="body", rise_time=0.2, **PAIR)
