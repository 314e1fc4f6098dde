"""Two models of one robot: what the physics needs, and everything that there is to see.

Shapes that only serve to be seen, lights, colours and textures cost time in every evaluation (the engine moves each shape, and
a body's shapes make the boxes in which it looks for contacts) and memory in every run. They stay out of the model that is
simulated. Pictures, cameras, the cockpit and whoever else looks at a robot take the other model, which has the same bodies
and joints and is compiled when it is first asked for.

A shape that does not collide is left in where a ray of a sensor could hit it: a range finder's hits all shapes, a lidar's
all but those of the groups for the eye.

A body of a robot that has no shape for the eye is shown by the shapes that it collides with: its meshes may be lost, or of a kind
that needs an extra, and a picture without the robot tells nobody so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import mujoco

from didymos.describe.formats.engine_spec import check_compiles
from didymos.describe.names import readings
from didymos.describe.twin import Twin
from didymos.engine.lidar import UNSEEN_GROUPS
from didymos.engine.objects import object_of

__all__ = ["ShownModel", "discard_visuals"]


def discard_visuals(spec: mujoco.MjSpec, twins: Sequence[Twin]) -> None:
    """Take out of a spec what only serves to be seen."""
    if spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE:
        return  # shapes for the eye have mass then
    sensors = [sensor for twin in twins for sensor in readings(twin).values()]
    rays = {item.kind for sensor in sensors for item in sensor.contract.quantities}
    if "rangefinder" in rays:
        return
    hit = [
        geom for geom in spec.geoms
        if "rays" in rays and not (geom.contype or geom.conaffinity) and geom.group not in UNSEEN_GROUPS
    ]  # fmt: skip
    for geom in hit:
        geom.contype = 1  # the engine discards what does not collide
    spec.discard_visual()
    for geom in hit:
        geom.contype = 0
    for light in list(spec.lights):
        spec.delete(light)


class ShownModel:
    """The model of a robot with all its shapes, for the eye."""

    def __init__(self, spec: mujoco.MjSpec, source: Path) -> None:
        self._spec, self._source = spec, source

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The engine's model; bodies and joints are those of the simulated one, shapes are more."""
        model = check_compiles(self._spec, self._source)[0]
        _show_what_collides(model)
        return model

    def pose(self, state: mujoco.MjData, shown: mujoco.MjData | None = None) -> mujoco.MjData:
        """A data of this model, a given one or a new one, with all where the state of the simulated one has it."""
        shown = mujoco.MjData(self.model) if shown is None else shown
        shown.qpos[:], shown.mocap_pos[:], shown.mocap_quat[:] = state.qpos, state.mocap_pos, state.mocap_quat
        mujoco.mj_kinematics(self.model, shown)
        mujoco.mj_comPos(self.model, shown)
        mujoco.mj_camlight(self.model, shown)
        return shown


def _show_what_collides(model: mujoco.MjModel) -> None:
    """Let bodies that have no shape for the eye be seen by those of contact; objects may be hidden on purpose."""
    from didymos.engine.drawn_shapes import GROUP_OF_COLLISION, GROUP_OF_STAND_INS  # which need trimesh: not at every start

    seen = {int(body) for body in model.geom_bodyid[model.geom_group < GROUP_OF_COLLISION]}
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        if body and body not in seen and object_of(model.body(body).name) is None:
            model.geom_group[geom] = GROUP_OF_STAND_INS
