"""The rotor: thrust and torque by the square of its speed, the speed following with a lag."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

BENCH = """<mujoco><worldbody><body name="stand"><geom size=".1" mass="1"/></body></worldbody></mujoco>"""
ROTOR = {
    "kind": "rotor", "link": "stand", "direction": -1, "thrust_coefficient": 2e-5, "torque_coefficient": 3e-7,
    "speed_per_input": 800.0, "speed_at_zero": 50.0,
}  # fmt: skip


def _full(target: str) -> dict[str, Any]:
    return {"seconds": 0.5, "stimuli": [{"target": f"inputs.{target}", "kind": "constant", "value": 0.75}]}


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
def test_on_a_bench_the_speed_follows_an_exponential(make_twin: Any, integrator: str) -> None:
    twin = make_twin(
        BENCH,
        world={"integrator": integrator, "step": 0.001},
        parts={"rotor": ROTOR | {"time_constant": 0.05}},
        scenarios={"spin": _full("rotor")},
    )
    log = twin.simulate(scenario="spin").run()
    speed = log["parts.rotor.speed"]
    settled = 800.0 * 0.75 + 50.0
    expected = -settled * (1.0 - np.exp(-speed.time / 0.05))
    # RK4 on x' = -x/T: local error (h/T)^5/120, over T/h steps (h/T)^4/120 = 1.3e-9 of the amplitude. The engine's
    # implicit integrator advances activations by explicit Euler: (h/T)/2 max of s e^-s = 0.0037 of it.
    tolerance = 2e-9 if integrator == "rk4" else 0.004
    np.testing.assert_allclose(speed.values, expected, atol=tolerance * settled)
    thrust = log["parts.rotor.thrust"].values
    np.testing.assert_allclose(thrust, 2e-5 * speed.values**2, rtol=2e-5)  # air of 1.22500 kg/m^3 at height 0


def test_without_lag_the_speed_is_there_at_once(make_twin: Any) -> None:
    twin = make_twin(BENCH, parts={"rotor": ROTOR}, scenarios={"spin": _full("rotor")})
    log = twin.simulate(scenario="spin").run()
    assert (log["parts.rotor.speed"].values == -650.0).all()
