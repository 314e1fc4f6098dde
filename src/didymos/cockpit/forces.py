"""Forces of parts for the eye: from the readouts of each part, where it sits and which way it points.

A readout `force.x`, `force.y`, `force.z` is a vector in the part's frame; `thrust`, or the `force` of a part with an input,
points along its x axis. A part that also reads out `alpha`, its angle of attack, is a lifting surface: its force in the x-z
plane is drawn as lift, across the air that comes, and drag, along it:

    L = F_x sin(alpha) + F_z cos(alpha)      along (sin(alpha), 0, cos(alpha))
    D = F_z sin(alpha) - F_x cos(alpha)      along (-cos(alpha), 0, sin(alpha))
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine.robot_run import RobotRun
from didymos.parts import Part

__all__ = ["PartForces", "lift_and_drag"]

Array = NDArray[np.float64]
_VECTOR = ("force.x", "force.y", "force.z")
_ANGLE = "alpha"


@dataclass(frozen=True)
class _Source:
    """A part that can be drawn: its body, its position [m] and rotation in it, and where its readouts lie in the state."""

    body: int
    position: Array
    rotation: Array
    axes: list[int]
    columns: list[int]
    angle: int | None


class PartForces:
    """Reads the forces of a robot's parts."""

    def __init__(self, robot: RobotRun) -> None:
        assembly = robot.built.assembly
        self._sources: list[_Source] = []
        for row, (name, part) in zip(assembly.parts, robot.twin.file.parts.items(), strict=True):
            kind = part.contract
            outputs = [name for output in kind.outputs for name in output.names]
            axes = _drawn(kind, outputs)
            if axes:
                first = assembly.state.starts[f"outputs:{name}"]
                columns = [first + outputs.index(column) for column in axes.values()]
                angle = first + outputs.index(_ANGLE) if _ANGLE in outputs and len(axes) == 3 else None
                position, rotation = row["position"].copy(), row["rotation"].reshape(3, 3).copy()
                self._sources.append(_Source(int(row["body"]), position, rotation, list(axes), columns, angle))

    def now(self, shown: mujoco.MjData, data: mujoco.MjData) -> dict[str, Array]:
        """Point [m] and force [N] in the world's frame, shape [n, 2, 3], of `lift`, `drag` and `thrust`, which is all else."""
        arrows: dict[str, list[tuple[Array, Array]]] = {"thrust": [], "lift": [], "drag": []}
        for source in self._sources:
            of_body = shown.xmat[source.body].reshape(3, 3)
            point, rotation = shown.xpos[source.body] + of_body @ source.position, of_body @ source.rotation
            force = np.zeros(3)
            force[source.axes] = data.plugin_state[source.columns]
            if source.angle is None:
                arrows["thrust"].append((point, rotation @ force))
            else:
                lift, drag = lift_and_drag(force, float(data.plugin_state[source.angle]))
                arrows["lift"].append((point, rotation @ lift))
                arrows["drag"].append((point, rotation @ drag))
        return {kind: np.array(pairs).reshape(-1, 2, 3) for kind, pairs in arrows.items()}


def lift_and_drag(force: Array, alpha: float) -> tuple[Array, Array]:
    """The parts across and along the air of a surface's force [N], in its frame, at an angle of attack [rad]."""
    up, back = np.array([np.sin(alpha), 0.0, np.cos(alpha)]), np.array([-np.cos(alpha), 0.0, np.sin(alpha)])
    return (force @ up) * up, (force @ back) * back


def _drawn(kind: type[Part], outputs: list[str]) -> dict[int, str]:
    """The readouts that make up the force of a part, by axis; empty where it reads out none."""
    vector = {axis: name for axis, name in enumerate(_VECTOR) if name in outputs}
    along = "thrust" if "thrust" in outputs else "force" if "force" in outputs and kind.inputs else ""
    return vector or ({0: along} if along else {})
