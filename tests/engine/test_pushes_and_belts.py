"""A stimulus can push a link, a part can drive a joint by a belt over another, and one number scales all friction."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import didymos
from didymos import Controller, InputError
from didymos.engine.intervention import Intervention
from didymos.parts.drive import POSITION

STILL = {"step": 0.001, "integrator": "rk4", "gravity": 0.0}
MASS = 1.5  # [kg] of the box in conftest
PUSH = {"target": "push.body.y", "kind": "pulse", "start": 0.1, "end": 0.2, "value": 30.0}


def _pushed(make_twin: Any, **stimulus: Any) -> Any:
    return make_twin(world=STILL, scenarios={"push": {"seconds": 0.5, "stimuli": [PUSH | stimulus]}})


def test_a_push_gives_its_momentum_and_is_recorded(make_twin: Any) -> None:
    log = _pushed(make_twin).simulate(scenario="push").run()
    assert log["truth.velocity.y"].values[-1] == pytest.approx(30.0 * 0.1 / MASS, rel=1e-9)
    assert log["parameters.push.body.y"].values.max() == 30.0
    assert log["parameters.push.body.y"].unit == "N"


def test_a_person_pushes_beside_a_stimulus(make_twin: Any) -> None:
    """The hand pushes from 0.15 to 0.4 s with 10 N; what the stimulus gives is neither lost nor counted twice."""
    simulation = _pushed(make_twin).simulate(scenario="push")
    ticks = round(1.0 / simulation.period)
    deeds = [Intervention(int(t * ticks), "push", "body", (0.0, f, 0.0)) for t, f in ((0.15, 10.0), (0.4, 0.0))]
    log = simulation.run(interventions=deeds)
    assert log["truth.velocity.y"].values[-1] == pytest.approx((30.0 * 0.1 + 10.0 * 0.25) / MASS, rel=1e-9)


@pytest.mark.parametrize("wake", [False, True])
def test_a_push_away_from_the_centre_turns_a_body_as_well(make_twin: Any, wake: bool) -> None:
    """Half a newton metre about z and a force along it, for 0.2 s; a wake's numbers in the state are none of a push's."""
    simulation = make_twin(world=STILL | {"wake": {"on": wake}}).simulate()
    ticks = round(0.2 / simulation.period)
    inertia = float(simulation.model.body_inertia[simulation.links.root_body(simulation.model)][2])
    begin = Intervention(0, "push", "body", (0.0, 0.0, 3.0, 0.0, 0.0, 0.5))
    deeds = [begin, Intervention(ticks, "push", "body", (0.0, 0.0, 0.0))]
    log = simulation.run(0.3, interventions=deeds)
    assert log["truth.angular_velocity.z"].values[-1] == pytest.approx(0.5 * 0.2 / inertia, rel=1e-9)
    assert log["truth.velocity.z"].values[-1] == pytest.approx(3.0 * 0.2 / MASS, rel=1e-9)


@pytest.mark.parametrize(("target", "sentence"), [("push.bodi.y", "did you mean 'body'"), ("push.body.w", "push.LINK.x")])
def test_a_push_on_nothing_is_refused(make_twin: Any, target: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        _pushed(make_twin, target=target)


def test_friction_of_every_floor_is_scaled(make_twin: Any) -> None:
    world = {"ground": {"friction": 0.5}, "objects": {"sheet": {"size": [1, 1, 0.1], "friction": 0.2}}, "friction_scale": 0.5}
    simulation = make_twin(world=world).simulate()

    def friction() -> tuple[float, ...]:
        return tuple(simulation.model.geom(name).friction[0] for name in ("didymos_ground", "didymos:sheet"))

    assert friction() == (0.25, 0.1)
    simulation.set("world.friction_scale", 2.0)
    assert friction() == (1.0, 0.4)
    simulation.set("world.objects.sheet.friction", 0.3)
    assert friction() == (1.0, 0.6)


CHAIN = """<mujoco><worldbody><body name="thigh"><joint name="hip" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.25" size=".02" mass=".5"/>
  <body name="shank" pos="0 0 -.25"><joint name="knee" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.25" size=".02" mass=".2"/></body></body></worldbody></mujoco>"""
DRIVE = {"kind": "drive", "ratio": 10.0, "kp": 4.0, "kd": 0.1, "peak_torque": 3.5, "rotor_inertia": 3e-4}


class _Hold(Controller):
    """Holds the motor of the knee where it is while the hip goes to 0.4 rad."""

    rate = 500.0

    def update(self, t: float, measured: Any, setpoints: Any) -> dict[str, float]:
        found = {}
        for drive, goal in (("hip", 0.4), ("knee", 0.0)):
            place = goal * 10.0 / (2.0 * np.pi)
            values = {"position": place, "kp_scale": 1.0, "kd_scale": 1.0, "mode": POSITION, "beat": t + 1.0}
            found |= {f"{drive}.{name}": value for name, value in values.items()}
        return found


@pytest.mark.parametrize("belt", [False, True])
def test_a_knee_whose_motor_is_held_turns_against_its_hip(make_twin: Any, belt: bool) -> None:
    """q_knee = q_motor - q_hip with a belt over the hip; without, the knee stays."""
    knee = DRIVE | {"link": "shank", "joint": "knee"} | ({"belt": "hip"} if belt else {})
    parts = {"hip": DRIVE | {"link": "thigh", "joint": "hip"}, "knee": knee}
    log = make_twin(CHAIN, world=STILL, parts=parts).simulate(control=_Hold()).run(3.0)
    assert log["joints.hip.position"].values[-1] == pytest.approx(0.4, abs=1e-4)
    assert log["joints.knee.position"].values[-1] == pytest.approx(-0.4 if belt else 0.0, abs=1e-4)
    assert log["parts.knee.output_position"].values[-1] == pytest.approx(0.0, abs=1e-4)


def test_the_rotor_of_a_belt_weighs_on_the_sum_of_both_joints(make_twin: Any) -> None:
    def inertia(**more: Any) -> np.ndarray:
        parts = {"knee": DRIVE | {"link": "shank", "joint": "knee"} | more}
        simulation = make_twin(CHAIN, world=STILL, parts=parts).simulate()
        mujoco.mj_forward(simulation.model, simulation.data)
        full = np.zeros((2, 2))
        mujoco.mj_fullM(simulation.model, simulation.data, full)
        return full

    reflected = 10.0**2 * 3e-4
    bare = inertia(rotor_inertia=0.0)
    assert inertia() - bare == pytest.approx(np.array([[0.0, 0.0], [0.0, reflected]]), abs=1e-12)
    assert inertia(belt="hip") - bare == pytest.approx(reflected * np.ones((2, 2)), abs=1e-12)


def test_a_belt_over_no_joint_or_its_own_is_refused(make_twin: Any) -> None:
    for belt, sentence in (("hipp", "did you mean 'hip'"), ("knee", "expected another one")):
        with pytest.raises(InputError, match=sentence):
            make_twin(CHAIN, world=STILL, parts={"knee": DRIVE | {"link": "shank", "joint": "knee", "belt": belt}})


def test_friction_of_a_belt_can_change_during_a_run() -> None:
    simulation = didymos.load("meldog", variant="belt").simulate()
    tendon, friction = simulation.model.tendon("didymos:belt:LFK").id, simulation.model.tendon_frictionloss
    before = float(friction[tendon])
    simulation.set("parts.LFK.coulomb", 0.1)
    assert float(friction[tendon]) - before == pytest.approx(9.97 * (0.1 - 0.06564))
