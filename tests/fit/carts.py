"""A cart on a rail that a force pushes: m x'' = F, everything about it in closed form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos import Twin

CART = """<mujoco><worldbody><body name="cart"><joint name="rail" type="slide" axis="1 0 0"/>
  <geom type="box" size=".1 .1 .1" mass="2"/></body></worldbody>
  <actuator><motor name="push" joint="rail"/></actuator></mujoco>"""
PERIOD = 0.01
COLUMNS: dict[str, Any] = {
    "x": {"signal": "joints.rail.position"}, "v": {"signal": "joints.rail.velocity"}, "force": {"input": "push"},
}  # fmt: skip


def cart_twin(**sections: Any) -> Twin:
    """A cart of 2 kg; recordings of it hold x, v and the force."""
    content = {"world": {"gravity": 0, "step": PERIOD, "integrator": "rk4"}, "recordings": {"columns": COLUMNS}}
    return Twin.from_urdf(CART, **(content | sections))


def motion(
    mass: float, seconds: float = 3.0, *, start: tuple[float, float] = (0.2, -0.1), seed: int = 0
) -> dict[str, NDArray[np.float64]]:
    """What a cart does under forces that are held for 10 ms each, exactly: columns t, x, v, force."""
    rng = np.random.default_rng(seed)
    count = round(seconds / PERIOD)
    force = np.repeat(rng.uniform(-3.0, 3.0, -(-count // 10)), 10)[:count]
    x, v = np.empty(count), np.empty(count)
    x[0], v[0] = start
    for i in range(count - 1):
        a = force[i] / mass
        x[i + 1], v[i + 1] = x[i] + v[i] * PERIOD + 0.5 * a * PERIOD**2, v[i] + a * PERIOD
    return {"t": PERIOD * np.arange(count), "x": x, "v": v, "force": force}


def write_csv(file: Path, columns: dict[str, NDArray[np.float64]]) -> Path:
    """A recording as a file."""
    rows = np.column_stack(list(columns.values()))
    np.savetxt(file, rows, delimiter=",", header=",".join(columns), comments="", fmt="%.15g")
    return file
