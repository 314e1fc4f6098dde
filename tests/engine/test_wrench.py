"""Forces of parts act at the right point, in the right frame: J^T w of the engine says the same."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

EARTH_RADIUS = 6_356_766.0  # [m], ISO 2533
EXPONENT = 9.80665 / (287.05287 * 0.0065) - 1.0  # of the temperature ratio in the density, ISO 2533


def _chain(links: int, floating: bool) -> str:
    """A tree: a chain of hinges and slides about odd axes, with a side branch, and a tilted site on every link."""
    rng = np.random.default_rng(links)

    def vector(scale: float) -> str:
        return " ".join(f"{x:.9g}" for x in scale * rng.standard_normal(3))

    def body(index: int) -> str:
        inside = body(index + 1) if index + 1 < links else ""
        if index == 1:
            inside += f"""<body name="branch" pos="{vector(0.3)}" euler="{vector(40)}">
              <joint name="b" axis="{vector(1)}"/>
              <geom size=".05" mass=".2"/><site name="side" pos="{vector(0.2)}" euler="{vector(60)}"/></body>"""
        kind = "slide" if index == 2 else "hinge"
        joint = f'<joint name="j{index}" type="{kind}" axis="{vector(1)}" pos="{vector(0.1)}"/>'
        if index == 0 and floating:
            joint = '<freejoint name="free"/>'
        return f"""<body name="link{index}" pos="{vector(0.3)}" euler="{vector(50)}">{joint}
          <geom size=".05" mass=".5" pos="{vector(0.1)}"/>
          <site name="site{index}" pos="{vector(0.2)}" euler="{vector(60)}"/>{inside}</body>"""

    return f"<mujoco><worldbody>{body(0)}</worldbody></mujoco>"


def _frame(model: Any, data: Any, name: str) -> tuple[int, np.ndarray, np.ndarray]:
    """Body, position and rotation of a link or a site."""
    site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, name)
    if site >= 0:
        return int(model.site_bodyid[site]), data.site_xpos[site].copy(), data.site_xmat[site].reshape(3, 3).copy()
    body = model.body(name).id
    return body, data.xpos[body].copy(), data.xmat[body].reshape(3, 3).copy()


@pytest.mark.parametrize("floating", [True, False])
@pytest.mark.parametrize("place", ["link0", "link4", "site4", "site2", "side", "branch"])
def test_a_parts_force_is_the_engines_own_jacobian_transposed(make_twin: Any, place: str, floating: bool) -> None:
    rng = np.random.default_rng(7)
    twin = make_twin(
        _chain(5, floating),
        world={"gravity": 0.0, "wind": {"speed": 6.0, "direction": 1.0, "up": 1.0}},
        parts={
            "rotor": {
                "kind": "rotor", "link": place, "direction": -1, "thrust_coefficient": 1e-4,
                "flapping_moment": 3e-3, "speed_per_input": 100.0, "speed_at_zero": 200.0,
            },
            "drag": {"kind": "body_drag", "link": place, "area_x": 0.3, "area_y": 0.5, "area_z": 0.7},
        },
    )  # fmt: skip
    simulation = twin.simulate()
    model, data = simulation.model, simulation.data
    largest = 0.0
    for _ in range(20):
        data.qpos[:] = rng.standard_normal(model.nq)
        data.qvel[:] = rng.standard_normal(model.nv)
        mujoco.mj_normalizeQuat(model, data.qpos)
        mujoco.mj_forward(model, data)
        body, position, rotation = _frame(model, data, place)
        height = EARTH_RADIUS * position[2] / (EARTH_RADIUS + position[2])  # geopotential
        rho = 101_325.0 / (287.05287 * 288.15) * (1 - 0.0065 * height / 288.15) ** EXPONENT
        jacobian, turning = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, turning, position, body)
        wind = np.array([6.0 * np.cos(1.0), 6.0 * np.sin(1.0), 1.0])
        flow = rotation.T @ (jacobian @ data.qvel - wind)
        force = -0.5 * rho * np.linalg.norm(flow) * np.array([0.3, 0.5, 0.7]) * flow
        force[0] += 1e-4 * rho / 1.225 * 200.0**2
        torque = 3e-3 * rho / 1.225 * 200.0 * np.array([0.0, flow[1], flow[2]])
        expected = np.zeros(model.nv)
        mujoco.mj_applyFT(model, data, rotation @ force, rotation @ torque, position, body, expected)
        scale = np.abs(expected).max()
        largest = max(largest, scale)
        # some dozen products and sums of numbers of that size, each rounded to 2e-16 of it
        np.testing.assert_allclose(data.qfrc_applied, expected, atol=1e-12 * scale, rtol=0)
    assert largest > 0.1


def test_links_that_a_part_does_not_move_feel_nothing(make_twin: Any) -> None:
    twin = make_twin(
        _chain(5, True),
        parts={"drag": {"kind": "body_drag", "link": "side", "area_x": 1.0}},
        world={"wind": {"speed": 5.0}},
    )
    simulation = twin.simulate()
    mujoco.mj_forward(simulation.model, simulation.data)
    moving = {"free", "j1", "b"}  # the way from the branch to the root
    for joint in range(simulation.model.njnt):
        dof = simulation.model.jnt_dofadr[joint]
        count = 6 if simulation.model.jnt_type[joint] == 0 else 1
        felt = simulation.data.qfrc_applied[dof : dof + count]
        assert felt.any() == (simulation.model.joint(joint).name in moving)
