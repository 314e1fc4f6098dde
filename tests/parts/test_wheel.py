"""Wheels of an undercarriage: load, rolling, braking, standing, steering and slip against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import Law

from didymos.errors import InputError
from didymos.parts.wheel import Wheel

G, MASS, STEP = 9.81, 10.0, 0.0025
NOSE, MAIN, SIDE = 0.8, -0.2, 0.3  # [m] of the wheels from the centre of mass
CART = f"""<mujoco><worldbody><body name="cart"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="{MASS}" diaginertia="1 1 1"/>
  <body name="nose" pos="{NOSE} 0 -0.2"/>
  <body name="left" pos="{MAIN} {SIDE} -0.2"/><body name="right" pos="{MAIN} {-SIDE} -0.2"/>
  </body></worldbody></mujoco>"""
TYRE = {"kind": "wheel", "radius": 0.1, "stiffness": 8000.0, "damping": 300.0, "friction": 0.8, "rolling": 0.05}
SAG = MASS * G / 3.0  # about, [N] on each wheel


def _cart(make_twin: Any, start: dict[str, Any] | None = None, stimuli: Any = (), **numbers: Any) -> Any:
    nose = numbers.pop("nose", {})
    names = ("nose", "left", "right")
    parts = {f"{name}_wheel": {**TYRE, "link": name, **numbers, **(nose if name == "nose" else {})} for name in names}
    place = {"position": [0.0, 0.0, 0.3 - SAG / 8000.0], "velocity": [0.0, 0.0, 0.0]} | (start or {})
    return make_twin(
        CART, world={"step": STEP, "integrator": "rk4", "gravity": G, "ground": {}}, parts=parts, start=place,
        scenarios={"go": {"seconds": 10, "stimuli": list(stimuli)}},
    )  # fmt: skip


def test_the_wheels_carry_the_weight_by_their_levers(make_twin: Any) -> None:
    log = _cart(make_twin).simulate(scenario="go").run(5.0)
    loads = {name: log[f"parts.{name}_wheel.load"].values[-1] for name in ("nose", "left", "right")}
    nose = MASS * G * -MAIN / (NOSE - MAIN)
    # the loads act where wheels are, tilted by a millimetre of sag on a metre: 1e-3 of the levers' share
    assert loads["nose"] == pytest.approx(nose, rel=5e-3)
    assert loads["left"] == pytest.approx(loads["right"], rel=1e-9)
    assert sum(loads.values()) == pytest.approx(MASS * G, rel=1e-6)


@pytest.mark.parametrize(("brake", "friction"), [(0.0, 0.05), (1.0, 0.35), (0.5, 0.2)])
def test_it_rolls_and_brakes_as_far_as_friction_says(make_twin: Any, brake: float, friction: float) -> None:
    """v^2 / (2 mu g), and then it stands: the tread springs back by less than its presliding way of 3 mm."""
    speed = 4.0
    stimuli = [{"target": f"inputs.{name}_wheel.brake", "kind": "constant", "value": brake} for name in ("nose", "left", "right")]
    start = {"velocity": [speed, 0.0, 0.0]}
    log = _cart(make_twin, start, stimuli, brake_friction=0.3).simulate(scenario="go").run(speed / (friction * G) + 3.0)
    way = log["truth.position.x"].values
    # the axle's load is off by the settling of the springs in the first tenth of a second
    assert way[-1] == pytest.approx(speed**2 / (2.0 * friction * G), abs=0.003 + 0.005 * speed**2 / (2.0 * friction * G))
    assert abs(log["truth.velocity.x"].values[-1]) < 1e-6
    assert np.ptp(way[-100:]) < 1e-6


def test_a_wheel_that_stands_holds_a_side_force_without_creeping(make_twin: Any) -> None:
    push = 0.4 * 0.8 * MASS * G  # 0.4 of what the tread can hold
    stimuli = [{"target": "push.cart.y", "kind": "constant", "value": push}]
    log = _cart(make_twin, stimuli=stimuli).simulate(scenario="go").run(10.0)
    y, late = log["truth.position.y"], log["truth.position.y"].time > 5.0
    assert 0.0 < y.values[-1] < 0.02  # bend of the tread, and the lean of the springs
    assert np.ptp(y.values[late]) < 1e-6


def test_more_than_friction_slides(make_twin: Any) -> None:
    push = 1.5 * 0.2 * MASS * G
    stimuli = [{"target": "push.cart.y", "kind": "constant", "value": push}]
    twin = _cart(make_twin, stimuli=stimuli, rolling=0.0, friction=0.2)
    velocity = twin.simulate(scenario="go").run(2.0)["truth.velocity.y"]
    gained = velocity.values[-1] - np.interp(1.0, velocity.time, velocity.values)  # in the second second: it has leaned by then
    assert gained == pytest.approx(0.5 * 0.2 * G * (velocity.time[-1] - 1.0), rel=0.02)


@pytest.mark.parametrize("steer", [0.5, -1.0])
def test_a_steered_nose_wheel_turns_about_the_rear_axle(make_twin: Any, steer: float) -> None:
    """r = v tan(angle) / L, to the right for a positive input; slip takes kappa v r / (mu g) of the angle, 1 % here."""
    speed, limit = 1.0, 0.3
    stimuli = [{"target": "inputs.nose_wheel.steer", "kind": "constant", "value": steer}]
    start = {"velocity": [speed, 0.0, 0.0]}
    log = _cart(make_twin, start, stimuli, rolling=0.0, nose={"steering_limit": limit}).simulate(scenario="go").run(4.0)
    turn, along = log["truth.angular_velocity.z"].values[-1], log["truth.velocity.x"].values[-1]
    assert turn == pytest.approx(-along * math.tan(limit * steer) / (NOSE - MAIN), rel=0.02)


def test_the_side_force_of_a_rolling_wheel_follows_its_slip_angle() -> None:
    numbers = {key: value for key, value in TYRE.items() if key != "kind"}
    depth, slip = 0.01, math.tan(0.08)
    bend = slip / (slip + 0.1)
    answer = Law(Wheel, **numbers)(
        state={"bend_x": 1.0, "bend_y": bend}, velocity=(10.0, 10.0 * slip, 0.0), height=0.1 - depth, step=STEP
    )
    load = 8000.0 * depth
    assert answer.readouts["load"] == pytest.approx(load, rel=1e-12)
    assert answer.rate["bend_y"] == pytest.approx(0.0, abs=1e-9)
    assert answer.force[1] == pytest.approx(-load * math.sqrt(0.8**2 - 0.05**2) * bend, rel=1e-9)
    assert answer.force[0] == pytest.approx(-load * 0.05, rel=1e-9)
    assert answer.torque[0] == pytest.approx((0.1 - depth) * answer.force[1], rel=1e-9)  # the force acts on the ground


def test_a_skid_slides_in_a_straight_line(make_twin: Any) -> None:
    start = {"velocity": [2.0, 1.0, 0.0]}
    log = _cart(make_twin, start, rolling=0.4, friction=0.4).simulate(scenario="go").run(3.0)
    x, y = log["truth.position.x"].values[-1], log["truth.position.y"].values[-1]
    # the loads differ from wheel to wheel while it leans, so it turns a little
    assert math.hypot(x, y) == pytest.approx(5.0 / (2.0 * 0.4 * G), rel=0.05)
    assert math.atan2(y, x) == pytest.approx(math.atan2(1.0, 2.0), abs=0.1)


def test_the_hardest_touch_down_is_kept(make_twin: Any) -> None:
    """Dropped by 2 m: v = sqrt(2 g h)."""
    simulation = _cart(make_twin, {"position": [0.0, 0.0, 2.3]}).simulate(scenario="go")
    log = simulation.run(3.0)
    for name in ("nose", "left", "right"):
        sink = log[f"parts.{name}_wheel.touch_sink"].values[-1]
        assert sink == pytest.approx(math.sqrt(2.0 * G * 2.0), abs=1.01 * G * simulation.period)  # looked at once a tick


def test_a_wheel_that_is_off_lets_it_fall(make_twin: Any) -> None:
    log = _cart(make_twin, {"position": [0.0, 0.0, 1.0]}, enabled=0.0).simulate(scenario="go").run(0.4)
    assert log["truth.velocity.z"].values[-1] == pytest.approx(-G * log["truth.velocity.z"].time[-1], rel=1e-6)


def test_a_brake_stronger_than_the_tyre_is_refused(make_twin: Any) -> None:
    with pytest.raises(InputError, match="no more together than friction"):
        _cart(make_twin, brake_friction=0.9)
