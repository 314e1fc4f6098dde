"""A look ahead says what the physics says: when a limit is reached, and how probable that is."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import didymos
from didymos.errors import InputError
from didymos.shadow.estimate import Estimate
from didymos.shadow.look_ahead import LookAhead, input_rates
from didymos.shadow.stepper import Stepper

BALL = """<mujoco><worldbody><body name="ball"><freejoint name="free"/><geom type="sphere" size=".1" mass="1"/></body>
</worldbody></mujoco>"""
GRAVITY, RADIUS = 10.0, 0.1
WORLD = {"ground": {}, "gravity": GRAVITY, "step": 0.002}
SLIDER = """<robot name="slider"><link name="base"/><link name="cart"><inertial><mass value="1"/>
<inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link><joint name="rail" type="prismatic"><parent link="base"/>
<child link="cart"/><axis xyz="1 0 0"/><limit lower="-1" upper="2" effort="50" velocity="3"/></joint></robot>"""


def estimate_of(stepper: Any, deviations: Any = 0.0, inputs: Any = None, time: float = 0.0) -> Estimate:
    """What an observer would say that knows the stepper's state with standard deviations [states]."""
    stepper.keep()
    qpos, qvel, act = stepper.state()
    covariance = np.diag(np.square(np.broadcast_to(np.asarray(deviations, dtype=float), stepper.states)))
    given = dict(inputs or {})
    return Estimate(time, qpos, qvel, act, covariance, {}, given, stepper.vector.copy(), stepper.tick)


def ball_at(twin: Any, height: float, speed: float = 0.0) -> Any:
    stepper = Stepper(twin, ("truth.position.z",))
    stepper.data.qpos[2], stepper.data.qvel[2] = height + RADIUS, speed
    stepper.keep()
    return stepper


def test_a_ball_touches_the_ground_when_it_has_fallen_to_it(make_twin: Any) -> None:
    twin = make_twin(BALL, world=WORLD)
    height, down = 1.2, 1.0
    stepper = ball_at(twin, height, -down)
    look = LookAhead(twin, branches=2, seconds=1.0, limits=["truth.velocity.z < -4", "truth.position.z < -5"])
    outlook = look.look(estimate_of(stepper), origin=stepper)
    falls = (math.sqrt(down**2 + 2.0 * GRAVITY * height) - down) / GRAVITY
    tick = look.simulation.period
    touch = outlook["ball touches ground"]
    assert touch.probability == 1.0
    assert falls - 1e-9 <= touch.median <= falls + 2.0 * tick  # seen after the tick in which it happens
    assert outlook["truth.velocity.z < -4"].median == pytest.approx((4.0 - down) / GRAVITY, abs=0.002)
    assert outlook["truth.position.z < -5"].probability == 0.0


def test_the_probability_is_that_of_the_height(make_twin: Any) -> None:
    """z0 ~ N(h, s): P(touches within T) = Phi((g T^2 / 2 - h) / s), and times spread by s / (g T)."""
    twin = make_twin(BALL, world=WORLD)
    horizon, spread, branches = 0.5, 0.05, 300
    fallen = 0.5 * GRAVITY * horizon**2
    height = fallen - 0.5 * spread
    stepper = ball_at(twin, height)
    deviations = np.zeros(stepper.states)
    deviations[2] = spread
    event = LookAhead(twin, branches=branches, seconds=horizon, known=False, limits=[f"truth.position.z < {RADIUS}"]).look(
        estimate_of(stepper, deviations), origin=stepper
    )[f"truth.position.z < {RADIUS}"]
    expected = stats.norm.cdf(0.5)
    assert abs(event.probability - expected) < 4.0 * math.sqrt(expected * (1.0 - expected) / branches)
    low, high = event.interval
    assert low < event.probability < high
    assert event.quantile(0.05) == pytest.approx(math.sqrt(2.0 * (height - 1.6 * spread) / GRAVITY), abs=0.02)


def test_parameters_are_drawn_from_their_uncertainty(make_twin: Any) -> None:
    """A cart under a steady push: x = F t^2 / 2 m, so P(x > b within T) = P(m < F T^2 / 2 b)."""
    twin = make_twin(SLIDER, parts={"push": {"kind": "servo", "link": "cart", "joint": "rail"}}, world={"gravity": 0.0})
    stepper = Stepper(twin, ("joints.rail.position",))
    inputs = dict.fromkeys(stepper.inputs, 0.0)
    force = next(name for name in inputs if name.endswith("effort"))
    inputs[force] = 2.0
    look = LookAhead(
        twin, seconds=1.0, branches=300, uncertainty={"links.cart.mass": 0.1}, limits=["joints.rail.position > 1.05"]
    )
    event = look.look(estimate_of(stepper, 0.0, inputs))["joints.rail.position > 1.05"]
    expected = stats.norm.cdf((1.0 / 1.05 - 1.0) / 0.1)
    assert abs(event.probability - expected) < 4.0 * math.sqrt(expected * (1.0 - expected) / 300)
    names = [limit.name for limit in look.limits]
    assert "rail at its upper end, 2 m" in names
    assert "rail at its velocity limit, 3 m/s" in names


def test_an_input_that_changes_goes_on_changing(make_twin: Any) -> None:
    """A force that grows by k in a second from nothing: v = k t^2 / 2 m, at 3 m/s after sqrt(6 m / k)."""
    twin = make_twin(SLIDER, parts={"push": {"kind": "servo", "link": "cart", "joint": "rail"}}, world={"gravity": 0.0})
    stepper = Stepper(twin, ("joints.rail.position",))
    nothing = dict.fromkeys(stepper.inputs, 0.0)
    force = next(name for name in nothing if name.endswith("effort"))
    earlier = estimate_of(stepper, 0.0, nothing, time=0.9)
    later = estimate_of(stepper, 0.0, {**nothing, force: 0.6}, time=1.0)
    rates = input_rates(earlier, later)
    assert rates == pytest.approx({force: 6.0})
    now = estimate_of(stepper, 0.0, nothing, time=1.0)
    held = LookAhead(twin, branches=1, seconds=1.5).look(now)
    assert not held.likely
    grown = LookAhead(twin, branches=1, seconds=1.5, course="extrapolate").look(now, rates=rates)
    assert grown["rail at its velocity limit, 3 m/s"].median == pytest.approx(1.0, abs=0.03)  # commands are steps of a tick
    with pytest.raises(InputError, match="no input 'pull'"):
        LookAhead(twin, branches=1, course="extrapolate").look(now, rates={"pull": 1.0})


def test_what_is_so_already_is_not_foretold(make_twin: Any) -> None:
    twin = make_twin(BALL, world=WORLD)
    stepper = ball_at(twin, -1e-4)
    outlook = LookAhead(twin, branches=4, seconds=0.2, limits=["truth.position.z < 3"]).look(estimate_of(stepper))
    assert {limit.name for limit in outlook.present} == {"ball touches ground", "truth.position.z < 3"}
    assert not outlook.events
    stepper.run(np.empty((3, 0)))  # between two rows of the log
    later = LookAhead(twin, branches=1, seconds=0.2, limits=["truth.position.z < 3"]).look(estimate_of(stepper), origin=stepper)
    assert later.present == outlook.present


def test_a_held_command_keeps_a_drive_alive() -> None:
    """A drive that hears no more commands gives up after 0.1 s; a robot whose commands hold goes on being sent them."""
    twin = didymos.load("power_unit")
    stepper = Stepper(twin, ("joints.shaft_joint.position",))
    inputs = dict.fromkeys(stepper.inputs, 0.0)
    inputs |= {"drive.position": 0.5, "drive.kp_scale": 1.0, "drive.kd_scale": 1.0, "drive.mode": 10.0, "drive.beat": 1.0}
    look = LookAhead(twin, branches=1, seconds=0.6, limits=["parts.drive.mode > 10.5", "parts.drive.position > 0.4"])
    outlook = look.look(estimate_of(stepper, 0.0, inputs))
    assert outlook["parts.drive.mode > 10.5"].probability == 0.0
    assert outlook["parts.drive.position > 0.4"].probability == 1.0


def test_the_same_look_gives_the_same_answer_and_a_plan_follows_its_set_points() -> None:
    twin = didymos.load("quadcopter")
    stepper = Stepper(twin, ("truth.position.z",))
    stepper.data.qpos[2] = 3.0
    inputs = dict.fromkeys(stepper.inputs, 0.46825)
    now = estimate_of(stepper, 0.01, inputs)
    limits = ["truth.position.z < 2.6", "truth.position.z > 3.4"]
    down = LookAhead(twin, course="plan", setpoints={"z": 2.0}, branches=3, seconds=1.0, limits=limits, seed=4)
    first, again = down.look(now), down.look(now)
    assert first.facts == again.facts
    assert first["truth.position.z < 2.6"].probability == 1.0
    assert first["truth.position.z > 3.4"].probability == 0.0
    up = LookAhead(twin, course="plan", setpoints={"z": 4.0}, branches=3, seconds=1.0, limits=limits, seed=4).look(now)
    assert up["truth.position.z > 3.4"].probability == 1.0
    with pytest.raises(InputError, match="no such set-point"):
        LookAhead(twin, course="plan", setpoints={"height": 4.0})


def test_parameters_that_only_python_can_move_change_no_contact(make_twin: Any) -> None:
    """A scenario that moves a mass makes the loop stop at every tick: a ball falls no faster for it."""
    moved = {"seconds": 1, "stimuli": [{"target": "links.ball.mass", "kind": "ramp", "start": 0, "end": 1, "from": 1, "to": 2}]}
    twin = make_twin(BALL, world=WORLD, scenarios={"heavier": moved})
    stepper = ball_at(twin, 0.4)
    now = estimate_of(stepper)
    looks = [LookAhead(twin, course="plan", scenario=scenario, branches=1, seconds=0.5) for scenario in (None, "heavier")]
    plain, slow = (look.look(now)["ball touches ground"].median for look in looks)
    assert 0.0 <= plain - math.sqrt(0.08) <= 2.0 * looks[0].simulation.period
    assert slow == plain


def test_a_state_of_another_twin_is_refused(make_twin: Any) -> None:
    ball, cart = make_twin(BALL, world=WORLD), make_twin(SLIDER)
    stepper = ball_at(ball, 1.0)
    with pytest.raises(InputError, match="another twin or variant"):
        LookAhead(cart, branches=1).look(estimate_of(stepper))
    other = SimpleNamespace(simulation=Stepper(cart, ("joints.rail.position",)).simulation)
    with pytest.raises(InputError, match="of the stepper that it comes from"):
        LookAhead(ball, branches=1).look(estimate_of(stepper), origin=other)
