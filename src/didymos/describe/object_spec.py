"""What a twin file may say of an object of the world: its shape, and whether it stands, follows a trajectory or is free."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from didymos.spec import Spec, Vector, number

__all__ = ["MotionSpec", "ObjectSpec", "PoseSpec", "TerrainSpec"]

Number = Annotated[float, Field(strict=True)]


class TerrainSpec(Spec):
    """Ground for legs, made by rule and by chance; see terrain.py. Heights count from the object's position upward."""

    kind: Literal["steps", "slopes", "rough", "stairs"] = Field(
        description="square blocks of any height; ramps of any slope along x; bumps; a flight along x, up and down"
    )
    height: float = number(
        0.1, unit="m", low=0, high=100, live=False, doc="rise of a stair; of the highest block or bump; slopes do not use it"
    )
    length: float = number(0.3, unit="m", above=0, high=1000, live=False, doc="of a stair, a block, a ramp; between two bumps")
    slope: float = number(0.2, unit="rad", low=0, high=1.4, live=False, doc="of the steepest ramp")
    level: float = number(
        0.0, unit="m", low=0, high=1000, live=False, doc="half the side of a level square in the middle; of stairs: of the top"
    )
    seed: float = number(0.0, unit="1", low=0, high=2**53, live=False, doc="a whole number; another one is other terrain")


class PoseSpec(Spec):
    """A pose at a time."""

    time: Number = Field(ge=0, description="[s]")
    position: Vector = Field(default=Vector(), description="[m], world frame")
    orientation: Vector = Field(default=Vector(), description="roll, pitch, yaw [rad]")


class MotionSpec(Spec):
    """A trajectory that nothing can hinder; what stands on the object is carried along. See moving.py."""

    kind: Literal["path", "sine", "circle"] = Field(description="through `poses`; to and fro about its pose; about its position")
    poses: tuple[PoseSpec, ...] = Field(default=(), description="of a path, by time; held before the first and after the last")
    interpolation: Literal["linear", "smooth"] = Field(
        default="linear", description="smooth: splines through the poses, from rest to rest, velocities without jumps"
    )
    repeat: bool = Field(default=False, description="a path begins anew at its end; its last pose is its first")
    amplitude: Vector = Field(default=Vector(), description="of a sine [m], world frame")
    turn: Vector = Field(default=Vector(), description="of a sine: amplitude of its rotation vector [rad], its own frame")
    radius: float = number(0.0, unit="m", low=0, high=1e6, live=False, doc="of a circle, level, about the object's position")
    facing: bool = Field(default=False, description="of a circle: its x axis points where it goes")
    frequency: float = number(
        0.0, unit="Hz", low=-1000, high=1000, live=False, doc="of a sine or circle; below 0 a circle goes clockwise from above"
    )
    phase: float = number(0.0, unit="rad", low=-1000, high=1000, live=False, doc="of a sine or circle at the start")

    @model_validator(mode="after")
    def _keys_of_its_kind(self) -> MotionSpec:
        keys = {
            "path": {"poses", "interpolation", "repeat"},
            "sine": {"amplitude", "turn", "frequency", "phase"},
            "circle": {"radius", "facing", "frequency", "phase"},
        }
        unused = sorted(self.model_fields_set - {"kind"} - keys[self.kind])
        if unused:
            raise ValueError(f"a motion of kind {self.kind!r} does not use the key {unused[0]!r}")
        if self.kind == "path":
            times = [pose.time for pose in self.poses]
            if len(times) < 2:
                raise ValueError(f"found {len(times)} poses, expected a path of at least two")
            if any(later <= earlier for earlier, later in pairwise(times)):
                raise ValueError("the times of the poses do not grow")
            first, last = ((*pose.position, *pose.orientation) for pose in (self.poses[0], self.poses[-1]))
            if self.repeat and (first != last or times[0] != 0.0):
                raise ValueError("a path that repeats begins at time 0 and ends in the pose in which it began")
        return self


_SIZED = ("box", "cylinder", "sphere", "capsule", "height_field", "terrain")
_ONLY = {
    "file": ("mesh", "height_field"), "scale": ("mesh",), "heights": ("height_field",), "terrain": ("terrain",),
    "size": (*_SIZED, "plane"), "mass": ("box", "cylinder", "sphere", "capsule", "mesh"),
    "motion": ("box", "cylinder", "sphere", "capsule", "mesh"),
}  # fmt: skip
Shape = Literal["box", "cylinder", "sphere", "capsule", "plane", "mesh", "height_field", "terrain"]


class ObjectSpec(Spec):
    """A thing of the world. It stands still; with a `mass` it is free; with a `motion` it follows a trajectory.

    See surroundings.md. A height field is level with its z axis up and its rows as on a map: the first one lies at the largest y.
    """

    shape: Shape = "box"
    position: Vector = Field(default=Vector(), description="of its middle [m]; of a height field or terrain: of height 0")
    orientation: Vector = Field(default=Vector(), description="roll, pitch, yaw [rad]")
    size: Vector | None = Field(
        default=None,
        description="lengths along its axes [m]; of a cylinder, capsule or sphere: diameter, diameter, length; of a plane:"
        " what is seen of it, contacts have no end; of a height field or terrain: x and y",
    )
    friction: float = number(1.0, unit="1", low=0, high=10, doc="coefficient of sliding friction")
    colour: Vector = Field(default=Vector(x=0.55, y=0.6, z=0.68), description="red, green, blue, 0 to 1")
    file: str | None = Field(
        default=None, description="of a mesh (STL, OBJ, COLLADA, PLY, glTF, OFF) or height field (PNG, npy, csv), in the folder"
    )
    scale: Vector = Field(default=Vector(x=1.0, y=1.0, z=1.0), description="of a mesh: factors on its file's lengths")
    heights: tuple[Number, Number] | None = Field(
        default=None, description="of a height field [m]: of black and white of a PNG, of the least and the largest of a table"
    )
    terrain: TerrainSpec | None = None
    mass: float | None = number(None, unit="kg", above=0, high=1e9, live=False, doc="makes it a free body")
    inertia: Vector | None = Field(
        default=None, description="of a free body: moments about its axes [kg m^2]; by default those of its shape, uniform"
    )
    velocity: Vector = Field(default=Vector(), description="of a free body at the start [m/s], its own frame")
    angular_velocity: Vector = Field(default=Vector(), description="of a free body at the start [rad/s], its own frame")
    motion: MotionSpec | None = None

    @property
    def is_free(self) -> bool:
        """Whether it is a free body."""
        return self.mass is not None

    @model_validator(mode="after")
    def _keys_of_its_shape(self) -> ObjectSpec:
        given = {key for key in self.model_fields_set if getattr(self, key) is not None}
        for key, shapes in _ONLY.items():
            if key in given and self.shape not in shapes:
                why = " and stands still" if key in ("mass", "motion") else ""
                raise ValueError(f"a {_words(self.shape)} does not use the key {key!r}{why}")
        needed = {"mesh": "file", "height_field": "file", "terrain": "terrain"}.get(self.shape)
        for key in (*(("size",) if self.shape in _SIZED else ()), *((needed,) if needed else ())):
            if key not in given:
                raise ValueError(f"the key {key!r} is missing, which a {_words(self.shape)} needs")
        if self.mass is not None and self.motion is not None:
            raise ValueError("found a mass and a motion, expected one of them: a free body follows no trajectory")
        for key in ("inertia", "velocity", "angular_velocity"):
            if key in given and self.mass is None:
                raise ValueError(f"the key {key!r} needs a mass: only a free body has it")
        if self.motion is not None and self.motion.kind == "path" and given & {"position", "orientation"}:
            raise ValueError("a path has the poses of its object, expected no 'position' and 'orientation' beside it")
        return self


def _words(shape: str) -> str:
    return shape.replace("_", " ")


assert set(_SIZED) < set(get_args(Shape))
