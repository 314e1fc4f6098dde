"""Terms that are nothing for a robot are not computed, those that are something always: the same bits as with all of them."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import pytest

from didymos.engine.idle_terms import CONSTRAINT, PASSIVE, plan_idle

FREE = '<body name="b"><freejoint name="free"/><geom size=".1" mass="1"/></body>'
PENDULUM = """<mujoco><worldbody><body name="body"><joint name="hinge" axis="0 1 0"/>
  <geom size=".05" pos=".3 0 0" mass="1"/></body></worldbody></mujoco>"""


def _hinge(joint: str = "", body: str = "") -> str:
    return f'<body name="b" {body}><joint name="j" {joint}/><geom size=".1" pos=".3 0 0" mass="1"/></body>'


def _run(twin: Any, act: Any = lambda simulation: None, scenario: str | None = None) -> Any:
    """A run in the middle of which something is done; its states are those of a run that computes all terms."""
    found, built = [], 0
    for everything in (True, False):
        simulation = twin.simulate(scenario=scenario)
        if everything:
            simulation.packed.world["idle"]["possible"] = 0
        built = int(simulation.model.opt.disableflags)
        for k in range(6):
            if k == 3:
                act(simulation)
            simulation.advance(50)
            found.append(simulation.data.qpos.tobytes() + simulation.data.qvel.tobytes() + simulation.data.sensordata.tobytes())
            assert int(simulation.model.opt.disableflags) == built  # whoever steps the model next has all of it
    assert found[:6] == found[6:]
    return simulation


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        (FREE, CONSTRAINT | PASSIVE),
        (_hinge(), CONSTRAINT | PASSIVE),
        (_hinge('damping="1" stiffness="2" frictionloss=".1"'), CONSTRAINT | PASSIVE),  # they can be set to zero
        (_hinge('range="-1 1"'), PASSIVE),
        (_hinge(body='gravcomp="1"'), CONSTRAINT),
        (_hinge('damping="1 2"'), CONSTRAINT),
    ],
    ids=["floats", "turns", "numbers that can be set", "has a limit", "gravity is compensated", "damping grows with speed"],
)
def test_a_term_may_be_left_out_where_nothing_but_a_number_can_bring_it_back(text: str, terms: int) -> None:
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    assert plan_idle(model).possible == terms


def test_what_a_description_switches_off_stays_off() -> None:
    flags = '<option><flag spring="disable" constraint="disable"/></option>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{flags}<worldbody>{FREE}</worldbody></mujoco>")
    assert plan_idle(model).possible == 0


def test_a_rope_and_a_weld_are_always_computed() -> None:
    two = FREE + FREE.replace('"b"', '"c"').replace('"free"', '"other"')
    weld = '<equality><weld body1="b" body2="c"/></equality>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{two}</worldbody>{weld}</mujoco>")
    assert plan_idle(model).possible == PASSIVE
    rope = '<tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{_hinge()}</worldbody>{rope}</mujoco>")
    assert plan_idle(model).possible == 0


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
def test_a_body_falls_and_lands_in_the_same_bits(make_twin: Any, integrator: str) -> None:
    world = {"integrator": integrator, "step": 0.0025, "ground": {}}
    twin = make_twin(world=world, start={"position": [0.0, 0.0, 1.0], "angular_velocity": [3.0, 5.0, 1.0]})
    simulation = _run(twin)
    assert simulation.data.ncon > 0  # it has landed: contacts were found again


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
@pytest.mark.parametrize("number", ["damping", "friction"])
def test_damping_and_friction_count_from_the_tick_at_which_they_are_set(make_twin: Any, integrator: str, number: str) -> None:
    world = {"integrator": integrator, "step": 0.001, "gravity": 0.0}
    twin = make_twin(PENDULUM, world=world, start={"joint_velocities": {"hinge": 4.0}})
    simulation = _run(twin, lambda simulation: simulation.set(f"joints.hinge.{number}", 0.03))
    inertia, seconds = 0.3**2 + 0.4 * 0.05**2, 150 * simulation.period
    slowed = 4.0 * math.exp(-0.03 * seconds / inertia) if number == "damping" else 4.0 - 0.03 * seconds / inertia
    assert simulation.data.qvel[0] == pytest.approx(slowed, rel=1e-3)  # a step of first order is off by h t (c / I)^2 / 2 = 8e-5


def test_a_spring_and_a_medium_that_somebody_gives_the_model_are_felt(make_twin: Any) -> None:
    twin = make_twin(PENDULUM, world={"gravity": 0.0}, start={"joint_velocities": {"hinge": 4.0}})

    def stiffen(simulation: Any) -> None:
        simulation.model.jnt_stiffness[0] = 3.0

    assert abs(_run(twin, stiffen).data.qvel[0] - 4.0) > 1e-3
    for name in ("density", "viscosity"):
        simulation = _run(twin, lambda simulation, name=name: setattr(simulation.model.opt, name, 5.0))
        assert simulation.data.qvel[0] < 3.999


def test_the_passive_callback_of_somebody_else_is_called(make_twin: Any) -> None:
    simulation = make_twin(PENDULUM, world={"gravity": 0.0}).simulate()

    def push(model: Any, data: Any) -> None:
        data.qfrc_passive[0] += 0.5

    mujoco.set_mjcb_passive(push)
    try:
        simulation.advance(100)
    finally:
        mujoco.set_mjcb_passive(None)
    seconds = 100 * simulation.period
    assert simulation.data.qvel[0] == pytest.approx(0.5 / (0.3**2 + 0.4 * 0.05**2) * seconds, rel=1e-9)


def test_a_quadcopter_flies_without_either_and_in_the_same_bits(quadcopter: Any) -> None:
    twin = quadcopter.copy()
    twin.set_all({"start.position.z": 3.0})
    simulation = _run(twin, scenario="climb")
    assert simulation.context.idle.possible == CONSTRAINT | PASSIVE
    assert simulation.data.qpos[2] > 1.0
    assert simulation.data.nefc == 0
