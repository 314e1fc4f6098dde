"""Drag against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np

SHEET = """<mujoco><worldbody><body name="sheet"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/></body></worldbody></mujoco>"""


def test_a_gliding_body_slows_down_hyperbolically(make_twin: Any) -> None:
    """m v' = -1/2 rho A v^2: v = v0 / (1 + v0 t / L), x = L ln(1 + v0 t / L), L = 2 m / (rho A)."""
    mass, area, speed, step, seconds = 0.5, 0.08, 12.0, 0.001, 3.0
    twin = make_twin(
        SHEET.format(mass=mass),
        world={"step": step, "integrator": "rk4", "gravity": 0.0},
        parts={"drag": {"kind": "body_drag", "link": "sheet", "area_x": area, "area_y": area, "area_z": area}},
        start={"velocity": [speed, 0, 0]},
    )
    log = twin.simulate().run(seconds)
    rho = 101_325.0 / (287.05287 * 288.15)
    length = 2 * mass / (rho * area)
    t = log["truth.velocity.x"].time
    # v^(5) = 120 v0 / s^5 at most with the time scale s = L / v0 = 0.85 s: local error v0 (h/s)^5, global v0 (h/s)^4
    bound = (step * speed / length) ** 4
    np.testing.assert_allclose(log["truth.velocity.x"].values, speed / (1 + speed * t / length), atol=bound * speed)
    where = length * np.log(1 + speed * t / length)
    np.testing.assert_allclose(log["truth.position.x"].values, where, atol=bound * speed * seconds)


def test_free_fall_with_drag_approaches_the_terminal_speed(make_twin: Any) -> None:
    """v = vt tanh(g t / vt), z = z0 - vt^2 / g ln cosh(g t / vt), vt^2 = 2 m g / (rho A)."""
    mass, gravity, terminal, step, seconds = 0.001, 9.80665, 0.1, 0.0001, 0.1
    rho = 101_325.0 / (287.05287 * 288.15)
    area = 2 * mass * gravity / (rho * terminal**2)
    twin = make_twin(
        SHEET.format(mass=mass),
        world={"step": step, "integrator": "rk4", "gravity": gravity},
        parts={"drag": {"kind": "body_drag", "link": "sheet", "area_z": area}},
        record={"rate": 1000},
    )
    log = twin.simulate().run(seconds)
    t = log["truth.velocity.z"].time
    # The air gets denser by 9.6e-5 per metre; it falls less than 0.01 m, so density grows by less than 1e-6 and the
    # terminal speed falls by half of that. RK4 at h = 0.01 of the time scale vt / g adds (0.01)^4 = 1e-8.
    bound = 0.5e-6 + 1e-8
    np.testing.assert_allclose(
        log["truth.velocity.z"].values, -terminal * np.tanh(gravity * t / terminal), atol=bound * terminal
    )
    fallen = terminal**2 / gravity * np.log(np.cosh(gravity * t / terminal))
    np.testing.assert_allclose(log["truth.position.z"].values, -fallen, atol=bound * terminal * seconds)
    assert abs(log["truth.velocity.z"].values[-1]) > 0.9999 * terminal


def test_equal_areas_give_a_force_exactly_against_the_motion(make_twin: Any) -> None:
    velocity = np.array([3.0, -4.0, 12.0])  # of length 13
    twin = make_twin(
        SHEET.format(mass=1.0),
        parts={"drag": {"kind": "body_drag", "link": "sheet", "area_x": 0.1, "area_y": 0.1, "area_z": 0.1}},
        start={"velocity": velocity.tolist(), "orientation": [0.3, -0.8, 2.0]},
    )
    log = twin.simulate().run(0.01)
    force = np.array([log[f"parts.drag.force.{axis}"].values[0] for axis in "xyz"])
    rho = 101_325.0 / (287.05287 * 288.15)
    np.testing.assert_allclose(force, -0.5 * rho * 0.1 * 13.0 * velocity, rtol=1e-14)
