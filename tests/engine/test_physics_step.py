"""The step that laws are told about is the engine's own, in every stage, and laws that need one integrator refuse others."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import didymos
from didymos.errors import InputError

BODY = """<mujoco><option gravity="0 0 0"/><worldbody><body name="body"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"""
CLOCK = '''from didymos.parts import Part
from didymos.contract import output, state
from didymos.parts.part import Motion, law

class Clock(Part):
    """Adds up, by weights of the integrator, when its step began and how long it is."""

    motion = Motion.FRAME
    begun = state()
    lengths = state()
    late = state()
    start = output()

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):
        rate.begun = here.step_time
        rate.lengths = here.step
        rate.late = 1.0 if here.time < here.step_time - 1e-12 or here.time > here.step_time + here.step + 1e-12 else 0.0
'''


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
@pytest.mark.parametrize("by_engine", [False, True])
def test_a_law_knows_when_its_step_began_and_how_long_it_is(make_twin: Any, integrator: str, by_engine: bool) -> None:
    """h sum of k h over n steps is h^2 n (n - 1) / 2, whether our loop or the engine's own steps; one stage off would show."""
    h, count = 0.004, 50
    twin = make_twin(
        BODY, world={"step": h, "integrator": integrator}, parts={"clock": {"kind": "clock.py:Clock", "link": "body"}},
        files={"clock.py": CLOCK},
    )  # fmt: skip
    simulation = twin.simulate()
    if by_engine:
        for _ in range(count):
            mujoco.mj_step(simulation.model, simulation.data)
    else:
        simulation.run(count * h)
    np.testing.assert_allclose(simulation.data.act, [h * h * count * (count - 1) / 2, count * h * h, 0.0], rtol=1e-9, atol=1e-15)


class _Wheels(didymos.Controller):
    """One diagonal of wheels at 1 rad/s: straight, at 45 deg."""

    rate = 100.0

    def update(self, t: float, measured: Any, setpoints: Any) -> dict[str, float]:
        return {"drive_1": 1.0, "drive_2": 0.0, "drive_3": 1.0, "drive_4": 0.0}


@pytest.mark.parametrize("step", [0.001, 0.0025, 0.01])
def test_a_kinematic_base_is_on_its_path_at_any_step(step: float) -> None:
    """r / 4 (w_1 + w_3) along x and y. It once had its own copy of the step, and another one threw it 16 km."""
    twin = didymos.load("omni_base", variant="kinematic")
    twin.set("world.step", step)
    simulation = twin.simulate(control=_Wheels())
    simulation.run(3.0)
    assert simulation.data.qpos[:2] == pytest.approx((0.15, 0.15), abs=1e-9)


@pytest.mark.parametrize(
    "part",
    [
        {"kind": "kinematic_base", "link": "body", "mass": 1, "inertia_x": 1, "inertia_y": 1, "inertia_z": 1},
        {"kind": "kinematic_wheel", "link": "body", "joint": "turn", "per_x": 1, "per_y": 0, "per_turn": 0, "inertia": 1},
    ],
)
def test_a_law_that_needs_another_integrator_is_refused_with_a_sentence(make_twin: Any, part: dict[str, Any]) -> None:
    model = BODY.replace("</body>", '<body name="w"><joint name="turn"/><geom size=".1"/></body></body>')
    make_twin(model, world={"integrator": "implicitfast"}, parts={"it": part})
    with pytest.raises(InputError, match=r"needs world\.integrator: implicitfast, found rk4"):
        make_twin(model, world={"integrator": "rk4"}, parts={"it": part})
