"""The airfoil against its closed forms, and through the engine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import call

from didymos.errors import InputError
from didymos.parts.airfoil import Airfoil

SIZES = {"area": 0.3, "span": 2.0, "chord": 0.15}
WING = SIZES | {"lift_0": 0.56, "lift_alpha": 6.9, "drag_0": 0.0437, "oswald": 0.9, "stall_angle": 0.4712}
WHOLE = WING | {
    "lift_q": 4.1, "lift_y": -0.3, "drag_q": 0.02, "drag_y": 0.01, "side_beta": -0.98, "side_p": -0.07, "side_r": 1.2,
    "side_x": 0.03, "side_z": -0.2, "roll_beta": -0.12, "roll_p": -1.0, "roll_r": 0.14, "roll_x": 0.25, "roll_z": -0.037,
    "pitch_0": 0.045, "pitch_alpha": -0.7, "pitch_q": -20.0, "pitch_y": 1.0, "yaw_beta": 0.25, "yaw_p": 0.022,
    "yaw_r": -1.0, "yaw_x": -0.01, "yaw_z": 0.1,
}  # fmt: skip


def test_in_level_flow_it_lifts_and_drags_as_the_line_says() -> None:
    answer = call(Airfoil, air_velocity=(20.0, 0.0, 0.0), **WING)
    pressure = 0.5 * 1.225 * 400.0 * 0.3
    induced = 0.56**2 / (math.pi * 0.9 * 4.0 / 0.3)
    np.testing.assert_allclose(answer.force, [-pressure * (0.0437 + induced), 0.0, pressure * 0.56], rtol=1e-8)
    assert answer.readouts["airspeed"] == 20.0
    assert answer.readouts["alpha"] == 0.0


def test_every_derivative_acts_with_its_sign_and_size() -> None:
    """All terms at once, against the equations written out in forward-right-down."""
    u, v, w = 18.0, 1.5, 0.9
    p, q, r = 0.3, -0.2, 0.25
    dx, dy, dz = 0.1, -0.15, 0.05
    c = WHOLE
    speed = math.sqrt(u * u + v * v + w * w)
    alpha, beta = math.atan2(w, u), math.asin(v / speed)
    pressure, b, chord = 0.5 * 1.1 * speed**2 * 0.3, 2.0, 0.15
    span_rate, chord_rate = b / (2.0 * speed), chord / (2.0 * speed)
    line = 0.56 + 6.9 * alpha  # 20 deg inside stall: the plate's share is exp(-50 * 0.42) = 8e-10
    lift = line + c["lift_q"] * chord_rate * q + c["lift_y"] * dy
    drag = 0.0437 + line**2 / (math.pi * 0.9 * b * b / 0.3) + c["drag_q"] * chord_rate * q + c["drag_y"] * dy

    def lateral(name: str) -> float:
        return (
            c[f"{name}_beta"] * beta
            + span_rate * (c[f"{name}_p"] * p + c[f"{name}_r"] * r)
            + c[f"{name}_x"] * dx
            + c[f"{name}_z"] * dz
        )

    pitch = c["pitch_0"] + c["pitch_alpha"] * alpha + c["pitch_q"] * chord_rate * q + c["pitch_y"] * dy
    force = pressure * np.array(
        [
            -drag * math.cos(alpha) + lift * math.sin(alpha),
            lateral("side"),
            -drag * math.sin(alpha) - lift * math.cos(alpha),
        ]
    )
    torque = pressure * np.array([b * lateral("roll"), chord * pitch, b * lateral("yaw")])
    turn = np.array([1.0, -1.0, -1.0])
    answer = call(Airfoil, air_velocity=(u, -v, -w), rate=(p, -q, -r), memory={"deflection": (dx, dy, dz)}, density=1.1, **c)
    np.testing.assert_allclose(answer.force, turn * force, rtol=1e-7)
    np.testing.assert_allclose(answer.torque, turn * torque, rtol=1e-7)


@pytest.mark.parametrize("alpha", np.linspace(-3.1, 3.1, 9))
def test_symmetric_flow_gives_no_side_force_roll_or_yaw(alpha: float) -> None:
    velocity = (17.0 * math.cos(alpha), 0.0, -17.0 * math.sin(alpha))
    answer = call(Airfoil, air_velocity=velocity, rate=(0.0, 0.7, 0.0), memory={"deflection": (0.0, 0.2, 0.0)}, **WHOLE)
    assert answer.force[1] == 0.0
    assert answer.torque[0] == 0.0
    assert answer.torque[2] == 0.0


@pytest.mark.parametrize("alpha", [-2.5, -1.2, 0.9, math.pi / 2, 2.0, 3.0])
def test_past_stall_it_is_a_flat_plate_with_bounded_drag(alpha: float) -> None:
    """A plate of C_N = 2 sin^2 pushes at right angles to itself; the parasitic drag stays."""
    answer = call(Airfoil, air_velocity=(10.0 * math.cos(alpha), 0.0, -10.0 * math.sin(alpha)), **(WING | {"drag_0": 0.0}))
    normal = 0.5 * 1.225 * 100.0 * 0.3 * 2.0 * math.copysign(math.sin(alpha) ** 2, alpha)
    np.testing.assert_allclose(answer.force, [0.0, 0.0, normal], atol=1e-6)


def test_still_air_and_a_surface_switched_off_give_nothing() -> None:
    for answer in (
        call(Airfoil, rate=(1.0, 2.0, 3.0), **WHOLE),
        call(Airfoil, air_velocity=(20.0, 1.0, 1.0), model="none", **WHOLE),
    ):
        assert not answer.force.any()
        assert not answer.torque.any()


def test_the_share_in_a_slipstream_sees_the_wake() -> None:
    symmetric = WING | {"lift_alpha": 0.0, "slipstream": 0.25, "input_from": "motor"}
    answer = call(Airfoil, air_velocity=(12.0, 0.0, 0.0), inputs={"wake": 9.0}, **symmetric)
    lift = 0.5 * 1.225 * 0.3 * 0.56 * (0.75 * 12.0**2 + 0.25 * 21.0**2)
    assert answer.force[2] == pytest.approx(lift, rel=1e-8)


SPLINE = {"kind": "spline", "breaks": [-1.0, 0.0, 1.0], "coefficients": [0, 0, 1.0, -1.0, 2.0, 0, 1.0, 0.0]}


def test_curves_give_lift_and_drag() -> None:
    drag = {"kind": "polynomial", "coefficients": [0.02, 0.0, 1.5]}
    alpha = 0.3
    velocity = (10.0 * math.cos(alpha), 0.0, -10.0 * math.sin(alpha))
    answer = call(Airfoil, air_velocity=velocity, model="curves", lift=SPLINE, drag=drag, **SIZES)
    lift_coefficient, drag_coefficient = 2.0 * alpha**3 + alpha, 0.02 + 1.5 * alpha**2
    pressure = 0.5 * 1.225 * 100.0 * 0.3
    along = -answer.force[0] * math.cos(alpha) + answer.force[2] * math.sin(alpha)
    across = answer.force[0] * math.sin(alpha) + answer.force[2] * math.cos(alpha)
    assert along == pytest.approx(pressure * drag_coefficient, rel=1e-12)
    assert across == pytest.approx(pressure * lift_coefficient, rel=1e-12)


PLANE = """<mujoco><worldbody><body name="body"><freejoint/><geom size=".1" mass="1" contype="0" conaffinity="0"/>
</body></worldbody></mujoco>"""


def test_a_deflection_keeps_its_limit_and_its_rate(make_twin: Any) -> None:
    twin = make_twin(
        PLANE,
        world={"step": 0.001, "gravity": 0.0},
        parts={"wing": {"kind": "airfoil", "link": "body", "limit_y": 0.4, "rate_limit": 2.0} | SIZES},
        scenarios={"pull": {"seconds": 0.5, "stimuli": [{"target": "inputs.wing.y", "kind": "constant", "value": 3.0}]}},
    )
    simulation = twin.simulate(scenario="pull")
    deflection = simulation.run()["parts.wing.deflection.y"]
    expected = np.minimum(0.4, 2.0 * (deflection.time + simulation.period))  # the servo moves at the start of a tick
    np.testing.assert_allclose(deflection.values, expected, atol=1e-12)


def test_a_rolled_airfoil_is_a_fin(make_twin: Any) -> None:
    """Rolled by 90 deg its lift is a side force: air from the left pushes it to the right."""
    model = """<mujoco><worldbody><body name="body"><freejoint/><geom size=".1" mass="1" contype="0" conaffinity="0"/>
      <body name="fin" euler="90 0 0"><geom size=".01" mass="1e-6" contype="0" conaffinity="0"/></body>
      </body></worldbody></mujoco>"""
    fin = {"kind": "airfoil", "link": "fin", "lift_alpha": 3.0, "stall_sharpness": 200.0} | SIZES
    twin = make_twin(
        model,
        world={"step": 0.001, "gravity": 0.0, "wind": {"speed": 2.0, "direction": -math.pi / 2}},
        parts={"fin": fin},
        start={"velocity": [20.0, 0.0, 0.0], "position": [0.0, 0.0, 1e-3]},
    )
    log = twin.simulate().run(0.02)
    alpha = math.atan2(2.0, 20.0)
    lift = 0.5 * 1.225 * 404.0 * 0.3 * 3.0 * alpha
    drag = lift * 3.0 * alpha * 0.3 / (math.pi * 0.9 * 4.0)
    assert log["parts.fin.alpha"].values[0] == pytest.approx(alpha)
    assert log["parts.fin.force.z"].values[0] == pytest.approx(lift * math.cos(alpha) + drag * math.sin(alpha), rel=1e-6)
    assert log["truth.velocity.y"].values[-1] < 0.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"area": -0.3}, "area"),
        ({"link": "bodi"}, "bodi"),
        ({"model": "curves"}, "needs both"),
        ({"model": "curves", "drag": SPLINE, "lift": SPLINE | {"coefficients": [0, 0, 1, -1, 2, 0, 1, 0.5]}}, "gap at 0"),
        ({"model": "curves", "drag": SPLINE, "lift": SPLINE | {"breaks": [-1.0, 0.0, 0.0]}}, "ascend"),
        ({"model": "curves", "drag": SPLINE, "lift": SPLINE | {"breaks": [-1.0, 1.0]}}, "four coefficients"),
        ({"slipstream": 0.5}, "input_from"),
    ],
)
def test_a_surface_that_cannot_be_is_refused_with_a_sentence(make_twin: Any, change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        make_twin(PLANE, parts={"wing": {"kind": "airfoil", "link": "body"} | SIZES | change})


def test_near_the_ground_it_induces_less_and_lifts_more() -> None:
    """McCormick's share of the induced drag at h / b = 0.1, and the lift slope that goes with it."""
    span, aspect = 2.0, 2.0**2 / 0.3
    phi = 1.6**2 / (1.0 + 1.6**2)
    far, near = (call(Airfoil, air_velocity=(20.0, 0.0, 0.0), height=height, ground_effect=1.0, **WING) for height in (1e6, 0.2))
    plain = call(Airfoil, air_velocity=(20.0, 0.0, 0.0), height=0.1 * span, **WING)
    np.testing.assert_array_equal(far.force, plain.force)
    pressure = 0.5 * 1.225 * 400.0 * 0.3
    assert near.force[2] == pytest.approx(pressure * 0.56 * (1.0 + 2.0 / aspect) / (1.0 + 2.0 * phi / aspect), rel=1e-8)
    assert -near.force[0] == pytest.approx(pressure * (0.0437 + phi * 0.56**2 / (math.pi * 0.9 * aspect)), rel=1e-8)
