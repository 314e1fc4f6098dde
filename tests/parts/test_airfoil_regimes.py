"""The airfoil in every direction of flow: continuous, passive, mirrored, and as published where the flow is attached."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import Law
from numpy.typing import NDArray
from pydantic import ValidationError

from didymos.parts.airfoil import Airfoil

SIZES = {"area": 0.3, "span": 2.0, "chord": 0.15}
WHOLE = SIZES | {
    "lift_0": 0.56, "lift_alpha": 6.9, "drag_0": 0.0437, "oswald": 0.9, "stall_angle": 0.4712, "lift_q": 4.1, "lift_y": -0.3,
    "drag_q": 0.02, "drag_y": 0.01, "side_beta": -0.98, "side_p": -0.07, "side_r": 1.2, "side_x": 0.03, "side_z": -0.2,
    "roll_beta": -0.12, "roll_p": -1.0, "roll_r": 0.14, "roll_x": 0.25, "roll_z": -0.037, "pitch_0": 0.045, "pitch_alpha": -0.7,
    "pitch_q": -20.0, "pitch_y": 1.0, "yaw_beta": 0.25, "yaw_p": 0.022, "yaw_r": -1.0, "yaw_x": -0.01, "yaw_z": 0.1,
}  # fmt: skip
MOMENTS = {name: value for name, value in WHOLE.items() if name.startswith(("side", "roll", "pitch", "yaw"))}
CURVES = SIZES | MOMENTS | {
    "model": "curves",
    "lift": {"kind": "spline", "breaks": [-0.3, 0.0, 0.4], "coefficients": [0, 0, 5.0, -1.2, 0, -6.0, 5.0, 0.3]},
    "drag": {"coefficients": [0.03, 0.0, 1.1], "low": -0.35, "high": 0.6},
}  # fmt: skip
LIFT_SURFACE = {"kind": "surface", "degrees": [1, 2], "coefficients": [0.2, 0, -0.1, 4, 0], "low": -0.3, "high": 0.3}
SURFACE = CURVES | {"lift": LIFT_SURFACE}
ONE_SIDED = CURVES | {"lift": {"coefficients": [0.3, 4.0], "low": -0.3, "high": 3.3}}  # measured beyond 180 deg on one side
SOFT = WHOLE | {"stall_sharpness": 2.0}  # of which the published blend is not over at 180 deg
MODELS = {"linear": WHOLE, "curves": CURVES, "surface": SURFACE, "one side": ONE_SIDED, "soft": SOFT}
SPEED = 12.0
PRESSURE = 0.5 * 1.225 * SPEED**2 * 0.3


def flow(direction: NDArray[np.float64]) -> dict[str, Any]:
    """Motion against the air along a direction in forward-right-down."""
    return {"air_velocity": SPEED * direction * (1, -1, -1)}


def toward(alpha: float, beta: float) -> NDArray[np.float64]:
    return np.array([math.cos(alpha) * math.cos(beta), math.sin(beta), math.sin(alpha) * math.cos(beta)])


def directions(count: int, seed: int) -> NDArray[np.float64]:
    drawn = np.random.default_rng(seed).normal(size=(count, 3))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def load(law: Law, direction: NDArray[np.float64], **others: Any) -> NDArray[np.float64]:
    """Force and moment in forward-right-down by q S and q S times the span: all of the order of 1."""
    answer = law(**flow(direction), **others)
    turn = np.array([1.0, -1.0, -1.0])
    return np.concatenate([turn * answer.force / PRESSURE, turn * answer.torque / (PRESSURE * 2.0)])


@pytest.mark.parametrize("model", MODELS)
def test_nothing_jumps_anywhere_on_the_sphere_of_flow_directions(model: str) -> None:
    """Random pairs, and pairs on both sides of +-180 deg, of flow along the span, and of the ends of all regimes.

    A step of 1e-7 changes what is continuous by the steepest slope times 1e-7: the blend goes from C_L of 3.8 at stall to the
    plate within 8 / M = 0.16 rad, at most 1.5 (3.8 - 1) / 0.16 = 26 per rad, and induced drag and lift add to it; 100 is above.
    """
    law = Law(Airfoil, **MODELS[model])
    others = {"rate": (0.4, -0.3, 0.5), "memory": {"deflection": (0.2, -0.3, 0.25)}}
    rng = np.random.default_rng(11)
    step = 1e-7
    starts = list(directions(4000, 12))
    angles = np.linspace(-math.pi, math.pi, 361)
    starts += [toward(angle, 0.0) for angle in angles]
    starts += [toward(angle, beta) for angle in angles[::6] for beta in (-1.570796, 1.5707, math.pi / 6, math.pi / 3, -0.9)]
    starts += [toward(math.copysign(math.pi - 0.3 * step, side), beta) for side in (1, -1) for beta in np.linspace(-1.5, 1.5, 31)]
    for start in starts:
        end = start + step * rng.normal(size=3)
        if abs(start[2]) < step and start[0] < 0.0:
            end = start * (1, 1, -1)  # across +-180 deg
        end /= np.linalg.norm(end)
        change = np.abs(load(law, end, **others) - load(law, start, **others)).max()
        assert change <= 100.0 * np.linalg.norm(end - start) + 1e-13


def test_the_pitching_moment_is_the_same_from_both_sides_of_flow_from_behind() -> None:
    law = Law(Airfoil, **WHOLE)
    assert load(law, toward(math.pi - 1e-9, 0.0))[4] == pytest.approx(load(law, toward(1e-9 - math.pi, 0.0))[4], abs=1e-8)


@pytest.mark.parametrize("model", ["linear", "soft"])
def test_in_attached_flow_it_is_the_published_model_to_rounding(model: str) -> None:
    c: dict[str, Any] = MODELS[model]
    law, rng, turn = Law(Airfoil, **c), np.random.default_rng(3), np.array([1.0, -1.0, -1.0])
    for _ in range(2000):
        alpha, beta = rng.uniform(-0.47, 0.47), rng.uniform(-0.5235, 0.5235)
        u, v, w = speeds = rng.uniform(8.0, 30.0) * toward(alpha, beta)
        p, q, r = rng.uniform(-1.0, 1.0, 3)
        dx, dy, dz = rng.uniform(-0.3, 0.3, 3)
        speed = math.sqrt(u * u + v * v + w * w)
        by_b, by_c = 2.0 / (2.0 * speed), 0.15 / (2.0 * speed)
        m = c.get("stall_sharpness", 50.0)
        near, far = math.exp(-m * (alpha - 0.4712)), math.exp(m * (alpha + 0.4712))
        share = (1.0 + near + far) / ((1.0 + near) * (1.0 + far))  # Beard & McLain, eq. 4.10
        line = 0.56 + 6.9 * alpha
        plate = 2.0 * math.copysign(math.sin(alpha) ** 2, alpha)
        lift = (1 - share) * line + share * plate * math.cos(alpha) + 4.1 * by_c * q - 0.3 * dy
        drag = 0.0437 + (1 - share) * line**2 / (math.pi * 0.9 * 4.0 / 0.3) + share * plate * math.sin(alpha)
        drag += 0.02 * by_c * q + 0.01 * dy
        side, roll, yaw = (
            c[f"{n}_beta"] * beta + by_b * (c[f"{n}_p"] * p + c[f"{n}_r"] * r) + c[f"{n}_x"] * dx + c[f"{n}_z"] * dz
            for n in ("side", "roll", "yaw")
        )
        pitch = 0.045 - 0.7 * alpha - 20.0 * by_c * q + dy
        pressure = 0.5 * 1.225 * speed**2 * 0.3
        sine, cosine = math.sin(alpha), math.cos(alpha)
        force = np.array([lift * sine - drag * cosine, side, -lift * cosine - drag * sine])
        if force @ speeds > 0.0:
            continue  # the published model drives itself there; another test
        found = law(air_velocity=turn * speeds, rate=turn * (p, q, r), memory={"deflection": (dx, dy, dz)})
        np.testing.assert_allclose(found.force, turn * pressure * force, rtol=0, atol=2e-12 * pressure)
        torque = pressure * np.array([2.0 * roll, 0.15 * pitch, 2.0 * yaw])
        np.testing.assert_allclose(found.torque, turn * torque, rtol=0, atol=2e-12 * pressure)


def test_flow_along_the_span_lifts_nothing_and_drags_as_the_skin_does() -> None:
    still = WHOLE | {name: 0.0 for name in WHOLE if name.startswith("side")}
    found = load(Law(Airfoil, **still), toward(0.0, math.pi / 2))
    np.testing.assert_allclose(found[:3], [0.0, -0.0437, 0.0], atol=1e-15)


@pytest.mark.parametrize("beta", [1.06, -1.2, 1.4])
def test_at_large_sideslip_only_the_flow_across_the_span_lifts(beta: float) -> None:
    """q cos^2(beta) of simple sweep theory, for the lift of an untwisted wing at alpha = 0."""
    assert load(Law(Airfoil, **WHOLE), toward(0.0, beta))[2] == pytest.approx(-0.56 * math.cos(beta) ** 2, rel=1e-8)


@pytest.mark.parametrize("alpha", [-2.0, -1.0, 1.0, math.pi / 2, 2.5])
def test_beyond_their_range_curves_are_a_flat_plate(alpha: float) -> None:
    bare = {name: value for name, value in CURVES.items() if name not in MOMENTS}
    found = load(Law(Airfoil, **bare), toward(alpha, 0.0))[:3]
    normal = 2.0 * math.copysign(math.sin(alpha) ** 2, alpha)
    np.testing.assert_allclose(found, [-0.03 * math.cos(alpha), 0.0, -0.03 * math.sin(alpha) - normal], atol=1e-15)


def test_curves_are_what_they_say_up_to_the_ends_of_their_common_range() -> None:
    law = Law(Airfoil, **CURVES)
    for alpha in (-0.3, -0.1, 0.0, 0.2, 0.4):
        lift = 5.0 * alpha + 0.3 if alpha < 0.0 else 0.3 + 5.0 * alpha - 6.0 * alpha**2
        x, _, z = load(law, toward(alpha, 0.2))[:3]
        assert x * math.sin(alpha) - z * math.cos(alpha) == pytest.approx(lift, abs=1e-12)
        assert -x * math.cos(alpha) - z * math.sin(alpha) == pytest.approx(0.03 + 1.1 * alpha**2, abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_the_mirrored_flow_gives_the_mirrored_load(model: str) -> None:
    law, rng = Law(Airfoil, **MODELS[model]), np.random.default_rng(5)
    mirror, axial = np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])
    for direction in directions(2000, 6):
        rate, deflection = rng.uniform(-1.0, 1.0, 3), rng.uniform(-0.4, 0.4, 3)
        one = load(law, direction, rate=rate, memory={"deflection": deflection})
        other = load(law, direction * mirror, rate=rate * axial, memory={"deflection": deflection * axial})
        np.testing.assert_allclose(other, one * np.concatenate([mirror, axial]), rtol=1e-12, atol=1e-14)


def test_a_surface_without_camber_is_the_same_upside_down() -> None:
    symmetric = {name: WHOLE[name] for name in (*SIZES, "lift_alpha", "drag_0", "pitch_alpha", "lift_y", "pitch_y")}
    law = Law(Airfoil, **symmetric)
    mirror, axial = np.array([1.0, 1.0, -1.0]), np.array([-1.0, -1.0, 1.0])
    for direction in directions(2000, 7):
        one = load(law, direction, memory={"deflection": (0.0, 0.2, 0.0)})
        other = load(law, direction * mirror, memory={"deflection": (0.0, -0.2, 0.0)})
        np.testing.assert_allclose(other, one * np.concatenate([mirror, axial]), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("model", MODELS)
def test_air_at_rest_never_drives_it(model: str) -> None:
    """10,000 states of any direction, rate and deflection: F . V <= 0."""
    drives = {"side_0": 0.3, "drag_y": -0.4, "drag_q": 2.0}
    law, rng = Law(Airfoil, **(MODELS[model] | drives)), np.random.default_rng(8)
    for direction in directions(10_000, 9):
        speed = 10.0 ** rng.uniform(-3.0, 2.0)
        velocity = speed * direction
        found = law(air_velocity=velocity, rate=rng.normal(size=3) * 3.0, memory={"deflection": rng.uniform(-0.5, 0.5, 3)})
        assert found.force @ velocity <= 1e-12 * (1.0 + speed**3)


@pytest.mark.parametrize("model", ["linear", "curves"])
def test_an_aircraft_takes_no_power_from_air_at_rest_when_it_turns_either(model: str) -> None:
    """F . V + T . w <= 0 for 10,000 states at reduced rates b p / 2V, c q / 2V, b r / 2V up to 0.1, 0.02, 0.1."""
    law, rng = Law(Airfoil, **MODELS[model]), np.random.default_rng(10)
    for direction in directions(10_000, 13):
        rate = rng.uniform(-1.0, 1.0, 3) * (0.1, 2 * 0.02 / 0.15, 0.1) * SPEED
        found = law(**flow(direction), rate=rate)
        velocity = SPEED * direction * (1, -1, -1)
        assert found.force @ velocity + found.torque @ rate <= 1e-12


def test_in_flow_from_behind_deflections_act_the_other_way() -> None:
    law = Law(Airfoil, **WHOLE)
    for axis, moment in ((0, 3), (1, 4), (2, 5)):
        deflection = np.zeros(3)
        deflection[axis] = 0.2
        ahead, behind = (
            load(law, np.array([x, 0.0, 0.0]), memory={"deflection": deflection}) - load(law, np.array([x, 0.0, 0.0]))
            for x in (1.0, -1.0)
        )
        assert behind[moment] == pytest.approx(-ahead[moment], rel=1e-12)
        assert abs(ahead[moment]) > 1e-4


def test_curves_all_around_that_do_not_meet_behind_are_refused() -> None:
    around = CURVES | {"lift": {"coefficients": [0.3, 4.0]}, "drag": {"coefficients": [0.03, 0.0, 1.1]}}
    with pytest.raises(ValidationError, match=r"the curve 'lift' is -12\.2664 at -180 deg and 12\.8664 at 180 deg"):
        Law(Airfoil, **around)


@pytest.mark.parametrize(("alpha", "beta"), [(1.2, 0.0), (-1.0, 0.4), (2.6, -0.3), (-2.9, 0.2)])
def test_past_stall_moment_elevator_and_damping_are_those_of_a_plate_in_any_direction(alpha: float, beta: float) -> None:
    """F_z = -(C_D0 z + 2 z |z| + C_Ldy dy x + C_Lq c q / 2V), m = C_ma z + C_mdy dy x + C_mq c q / 2V: written out."""
    x, _, z = toward(alpha, beta)
    dy, q = 0.2, 0.8
    by_c = 0.15 / (2.0 * SPEED) * q
    found = load(Law(Airfoil, **WHOLE), toward(alpha, beta), rate=(0.0, -q, 0.0), memory={"deflection": (0.0, dy, 0.0)})
    assert found[2] == pytest.approx(-(0.0437 * z + 2.0 * z * abs(z) - 0.3 * dy * x + 4.1 * by_c), rel=1e-12)
    assert found[4] == pytest.approx((-0.7 * z + 1.0 * dy * x - 20.0 * by_c) * 0.15 / 2.0, rel=1e-12)
