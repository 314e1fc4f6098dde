"""What a `world.yaml` may say, typed: surroundings, the robots that stand in them, and scenarios for all of them together."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from didymos.control.stimulus import StimulusSpec
from didymos.describe.schema import AnyPart, AnySensor, ControlSpec, ExpectationSpec, Name, Number, StartSpec, WorldSpec
from didymos.describe.task_file import TaskSpec
from didymos.spec import Spec, Vector, number

__all__ = [
    "CouplingSpec", "MountJointSpec", "MountSpec", "PartnerSpec", "RelativeSpec", "RobotSpec", "WorldExpectationSpec",
    "WorldFile", "WorldRecordSpec", "WorldScenarioSpec",
]  # fmt: skip


class MountJointSpec(Spec):
    """A joint between a robot and the link that carries it; its name is `mount`."""

    kind: Literal["hinge", "slide", "ball"] = "hinge"
    axis: Vector = Field(default=Vector(z=1.0), description="in the frame of the mounted robot's root link; of a ball: none")
    lower: Number | None = Field(default=None, description="[rad] or [m]")
    upper: Number | None = Field(default=None, description="[rad] or [m]")
    damping: float = number(0.0, unit="N m s/rad", low=0, live=False)
    friction: float = number(0.0, unit="N m", low=0, live=False)


class MountSpec(Spec):
    """Where a robot is held: on a link of another one, rigidly or by a joint, or at a place of the world."""

    on: Name | None = Field(default=None, description="the robot that carries it; none: the world")
    link: str | None = Field(default=None, description="of that robot, or a named frame of it; its root link by default")
    position: Vector = Field(default=Vector(), description="of the robot's root link in that link's frame [m]")
    orientation: Vector = Field(default=Vector(), description="roll, pitch, yaw [rad]")
    joint: MountJointSpec | None = None

    @model_validator(mode="after")
    def _a_link_of_somebody(self) -> MountSpec:
        if self.link is not None and self.on is None:
            raise ValueError("a link without the robot that has it; expected the key 'on' as well")
        return self


class RobotSpec(Spec):
    """A robot of a world: which twin it is, how it begins, what it does, and where it is held."""

    twin: str = Field(description="a bundled name, or a twin folder or description, relative to the world's folder")
    variant: str | None = None
    start: StartSpec | None = Field(default=None, description="keys win over those of the twin")
    scenario: Name | None = Field(default=None, description="of the twin, that it plays unless a scenario of the world says else")
    control: ControlSpec | None = Field(default=None, description="a program instead of the twin's own")
    parts: dict[Name, AnyPart] = Field(
        default={}, description="further parts, or others in the place of the twin's; a link may be another robot's, ROBOT.LINK"
    )
    sensors: dict[Name, AnySensor] = Field(default={}, description="further sensors, or others in the place of the twin's")
    set: dict[str, Number] = Field(default={}, description="values of its parameters by path")
    mount: MountSpec | None = None


class PartnerSpec(Spec):
    """What a robot does in a scenario of the world."""

    scenario: Name | None = Field(default=None, description="of its twin, that it plays")
    start: StartSpec | None = None
    control: ControlSpec | None = Field(default=None, description="a program of its own instead of the robot's")
    gains: dict[str, Any] = Field(default={}, description="gains of its program, by name, nested or dotted")


class RelativeSpec(Spec):
    """Where a robot, or a link of one, is as seen from another; the expectation's `point` is taken away from it."""

    of: str = Field(description="a robot, or a link as ROBOT.LINK")
    to: str = Field(description="a robot, or a link as ROBOT.LINK: the origin and the axes")
    axes: Literal["link", "heading", "world"] = Field(
        default="link", description="those of `to`; those of its heading, z up; or the world's"
    )
    along: Literal["x", "y", "z", "level", "space"] = Field(
        default="space", description="one coordinate, the distance in the x-y plane, or in space [m]"
    )
    rate: bool = Field(default=False, description="how fast that changes instead [m/s]")
    within: tuple[Number, Number] | None = Field(
        default=None, description="only samples count at which what `along` says lies between these [m]"
    )


class WorldExpectationSpec(ExpectationSpec):
    """A figure of a run and where it has to lie; it may relate robots."""

    distance: tuple[str, ...] | None = Field(
        default=None,
        min_length=2,
        description="robots, or links as ROBOT.LINK: the figure is measured of the distance between the nearest two [m]",
    )
    relative: RelativeSpec | None = Field(default=None, description="the figure is measured of a place as seen from a robot")

    @model_validator(mode="before")
    @classmethod
    def _instead_of_a_signal(cls, raw: Any) -> Any:
        given = [key for key in _QUESTIONS if isinstance(raw, dict) and raw.get(key) is not None]
        if len(given) > 1 and set(given) & {"distance", "relative"}:
            raise ValueError("expected exactly one of the keys 'signal', 'figure', 'stl', 'distance' and 'relative'")
        return {**raw, "signal": given[0]} if given in (["distance"], ["relative"]) else raw


_QUESTIONS = ("signal", "figure", "stl", "distance", "relative")


class WorldScenarioSpec(Spec):
    """A run of all robots together; paths, targets and signals begin with the robot's name, or with `world`."""

    title: str = ""
    seconds: float = number(10.0, unit="s", above=0, high=1e6, live=False)
    robots: dict[Name, PartnerSpec] = Field(default={}, description="what single robots do; the others do what they always do")
    set: dict[str, Number] = Field(default={}, description="values of parameters by path")
    setpoints: dict[Annotated[str, Field(max_length=256)], Number] = Field(
        default={}, description="constant set-points, by ROBOT.NAME"
    )
    stimuli: tuple[StimulusSpec, ...] = ()
    expect: tuple[WorldExpectationSpec, ...] = ()


class CouplingSpec(Spec):
    """What joins two links of two robots: a weld that can be opened and closed during a run, or a spring.

    A weld is an input of the first end's robot, under the coupling's name: above 0.5 it holds.
    """

    kind: Literal["weld", "spring"] = "weld"
    between: tuple[str, str] = Field(description="two ends, each ROBOT.LINK; a link or a named frame")
    attached: bool = Field(default=False, description="of a weld: whether it is closed at the start")
    stiffness: float = number(0.0, unit="N/m", low=0, live=False, doc="of a spring")
    damping: float = number(0.0, unit="N s/m", low=0, live=False, doc="of a spring")
    length: float = number(0.0, unit="m", low=0, live=False, doc="of a spring at rest")
    pushes_only: bool = Field(default=False, description="of a spring: none where it is longer than at rest")

    @model_validator(mode="after")
    def _of_its_kind(self) -> CouplingSpec:
        springs = {"stiffness", "damping", "length", "pushes_only"} & self.model_fields_set
        if self.kind == "weld" and springs:
            raise ValueError(f"a weld does not use the key {min(springs)!r}; a spring does (kind: spring)")
        if self.kind == "spring" and "attached" in self.model_fields_set:
            raise ValueError("a spring does not use the key 'attached'; a weld does")
        if self.between[0] == self.between[1]:
            raise ValueError(f"found {self.between[0]!r} at both ends")
        return self


class WorldRecordSpec(Spec):
    """What of the world as a whole is recorded."""

    momentum: bool = Field(default=False, description="`world.momentum`: momentum and kinetic energy of everything together")


class WorldFile(Spec):
    """A whole `world.yaml`."""

    title: str = ""
    world: WorldSpec | None = Field(default=None, description="as in a twin file; all that it does not name is the first robot's")
    robots: dict[Name, RobotSpec] = Field(min_length=1)
    couplings: dict[Name, CouplingSpec] = Field(default={}, description="welds and springs between robots")
    record: WorldRecordSpec = WorldRecordSpec()
    scenarios: dict[Name, WorldScenarioSpec] = Field(default={})
    tasks: dict[Name, TaskSpec] = Field(default={}, description="of all robots together; names begin with the robot's")
