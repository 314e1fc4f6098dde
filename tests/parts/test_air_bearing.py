"""Dry friction of an air bearing: it stands still, slides by Coulomb's law, shares friction between sliding and turning."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import Law

from didymos.parts.air_bearing import AirBearing

MASS, INERTIA, MU, G = 2.0, 0.05, 0.2, 9.80665
BODY = f"""<mujoco><option gravity="0 0 0"/><worldbody><body name="body"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/></body></worldbody></mujoco>"""
LANDED = {"kind": "air_bearing", "link": "body", "load": MASS, "flight_time": 1e-9}
MOST = MU * MASS * G


def simulation(
    make_twin: Any, integrator: str, step: float, *stimuli: dict[str, Any], start: Any = None, **numbers: float
) -> Any:
    twin = make_twin(
        BODY,
        world={"step": step, "integrator": integrator, "gravity": 0.0},
        parts={"bearing": LANDED | numbers},
        start=start or {},
        scenarios={"run": {"seconds": 20.0, "stimuli": [*stimuli]}},
    )
    return twin.simulate(scenario="run")


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
@pytest.mark.parametrize("step", [0.0005, 0.002, 0.01])
def test_a_landed_bearing_that_is_pushed_stands_still(make_twin: Any, integrator: str, step: float) -> None:
    """Half of what friction bears, for 10 s; smoothed friction once crept at 0.5 v_s / sqrt(1 - 0.25) = 0.3 mm/s."""
    pull = {"target": "push.body.x", "kind": "constant", "value": 0.5 * MOST}
    run = simulation(make_twin, integrator, step, pull)
    run.run(2.0)
    before = run.data.qpos.copy()
    run.run(8.0)
    assert np.abs(run.data.qpos - before).max() < 1e-12
    assert np.abs(run.data.qvel).max() < 1e-12
    given = max(0.5 * 1e-4, 0.5 * MU * G * step**2 / 0.09)  # half of x_b, or of what the step resolves
    assert before[0] == pytest.approx(given, rel=1e-6)


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
def test_a_landed_bearing_slides_to_rest_on_coulombs_way(make_twin: Any, integrator: str) -> None:
    """v^2 / (2 mu g), but for the presliding way, and stands there."""
    run = simulation(make_twin, integrator, 0.002, start={"velocity": [0.3, 0.4, 0.0]})
    run.run(2.0)
    way = np.hypot(*run.data.qpos[:2])
    assert way == pytest.approx(0.5**2 / (2.0 * MU * G), abs=0.5 * 0.002 + 2e-4)  # a step's way, and twice x_b
    assert run.data.qpos[1] / run.data.qpos[0] == pytest.approx(4.0 / 3.0, rel=1e-9)
    before = run.data.qpos.copy()
    run.run(5.0)
    assert np.abs(run.data.qpos - before).max() < 1e-9


def test_beyond_its_friction_it_slides_by_the_rest_of_the_force(make_twin: Any) -> None:
    pull = {"target": "push.body.x", "kind": "constant", "value": 1.5 * MOST}
    run = simulation(make_twin, "rk4", 0.002, pull)
    run.run(2.0)
    assert run.data.qvel[0] == pytest.approx(0.5 * MU * G * 2.0, rel=2e-3)


def test_pads_with_a_radius_stop_a_spin_and_without_one_do_not(make_twin: Any) -> None:
    """I dw/dt = -mu N r."""
    spin = {"angular_velocity": [0.0, 0.0, 3.0]}
    free = simulation(make_twin, "rk4", 0.002, start=spin)
    free.run(0.5)
    assert free.data.qvel[5] == pytest.approx(3.0, rel=1e-9)
    held = simulation(make_twin, "rk4", 0.002, start=spin, pad_radius=0.05)
    held.run(0.2)
    assert held.data.qvel[5] == pytest.approx(3.0 - MOST * 0.05 / INERTIA * 0.2, rel=2e-3)
    held.run(4.8)  # the spring of the pads is soft and little damped beside this inertia
    before = held.data.qpos.copy()
    held.run(2.0)
    assert np.abs(held.data.qpos - before).max() < 1e-9


def test_residual_friction_of_a_floating_bearing_stands_still_as_well(make_twin: Any) -> None:
    pull = {"target": "push.body.y", "kind": "constant", "value": 0.8 * 0.001 * MASS * G}
    run = simulation(make_twin, "rk4", 0.002, pull, friction=0.001, flight_time=0.0)
    run.run(10.0)
    before = run.data.qpos.copy()
    run.run(5.0)
    assert np.abs(run.data.qpos - before).max() < 1e-9


def test_friction_gives_back_no_more_than_it_stored_and_never_more_than_coulombs(make_twin: Any) -> None:
    """10,000 states: |f| <= mu N; power of f and the rate of 1/2 k z^2 together never above zero; drag takes b v^2 more."""
    radius, h, drag = 0.05, 0.002, 0.3
    law = Law(AirBearing, load=MASS, friction=MU, pad_radius=radius, drag=drag)
    stiffness = min(MOST / 1e-4, 0.09 * MASS / h**2)
    rng = np.random.default_rng(6)
    for _ in range(10_000):
        yaw = rng.uniform(-math.pi, math.pi)
        turn = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
        z = rng.normal(size=3) * 1e-4 * rng.uniform(0.0, 2.0)
        v, w = rng.normal(size=3) * 10.0 ** rng.uniform(-6, 0) * (1, 1, 0), rng.normal() * 10.0 ** rng.uniform(-5, 1)
        found = law(
            state={"slip_x": z[0], "slip_y": z[1], "slip_turn": z[2]}, rotation=turn.ravel(), velocity=turn.T @ v, rate=(0, 0, w),
            step=h,
        )  # fmt: skip
        friction = turn @ found.force + drag * v
        assert np.linalg.norm([*friction[:2], found.torque[2] / radius]) <= MOST * (1.0 + 1e-9)
        power = found.force @ (turn.T @ v) + found.torque[2] * w
        rate = np.array([found.rate[name] for name in ("slip_x", "slip_y", "slip_turn")])
        reach = MOST / stiffness
        held = z * min(1.0, reach / np.linalg.norm(z))  # what lies beyond is not stored
        if np.linalg.norm(z) <= reach:
            assert power + stiffness * held @ rate <= 1e-9 * (1.0 + abs(power))
        assert power + MOST * (np.linalg.norm(v) + radius * abs(w)) >= -drag * v @ v - 1e-9


def test_it_pulls_the_same_whichever_way_the_body_looks() -> None:
    law, rng = Law(AirBearing, load=MASS, friction=MU, slope_x=0.01, slope_y=-0.02), np.random.default_rng(7)
    for _ in range(1000):
        yaw, v = rng.uniform(-math.pi, math.pi), rng.normal(size=3) * (1, 1, 0)
        turn = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
        state = {"slip_x": 1e-5, "slip_y": -4e-5}
        straight = law(state=state, velocity=v, step=0.002).force
        askew = turn @ law(state=state, rotation=turn.ravel(), velocity=turn.T @ v, step=0.002).force
        np.testing.assert_allclose(askew, straight, atol=1e-12)


def test_a_tilted_pad_slides_and_spins_on_the_same_table() -> None:
    """A frame in any attitude: force in the plane and moment about its normal are those of a frame that lies flat."""
    law, rng = Law(AirBearing, load=MASS, friction=MU, pad_radius=0.05, slope_x=0.01), np.random.default_rng(8)
    state = {"slip_x": 1e-5, "slip_y": -4e-5, "slip_turn": 2e-5}
    for _ in range(1000):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn *= np.linalg.det(turn)
        v, w = rng.normal(size=3) * 1e-3, rng.normal(size=3) * 1e-2
        flat = law(state=state, velocity=v, rate=w, step=0.002)
        tilted = law(state=state, rotation=turn.ravel(), velocity=turn.T @ v, rate=turn.T @ w, step=0.002)
        np.testing.assert_allclose(turn @ tilted.force, flat.force * (1, 1, 0), atol=1e-12)
        np.testing.assert_allclose(turn @ tilted.torque, flat.torque * (0, 0, 1), atol=1e-12)
        assert abs(flat.torque[2]) > 0.0
        assert tilted.rate.tolist() == pytest.approx(flat.rate.tolist(), abs=1e-12)
