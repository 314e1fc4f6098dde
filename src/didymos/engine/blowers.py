"""Which parts of a twin blow, and which of them make one jet: rows of the part table for wakes.py.

Parts whose thrusts point one way, within 45 degrees as the robot is described, share a jet; a VTOL plane has one of its lifting
rotors and one of its propeller. Nothing is there where `world.wake.on` is false.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.contract import offset_of
from didymos.describe.twin import Twin
from didymos.engine.memory_layout import MemoryLayout
from didymos.errors import nearest
from didymos.parts.jet_source import JetSource

__all__ = ["blowers_of", "fill_blowers", "wakes_of"]

_ONE_WAY = math.cos(math.radians(45.0))


def wakes_of(twin: Twin) -> int:
    """Numbers of the state that hold the velocities of wakes: at each part and, last, at the root link; none where it is off."""
    return 3 * (len(twin.file.parts) + 1) if twin.file.world.wake.on else 0


def blowers_of(twin: Twin) -> dict[str, JetSource]:
    """The parts that blow, by name."""
    if not twin.file.world.wake.on:
        return {}
    found = {}
    for name, part in twin.file.parts.items():
        source = part.contract.jet_source(part)
        if source is None:
            continue
        if not source.radius > 0.0:
            what = "its wake (`world.wake.on`) needs the radius of its disc, which its numbers do not say"
            raise twin.mistake(what, "parts", name)
        outputs = [item.name for item in part.contract.outputs]
        if source.thrust not in outputs:
            what = f"the kind {part.kind!r} has no output {source.thrust!r}, which its jet_source names"
            raise twin.mistake(what + nearest(source.thrust, outputs), "parts", name)
        found[name] = source
    return found


def _groups(directions: NDArray[np.float64]) -> list[int]:
    """For each direction, shape [n, 3], the number of the first group that points its way."""
    leaders: list[NDArray[np.float64]] = []
    groups = []
    for direction in directions:
        near = [i for i, leader in enumerate(leaders) if float(leader @ direction) > _ONE_WAY]
        if not near:
            leaders.append(direction)
        groups.append(near[0] if near else len(leaders) - 1)
    return groups


def fill_blowers(
    model: mujoco.MjModel, twin: Twin, sources: dict[str, JetSource], parts: Any, state: MemoryLayout, rows: Any
) -> int:
    """Fill rows of `BLOWER` from those of `PART`; how many jets they make."""
    if not sources:
        return 0
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    numbers = {name: i for i, name in enumerate(twin.file.parts)}
    directions = []
    for name, source in sources.items():
        part = parts[numbers[name]]
        turned = data.xmat[part["body"]].reshape(3, 3) @ part["rotation"].reshape(3, 3) @ np.array(source.axis, dtype=float)
        directions.append(turned / np.linalg.norm(turned))
    groups = _groups(np.array(directions))
    order = sorted(range(len(groups)), key=lambda i: groups[i])  # a stable sort: otherwise as in the file
    names = list(sources)
    for row, i in zip(rows, order, strict=True):
        name, source = names[i], sources[names[i]]
        layout = twin.file.parts[name].contract.output_layout
        row["part"], row["jet"], row["radius"] = numbers[name], groups[i], source.radius
        row["thrust"] = state.starts[f"outputs:{name}"] + offset_of(layout, source.thrust)
        row["axis"] = np.array(source.axis) / np.linalg.norm(source.axis)
    return max(groups) + 1
