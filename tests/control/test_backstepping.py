"""Backstepping: its Lyapunov function, its closed-form step response, its mixer in newtons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from didymos.control.backstepping import Backstepping, acceleration
from didymos.control.mixer import thrust_mixer
from didymos.errors import InputError
from didymos.twin import Twin, load

GAIN = st.floats(0.1, 20.0)
STATE = st.floats(-3.0, 3.0)


@pytest.fixture(scope="module")
def daedalus() -> Twin:
    return load("daedalus")


@given(a1=GAIN, a2=GAIN, angle=STATE, rate=STATE)
def test_the_lyapunov_function_falls_as_designed(a1: float, a2: float, angle: float, rate: float) -> None:
    """V = (z1^2 + z2^2) / 2 with z1 = -angle, z2 = a1 z1 - rate: dV/dt = -a1 z1^2 - a2 z2^2 along d(angle)/dt = rate."""
    z1 = -angle
    z2 = a1 * z1 - rate
    fall = z1 * -rate + z2 * (-a1 * rate - acceleration(z1, rate, a1, a2))
    expected = -a1 * z1 * z1 - a2 * z2 * z2
    largest = (1.0 + a1 * a2 + a1 * a1) * (1.0 + z1 * z1 + z2 * z2 + rate * rate)  # of the terms that cancel
    assert fall == pytest.approx(expected, abs=1e-12 * largest)


@given(a1=GAIN, a2=GAIN)
def test_the_poles_are_those_of_the_source(a1: float, a2: float) -> None:
    """Damping (a1 + a2) / 2 sqrt(1 + a1 a2), natural frequency sqrt(1 + a1 a2): stable for every a1, a2 > 0."""
    matrix = np.array([[0.0, 1.0], [-acceleration(1.0, 0.0, a1, a2), acceleration(0.0, 1.0, a1, a2)]])
    poles = np.linalg.eigvals(matrix)
    assert np.prod(poles).real == pytest.approx(1.0 + a1 * a2)
    assert np.sum(poles).real == pytest.approx(-(a1 + a2))
    assert poles.real.max() < 0.0


@pytest.mark.parametrize(("axis", "name"), [(0, "roll"), (1, "pitch"), (2, "yaw")])
def test_a_step_is_answered_as_the_closed_form_says(daedalus: Twin, axis: int, name: str) -> None:
    """Ideal rotors (no lag, no inflow, no spinning mass) and no drag leave d2(angle)/dt2 = (1 + a1 a2) e - (a1 + a2) rate.

    The program holds its answer for 2 ms: a delay of half of it, which costs at most rate x 1 ms, and adds a phase of the same
    size; 1 % of the step bounds both at these gains.
    """
    twin = daedalus.copy()
    ideal = ("time_constant", "inertia") if name == "yaw" else ("time_constant", "inertia", "torque_coefficient")
    for i in range(1, 5):
        twin.set_all({f"parts.motor{i}.{key}": 0.0 for key in ideal})  # without torque no inflow; yaw has none, and needs torque
        twin.set(f"parts.motor{i}.flapping_drag", 1e-12)  # no drag of rigid blades either
    twin.set_all({f"parts.drag.area_{key}": 0.0 for key in "xyz"})
    twin.set("world.ground.friction", 0.0)
    a1, a2, step = 3.0, 2.0, 0.02
    twin.set_all({f"control.gains.{name}.a1": a1, f"control.gains.{name}.a2": a2})
    simulation = twin.simulate(control=None)
    simulation.data.qpos[2] = 50.0
    simulation.intervene(_steer(name, step))
    simulation.intervene(_steer("z", 50.0))
    log = simulation.run(3.0)
    signal = log[f"truth.{name}"]
    damping = a1 + a2
    if name == "yaw":  # a body that turns adds to or takes from the speed of its rotors: four times d(k_M w^2)/dw
        hover = np.sqrt(1.168 * 9.80665 / (4.0 * 1.54348e-5))
        damping += 4.0 * 2.0 * 2.3672e-7 * hover / 0.01853
    matrix = np.array([[0.0, 1.0], [-(1.0 + a1 * a2), -damping]])
    expected = [step - (expm(matrix * t) @ [step, 0.0])[0] for t in signal.time]
    np.testing.assert_allclose(signal.values, expected, atol=0.01 * step)
    assert signal.values[-1] == pytest.approx(expected[-1], abs=1e-3 * step)


def test_a_climb_at_full_thrust_leaves_the_answer_to_a_tilt_as_it_is(daedalus: Twin) -> None:
    """All rotors at their most, a step of roll: thrust gives way and the closed form holds; a plain clip halves the moment."""
    twin = daedalus.copy()
    for i in range(1, 5):
        twin.set_all({f"parts.motor{i}.{key}": 0.0 for key in ("time_constant", "torque_coefficient", "inertia")})
    twin.set_all({f"parts.drag.area_{key}": 0.0 for key in "xyz"})
    a1, a2, step = 3.0, 2.0, 0.02
    twin.set_all({"control.gains.roll.a1": a1, "control.gains.roll.a2": a2})
    twin.set_all({"control.gains.height.kp": 100.0, "control.gains.height.kd": 0.0, "control.gains.height.step": 1.0})
    simulation = twin.simulate(control=None)
    simulation.data.qpos[2] = 50.0
    simulation.intervene(_steer("roll", step))
    simulation.intervene(_steer("z", 500.0))
    log = simulation.run(1.0)
    signal, matrix = log["truth.roll"], np.array([[0.0, 1.0], [-(1.0 + a1 * a2), -(a1 + a2)]])
    assert max(log[f"inputs.motor{i}"].values.min() for i in range(1, 5)) > 0.9  # it does climb at full thrust
    expected = [step - (expm(matrix * t) @ [step, 0.0])[0] for t in signal.time]
    np.testing.assert_allclose(signal.values, expected, atol=0.01 * step)


def _steer(name: str, value: float) -> Any:
    from didymos.engine.intervention import Intervention

    return Intervention(0, "steer", f"setpoints.{name}", (value,))


def test_the_mixer_gives_the_asked_thrust_and_moments(daedalus: Twin) -> None:
    """Equation (2.5) of the source, its signs in forward-left-up: roll l (T4 - T2), pitch l (T3 - T1), yaw by the spin."""
    rotors = daedalus.simulate().robot.rotors
    thrusts = thrust_mixer(rotors)
    arm = 0.22
    effects = np.array([[1, 1, 1, 1], [0, -arm, 0, arm], [-arm, 0, arm, 0], [1, -1, 1, -1]])
    np.testing.assert_allclose(effects @ thrusts, np.eye(4), atol=1e-12)


def test_a_disturbance_torque_leaves_the_offset_of_a_spring(daedalus: Twin) -> None:
    """Constant torque M about roll: the angle settles at M / (J (1 + a1 a2)), here by a mass 1 g at the left arm's end.

    Rotors without torque have no drag, whose moment at the speed that it drifts would be a sixth of M.
    """
    program = daedalus.make_program()
    assert isinstance(program, Backstepping)
    twin = daedalus.copy()
    twin.set_all({f"parts.motor{i}.torque_coefficient": 0.0 for i in range(1, 5)})
    twin.set("links.propeller4.mass", daedalus.get("links.propeller4.mass") + 0.001)
    log = twin.simulate(scenario="hover").run(12.0)
    torque = -0.001 * 9.80665 * 0.22
    spring = program.inertia_x * (1.0 + program.roll_a1 * program.roll_a2)
    assert log["truth.roll"].values[-1] == pytest.approx(torque / spring, rel=0.03)  # the new centre of mass is 0.2 mm off


def test_it_asks_for_a_source_of_motion() -> None:
    with pytest.raises(InputError, match="exactly one of"):
        Backstepping()


def test_its_model_of_the_robot_is_the_twin(daedalus: Twin) -> None:
    gains = {key: daedalus.get(f"control.gains.model.{key}") for key in ("mass", "gravity", "thrust_coefficient", "torque_ratio")}
    found = daedalus.summary()
    assert gains["mass"] == pytest.approx(found.mass, rel=1e-3)
    assert gains["gravity"] == daedalus.get("world.gravity")
    for axis, moment in zip("xyz", np.diag(found.inertia), strict=True):
        assert daedalus.get(f"control.gains.model.inertia.{axis}") == pytest.approx(moment, rel=1e-3)
    for i in range(1, 5):
        coefficient = daedalus.get(f"parts.motor{i}.thrust_coefficient")
        assert gains["thrust_coefficient"] == coefficient
        assert gains["torque_ratio"] == pytest.approx(daedalus.get(f"parts.motor{i}.torque_coefficient") / coefficient, rel=1e-3)
        for key in ("speed_per_input", "speed_at_zero"):
            assert daedalus.get(f"control.gains.model.{key}") == daedalus.get(f"parts.motor{i}.{key}")

