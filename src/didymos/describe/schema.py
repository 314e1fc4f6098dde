"""What a `twin.yaml` may say, typed: everything that a robot description cannot say, in SI units and radians."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError, PydanticKnownError

from didymos.air.atmosphere import AirSpec
from didymos.air.earth import EarthSpec
from didymos.air.gusts import GustSpec
from didymos.air.magnetic import MagneticSpec
from didymos.air.rotor_wake import WakeSpec
from didymos.air.wind import WindSpec
from didymos.control.allocation_spec import AllocationSpec
from didymos.control.pilot import PilotSpec
from didymos.control.stimulus import StimulusSpec
from didymos.describe.code import Code
from didymos.describe.formula_text import signals_in
from didymos.describe.object_spec import ObjectSpec
from didymos.describe.ros2_file import Ros2Spec
from didymos.describe.task_file import TaskSpec
from didymos.errors import InputError, nearest
from didymos.kinds import Kinds
from didymos.measures import MEASURES
from didymos.parts import PARTS, PartSpec
from didymos.sensors import SENSORS, SensorSpec
from didymos.spec import PerAxis, Spec, Vector, number

__all__ = [
    "OF_A_KIND", "AnyPart", "AnySensor", "ColumnSpec", "ContactSpec", "ControlSpec", "DescriptionSpec", "ExpectationSpec",
    "FirmwareSpec", "FirmwaresSpec", "FitSpec", "FreeSpec", "FreeStartSpec", "GroundSpec", "Name", "Number", "ObjectSpec",
    "PriorSpec",
    "RecordSpec", "RecordingsSpec", "ScenarioSpec", "StartSpec", "TwinFile", "Vector", "WhereSpec", "WorldSpec",
]  # fmt: skip

OF_A_KIND: dict[str, Kinds[Any]] = {"parts": PARTS, "sensors": SENSORS}
"""Keys of a twin file whose records name their kind; the kind says what else they may hold."""


def _as_its_kind(kinds: Kinds[Any]) -> PlainValidator:
    """Reads a record with the keys of the kind that it names; what finds a kind by its name is in the context (see `code.py`)."""

    def read(raw: Any, info: ValidationInfo) -> Spec:
        if not isinstance(raw, dict):
            raise PydanticKnownError("dict_type")
        name, code = raw.get("kind"), (info.context or {}).get("code")
        if not isinstance(name, str):
            text = "the key 'kind' is missing" if name is None else f"found {name!r}, expected the name of {kinds.what}"
            raise PydanticCustomError("kind", "{text}", {"text": text})
        assert isinstance(code, Code)
        try:
            kind = code.find(kinds, name)
            if kinds is PARTS:
                kind = kind.for_record(raw)
            found: type[Spec] = kind.spec
        except InputError as error:
            raise PydanticCustomError("kind", "{text}", {"text": str(error)}) from None
        return found.model_validate(raw, context=info.context)

    return PlainValidator(read)


AnyPart = Annotated[PartSpec, _as_its_kind(PARTS)]
AnySensor = Annotated[SensorSpec, _as_its_kind(SENSORS)]


def _argument(value: Any) -> str | float | bool:
    if not isinstance(value, str | float | int):
        raise ValueError("expected a text, a number, true or false")
    return value


def _measure(name: str) -> str:
    if name not in MEASURES:
        raise ValueError(f"found {name!r}, expected {', '.join(map(repr, MEASURES))}{nearest(name, MEASURES)}")
    return name


Number = Annotated[float, Field(strict=True)]
Argument = Annotated[str | float | bool, PlainValidator(_argument)]
SetpointName = Annotated[str, Field(min_length=1, max_length=256)]  # of a joint, perhaps: whatever it is called
Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_\-]*$", max_length=64)]


class DescriptionSpec(Spec):
    """The robot description and how to read it."""

    file: str = Field(description="URDF, xacro, SDF or MJCF, relative to the twin's folder")
    arguments: dict[str, Argument] = Field(default={}, description="arguments for xacro")
    packages: dict[str, str] = Field(default={}, description="folders of ROS packages by name, for package:// and $(find)")
    base: Literal["as_described", "floating"] = Field("as_described", description="floating frees the root link")
    collision: Literal["as_described", "with_visuals"] = Field(
        "as_described", description="with_visuals: links without a collision shape meet the ground by what is seen of them"
    )
    no_collision: tuple[tuple[str, str], ...] = Field(
        default=(), description="pairs of links that pass through each other: shapes that overlap by construction"
    )
    inertia: Literal["as_described", "from_shapes"] = Field(
        "as_described", description="from_shapes: links with a mass and no inertia get that of their shapes; see describe.md"
    )
    repair: bool = Field(
        default=False, description="mend inertias that are off by rounding and moving links without mass; see describe.md"
    )
    density: Annotated[float, Field(strict=True, gt=0)] | None = Field(
        default=None, description="gives links without mass that of their shapes, at so much [kg/m^3]; see describe.md"
    )


class GroundSpec(Spec):
    """A level plane that things stand on."""

    height: float = number(0.0, unit="m", live=False, doc="z of the plane; wind, gusts and ground effect count heights from it")
    friction: float = number(1.0, unit="1", low=0, high=10, doc="coefficient of sliding friction")


class ContactSpec(Spec):
    """Friction with a direction: a round link that grips along an axis and slides across it, as a mecanum wheel does.

    A sphere touches the floor where the link does: its own, where that is its only collision shape; else one in the place of its
    shapes, in the middle of a cylinder, capsule or ellipsoid with its radius, or at the link's origin with the given `radius`.
    The axis is x of `frame`, turned by `angle` about its z; the frame need not turn with the link. `along` and `spin` are
    multiplied by the friction of the floor. `across` is not: it is what the bearings of rollers take of the load, on any floor;
    on one so slippery that it holds less than that, the rollers slide instead of turning, and `across` is no more than `along`.
    """

    link: str = Field(description="that touches the floor: a wheel")
    frame: str = Field(description="a link or frame whose x axis is the direction of grip")
    angle: float = number(0.0, unit="rad", low=-7, high=7, live=False, doc="from x of the frame to the grip, about its z")
    radius: float = number(0.0, unit="m", low=0, high=100, live=False, doc="of the sphere; 0: that of the link's only shape")
    along: float = number(unit="1", low=0, high=10, doc="coefficient of friction along the axis")
    across: float = number(0.0, unit="1", low=0, high=10, doc="coefficient of friction across it: bearings of rollers")
    spin: float = number(0.0, unit="m", low=0, high=1, doc="friction against turning on the spot, as a lever of the load")
    softness: float = number(
        0.005, unit="s", above=0, high=1, doc="time constant of slip: the slip speed under a force grows with it"
    )


class WorldSpec(Spec):
    """Clock, gravity, the Earth, air, wind, gusts, wake of rotors, magnetic field, ground and what stands on it."""

    step: float = number(0.001, unit="s", low=1e-6, high=0.1, live=False, doc="physics step")
    integrator: Literal["rk4", "implicitfast"] = "implicitfast"
    gravity: float = number(
        9.80665, unit="m/s^2", low=0, high=300, doc="downward; where `earth.gravity` is j2, only what programs believe of it"
    )
    earth: EarthSpec = EarthSpec()
    air: AirSpec = AirSpec()
    wind: WindSpec = WindSpec()
    gusts: GustSpec = GustSpec()
    wake: WakeSpec = WakeSpec()
    magnetic: MagneticSpec = MagneticSpec()
    ground: GroundSpec | None = None
    file: str | None = Field(
        default=None, description="an SDF world or MJCF scene whose shapes, lights and free bodies join the world; see scene.py"
    )
    objects: dict[Name, ObjectSpec] = Field(default={})
    friction_scale: float = number(
        1.0, unit="1", low=0, high=10, doc="factor on the friction of the ground and all objects: worn or wet feet and tyres"
    )
    contact_time: float = number(
        0.02, unit="s", above=0, high=1, live=False, doc="time constant of contacts with ground and objects, their softness"
    )
    friction_cone: Literal["pyramidal", "elliptic"] = Field(
        default="pyramidal", description="elliptic costs more and slides evenly in all directions; `contacts` need it"
    )
    friction_impedance: float = number(
        1.0, unit="1", above=0, high=1000, live=False, doc="of friction over the normal force's; below 1 contacts creep more"
    )
    solver_tolerance: float = number(
        0.0, unit="1", low=0, high=1, live=False,
        doc="the search for forces of contact and friction ends where a round gains less; 0 for the description's, or the"
        " engine's 1e-8. Smaller where a heavy robot on stiff friction creeps by what the search leaves",
    )  # fmt: skip
    boundary: float = number(10_000.0, unit="m", above=0, high=1e9, live=False, doc="a body further from the origin ends the run")


class FreeStartSpec(Spec):
    """The state in which a free body begins; what is not given is as described. Velocities are in its own frame."""

    position: Vector | None = Field(default=None, description="[m]; of {x: 1} alone, y and z are as described")
    orientation: Vector | None = Field(default=None, description="roll, pitch, yaw [rad]")
    velocity: Vector | None = Field(default=None, description="[m/s]")
    angular_velocity: Vector | None = Field(default=None, description="[rad/s]")


class StartSpec(Spec):
    """The state in which a run begins; velocities are in the frame of the root link."""

    position: Vector = Vector()
    orientation: Vector = Field(default=Vector(), description="roll, pitch, yaw [rad]")
    velocity: Vector = Vector()
    angular_velocity: Vector = Vector()
    joints: dict[str, PerAxis] = Field(
        default={}, description="positions by name [rad or m]; of a ball joint a rotation vector, x, y and z [rad]"
    )
    joint_velocities: dict[str, PerAxis] = Field(
        default={}, description="by name [rad/s or m/s]; of a ball joint x, y and z [rad/s], in the frame of its child"
    )
    objects: dict[str, FreeStartSpec] = Field(
        default={}, description="free bodies by name: objects of the world, further links on free joints"
    )


class RecordSpec(Spec):
    """How often truth, commands and readouts of parts are recorded; sensors are recorded at their own rate."""

    rate: float = number(100.0, unit="Hz", above=0, high=100_000, live=False)
    tf_rate: float = number(25.0, unit="Hz", above=0, high=100_000, live=False, doc="poses of all links")
    inputs_rate: float = number(
        0.0, unit="Hz", low=0, high=100_000, live=False,
        doc="inputs, at most once a tick; 0: as `rate`. A live twin needs every change: the program's rate",
    )  # fmt: skip
    air: bool = Field(default=False, description="also wind and rotational gust at the root link, and its speed through the air")
    momentum: bool = Field(default=False, description="momentum and kinetic energy of everything together")


class ControlSpec(Spec):
    """The control program, its rate, its gains and its options."""

    program: str = Field(description="a shipped program, MODULE:CLASS, FILE.py:CLASS, FILE.fmu or a policy, FILE.npz")
    rate: float = number(100.0, unit="Hz", low=0.01, high=100_000, live=False)
    gains: dict[str, Any] = Field(default={}, description="by name, nested or dotted")
    options: dict[str, Any] = Field(default={}, description="arguments of the program's class")


class FirmwareSpec(Spec):
    """What a twin has to say to one kind of firmware: how often it is called, its options, the gains of its pilot."""

    rate: float = number(1000.0, unit="Hz", low=0.01, high=100_000, live=False)
    gains: dict[str, Any] = Field(default={}, description="by name, nested or dotted")
    options: dict[str, Any] = Field(default={}, description="which readings it takes, which inputs it drives, its settings")
    sensors: dict[Name, dict[str, Any]] = Field(
        default={}, description="what differs of the twin's sensors while it flies, and further ones; laid over like a variant"
    )


class FirmwaresSpec(Spec):
    """Firmware that `didymos run TWIN --firmware` puts in the place of the control program, by kind."""

    betaflight: FirmwareSpec | None = Field(default=None, description="Betaflight's own, compiled for this machine")
    ardupilot: FirmwareSpec | None = Field(default=None, description="ArduPilot, over its JSON link")
    px4: FirmwareSpec | None = Field(default=None, description="PX4, over its simulator link")
    step: FirmwareSpec | None = Field(default=None, description="an object or a compiled function in this process")
    peer: FirmwareSpec | None = Field(default=None, description="a process on the other side of a local socket")


class ExpectationSpec(Spec):
    """A figure of a run and where it has to lie."""

    name: str
    signal: str | None = Field(default=None, description="a recorded signal, or roll, pitch, yaw, tilt of a stream with a pose")
    measure: Annotated[str, AfterValidator(_measure)] = Field(
        default="max_error",
        description="of signal minus `target`: max_error, rmse, mean, final, max, min, span, or a package's own",
    )
    target: float = number(0.0, doc="value that the signal is compared with")
    point: Vector | None = Field(
        default=None, description="the signal is a position without its axis (truth.position): its distance from here"
    )
    figure: Literal["thrust_to_weight"] | None = Field(default=None, description="a figure of the twin instead of a signal")
    stl: str | None = Field(
        default=None, description="a formula of signal temporal logic instead of a signal; it is met by a robustness of 0 or more"
    )
    after: float = number(0.0, unit="s", low=0)
    before: Number | None = None
    low: Number | None = None
    high: Number | None = None

    @model_validator(mode="before")
    @classmethod
    def _called_by_its_formula(cls, raw: Any) -> Any:
        return {"name": str(raw["stl"]), **raw} if isinstance(raw, dict) and raw.get("stl") is not None else raw

    @property
    def signals(self) -> tuple[str, ...]:
        """The recorded signals that are looked at; of a `point`, the position without its axes."""
        if self.stl is not None:
            return signals_in(self.stl)
        return () if self.signal is None else (self.signal,)

    def columns_of(self, signal: str) -> tuple[str, ...]:
        """What of a signal is looked at: itself, or the axes of a position that is held against a point."""
        return (signal,) if self.point is None else tuple(f"{signal}.{axis}" for axis in "xyz")

    @model_validator(mode="after")
    def _one_question_with_an_answer(self) -> ExpectationSpec:
        if sum(key is not None for key in (self.signal, self.figure, self.stl)) != 1:
            raise ValueError("expected exactly one of the keys 'signal', 'figure' and 'stl'")
        if self.stl is not None:
            others = sorted(self.model_fields_set - {"name", "stl"})
            if others:
                raise ValueError(f"a formula does not use the key {others[0]!r}; it has its times and bounds in itself")
            return self
        if self.low is None and self.high is None:
            raise ValueError("expected at least one of the keys 'low' and 'high'")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"found low {self.low:g} above high {self.high:g}, which nothing can meet")
        if self.before is not None and self.before <= self.after:
            raise ValueError(f"found before {self.before:g} s, expected it later than after {self.after:g} s")
        unused = sorted(self.model_fields_set & {"measure", "target", "point", "after", "before"})
        if self.figure is not None and unused:
            raise ValueError(f"a figure does not use the key {unused[0]!r}")
        return self


class ScenarioSpec(Spec):
    """A run with a beginning, stimuli, a duration and expectations."""

    title: str = ""
    seconds: float = number(10.0, unit="s", above=0, high=1e6, live=False)
    start: StartSpec | None = None
    control: ControlSpec | None = Field(default=None, description="a program of its own instead of the twin's")
    allocation: AllocationSpec | None = Field(default=None, description="one of its own instead of the twin's")
    set: dict[str, Number] = Field(default={}, description="values of the plant's parameters by path")
    gains: dict[str, Any] = Field(default={}, description="gains of the program, by name, nested or dotted")
    setpoints: dict[SetpointName, Number] = Field(default={}, description="constant set-points by name")
    stimuli: tuple[StimulusSpec, ...] = ()
    expect: tuple[ExpectationSpec, ...] = ()


class ColumnSpec(Spec):
    """What a column of a recording means, or several that are a vector or an attitude: exactly one of its four uses.

    A vector is named without its axis: `truth.position` has three columns, `truth.orientation` four, or three that are roll,
    pitch and yaw. Beside the signals of a run there is `truth.velocity_world`, the velocity in the frame of the world.
    """

    columns: tuple[str, ...] = Field(default=(), description="of the file; by default the one that the key names")
    signal: str | None = Field(default=None, description="the recorded signal of the twin that it measures")
    input: str | None = Field(default=None, description="the input that the robot got; it takes the program's place")
    setpoint: str | None = Field(default=None, description="the set-point that the robot's own program got")
    start: str | None = Field(
        default=None,
        description="serves for the start of windows alone: position, orientation, velocity, angular_velocity, joints.NAME,"
        " joint_velocities.NAME",
    )
    unit: str = Field("", description="of the column, where it is not that of the signal: deg, g, rpm, 0..65535, ...")
    frame: str = Field("", description="of a vector or attitude that does not keep REP 103: NED, FRD; NED/FRD of an attitude")
    order: Literal["wxyz", "xyzw"] = Field("wxyz", description="of a quaternion")
    alignment: tuple[Number, Number, Number] = Field(
        default=(0.0, 0.0, 0.0), description="rotation vector [rad] from an attitude's own frame to the robot's, of askew markers"
    )
    scale: float = Field(1.0, description="what to multiply the column with, after its unit")
    weight: float = Field(1.0, ge=0, description="weight of its squared error in a fit; 0 to judge it only")
    sd: Annotated[float, Field(strict=True, gt=0)] | None = Field(
        default=None, description="standard deviation of its noise, in the signal's unit; by default as the samples show it"
    )

    @model_validator(mode="after")
    def _one_use(self) -> ColumnSpec:
        uses = [key for key in ("signal", "input", "setpoint", "start") if getattr(self, key) is not None]
        if len(uses) != 1:
            raise ValueError("expected exactly one of the keys 'signal', 'input', 'setpoint' and 'start'")
        return self


class WhereSpec(Spec):
    """What has to hold where a window of a recording begins."""

    column: str = Field(description="key of `columns`; of a vector with its axis, position.z")
    above: Number | None = None
    below: Number | None = None


class RecordingsSpec(Spec):
    """How recordings of the real robot are read."""

    columns: dict[str, ColumnSpec] = Field(default={}, description="by name")
    windows_where: tuple[WhereSpec, ...] = Field(default=(), description="where windows of a recording may begin")
    windows_every: Annotated[int, Field(strict=True, gt=0)] = Field(
        default=10, description="samples between the starts of windows that are judged"
    )
    references: dict[str, dict[str, Number]] = Field(
        default={}, description="published errors (RMSE) to hold ours against, by scenario and signal"
    )


class PriorSpec(Spec):
    """What is known of a parameter beforehand: a normal distribution."""

    mean: Number | None = Field(default=None, description="the twin's own value by default")
    sd: Annotated[float, Field(strict=True, gt=0)]


class FreeSpec(Spec):
    """A parameter that a fit may move, or a link as a whole: mass, centre of mass and inertia (`links.NAME`)."""

    bounds: tuple[float, float] | None = Field(default=None, description="[low, high]; a link as a whole has none")
    prior: PriorSpec | None = None
    tied: dict[str, Number] = Field(default={}, description="others that follow it, by path, each as a multiple of it")
    spread: Annotated[float, Field(strict=True, gt=1)] | None = Field(
        default=None, description="of a link as a whole: factor by which mass and size may differ, 3 by default"
    )
    fixed: tuple[str, ...] = Field(
        default=(), description="of a link as a whole: what of it stays, of mass, com, com.x, com.y, com.z, inertia"
    )
    per_recording: bool = Field(default=False, description="has a value of its own in each recording")
    grid: Annotated[int, Field(strict=True, ge=1)] = Field(
        default=1, description="of a parameter with many valleys: values between the bounds that are tried before each search"
    )


def _free(raw: Any) -> FreeSpec:
    """[low, high], or a record."""
    return FreeSpec.model_validate({"bounds": raw} if isinstance(raw, list | tuple) else raw)


class FitSpec(Spec):
    """Which parameters a fit may move, within which bounds."""

    parameters: dict[str, Annotated[FreeSpec, PlainValidator(_free)]] = Field(
        default={}, description="by path: [low, high], or a record"
    )

    @model_validator(mode="before")
    @classmethod
    def _columns_have_moved(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and "columns" in raw:
            raise ValueError("the columns of recordings stand under the key 'recordings' now: recordings.columns")
        return raw


class TwinFile(Spec):
    """A whole `twin.yaml`."""

    title: str = ""
    description: DescriptionSpec
    world: WorldSpec = WorldSpec()
    parts: dict[Name, AnyPart] = Field(default={})
    contacts: dict[Name, ContactSpec] = Field(default={})
    sensors: dict[Name, AnySensor] = Field(default={})
    allocation: AllocationSpec = AllocationSpec()
    control: ControlSpec | None = None
    firmware: FirmwaresSpec = FirmwaresSpec()
    pilot: PilotSpec = PilotSpec()
    record: RecordSpec = RecordSpec()
    start: StartSpec = StartSpec()
    scenarios: dict[Name, ScenarioSpec] = Field(default={})
    tasks: dict[Name, TaskSpec] = Field(default={}, description="what policies learn; see task_file.py")
    ros2: Ros2Spec = Ros2Spec()
    recordings: RecordingsSpec = RecordingsSpec()
    fit: FitSpec = FitSpec()
    variants: dict[Name, dict[str, Any]] = Field(
        default={}, description="further faces of the same robot: keys of this file that replace those above; see variants.py"
    )
