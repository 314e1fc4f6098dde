"""Mass, centre of mass and inertia of links, set before or during a run."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from didymos.errors import InputError

HALF_SIZES = np.array([0.1, 0.15, 0.2])  # [m], of the box in conftest
MASS = 1.5  # [kg]


def _mass_matrix(simulation: Any) -> np.ndarray:
    mujoco.mj_forward(simulation.model, simulation.data)
    full = np.zeros((simulation.model.nv, simulation.model.nv))
    mujoco.mj_fullM(simulation.model, simulation.data, full)
    return full


def _expected(mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Mass matrix of a free body at zero rotation, by velocity of its frame (world) and rate (body)."""
    cross = np.array([[0, -com[2], com[1]], [com[2], 0, -com[0]], [-com[1], com[0], 0]])
    found = np.zeros((6, 6))
    found[:3, :3] = mass * np.eye(3)
    found[:3, 3:] = -mass * cross
    found[3:, :3] = mass * cross
    found[3:, 3:] = inertia - mass * cross @ cross
    return found


def _box_inertia() -> np.ndarray:
    x, y, z = HALF_SIZES**2
    return MASS / 3 * np.diag([y + z, x + z, x + y])


@pytest.mark.parametrize("live", [False, True])
def test_every_number_of_a_links_inertia_reaches_the_equations_of_motion(make_twin: Any, live: bool) -> None:
    twin = make_twin()
    values = {"mass": 2.5, "com.x": 0.03, "com.y": -0.02, "com.z": 0.01, "inertia.xy": 0.002, "inertia.yz": -0.001}
    if not live:
        for path, value in values.items():
            twin.set(f"links.body.{path}", value)
    simulation = twin.simulate()
    if live:
        for path, value in values.items():
            simulation.set(f"links.body.{path}", value)
    inertia = _box_inertia()
    inertia[0, 1] = inertia[1, 0] = 0.002
    inertia[1, 2] = inertia[2, 1] = -0.001
    # eigenvectors and the rotation through a quaternion: a few roundings of numbers of order 1
    expected = _expected(2.5, np.array([0.03, -0.02, 0.01]), inertia)
    np.testing.assert_allclose(_mass_matrix(simulation), expected, atol=1e-14)


def test_an_inertia_that_no_body_can_have_leaves_the_run_as_it_was(make_twin: Any) -> None:
    simulation = make_twin().simulate()
    before = simulation.twin.get("links.body.inertia.xx")
    with pytest.raises(InputError, match="belong to no body"):
        simulation.set("links.body.inertia.xx", 1.0)
    assert simulation.twin.get("links.body.inertia.xx") == before
    simulation.set("links.body.mass", 2.0)  # still accepted
    np.testing.assert_allclose(_mass_matrix(simulation), _expected(2.0, np.zeros(3), _box_inertia()), atol=1e-14)
