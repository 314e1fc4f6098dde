"""What a sensor is: quantities that it measures, each with an error model, and when it reads.

    class Imu(Sensor):
        message = "imu"
        gyro = quantity("gyro", columns="xyz", unit="rad/s")
        accel = quantity("accelerometer", columns="xyz", unit="m/s^2")

The ideal reading is one of the engine's (`ENGINE_SENSORS`, by name), or the sensor works it out itself:

    class Airspeed(Sensor):
        airspeed = quantity(unit="m/s")

        @measure
        def look(sensor, here, reading):
            reading.airspeed = max(here.air_velocity[0], 0.0)

with `sensor` its parameters, `here` the motion of its link, the air there and the clock (`SURROUNDINGS`), and `reading` the
quantities that it declares without a source of the engine. A quantity of an acceleration (`ACCELERATIONS`) is known once the
forces of an instant are: it is read with the last physics step before its tick.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from numba import types
from pydantic import Field, create_model, model_validator

from didymos.compiled import CFunction
from didymos.contract import Declaration, declared, layout_of, record_type
from didymos.errors import nearest
from didymos.sensors.error import ErrorSpec, Form
from didymos.spec import Spec, number

__all__ = ["ACCELERATIONS", "ENGINE_SENSORS", "SURROUNDINGS", "Sensor", "SensorSpec", "measure"]

ACCELERATIONS = ("accelerometer", "contact", "force", "torque")
ENGINE_SENSORS = (
    "gyro", "magnetometer", "rangefinder", "jointpos", "jointvel",
    *ACCELERATIONS,
)  # fmt: skip
"""Sensors of the engine that a quantity can be read from; joint sensors belong to `per_joint` kinds."""

DISTANCES = ("rangefinder", "rays")
"""Sources whose numbers are distances, and where there is none something else: infinite, or negative."""

SURROUNDINGS = np.dtype(
    [
        ("time", np.float64),  # [s]
        ("position_world", np.float64, 3),  # [m]
        ("height", np.float64),  # [m] above the ground (`world.ground.height`; without a ground, above z = 0)
        ("rotation", np.float64, 9),  # sensor frame to world, row-major
        ("orientation", np.float64, 4),  # the same as a unit quaternion, w first
        ("velocity", np.float64, 3),  # [m/s] of the frame's origin, in the sensor's frame
        ("rate", np.float64, 3),  # [rad/s] in the sensor's frame
        ("air_velocity", np.float64, 3),  # [m/s] of the sensor relative to the air, in its frame
        ("air_rate", np.float64, 3),  # [rad/s] relative to the air, in its frame
        ("density", np.float64),  # [kg/m^3]
        ("pressure", np.float64),  # [Pa]
        ("target_offset_world", np.float64, 3),  # [m] from the sensor to its target, of a kind that has one
        ("target_orientation", np.float64, 4),  # of the target's frame in the world, w first
        ("target_velocity_world", np.float64, 3),  # [m/s] of its origin
        ("target_rate_world", np.float64, 3),  # [rad/s]
    ]
)
"""Memory layout of what a sensor that measures by itself is told."""


class SensorSpec(Spec):
    """What every sensor says: its kind, when it reads, how late and how surely."""

    contract: ClassVar[type[Sensor]]

    kind: str
    rate: float = number(unit="Hz", above=0, high=100_000, live=False, doc="readings per second")
    delay: float = number(0.0, unit="s", low=0, high=10, live=False, doc="from measurement to arrival")
    drop_out: float = number(0.0, unit="1", low=0, high=1, doc="probability that a reading is lost")
    outage_rate: float = number(0.0, unit="1/s", low=0, doc="how often, on average, the view is lost (an occlusion)")
    outage_time: float = number(0.0, unit="s", low=0, doc="for how long all readings are lost then")
    errors: float = number(1.0, unit="1", low=0, high=1, doc="0 switches every error off")
    temperature_rise: float = number(0.0, unit="K", low=-300, high=1000, doc="above that of its calibration; see `bias_slope`")

    @model_validator(mode="after")
    def _consistent(self) -> SensorSpec:
        self.contract.check(self)
        return self

    def record(self) -> Any:
        """The sensor's own parameters as compiled code reads them."""
        made = np.zeros((), dtype=self.contract.parameter_layout)
        for item in self.contract.parameters:
            made[item.name] = getattr(self, item.name)
        return made


class _Marked:
    """The function of a sensor's class that measures."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        if function.__code__.co_argcount != 3:
            count = function.__code__.co_argcount
            raise TypeError(f"{function.__qualname__} has {count} arguments, a measure has these: (sensor, here, reading)")


def measure(function: Callable[..., Any]) -> Any:
    """How a sensor measures by itself: (sensor, here, reading)."""
    return _Marked(function)


class Sensor:
    """Base of every kind of sensor; see the module."""

    kind: ClassVar[str] = ""
    message: ClassVar[str] = "scalars"
    """The message that carries a reading, one of `record.stream.Kind`."""
    per_joint: ClassVar[bool] = False
    """Whether the quantities are read for each joint instead of for one link."""
    has_link: ClassVar[bool] = True
    has_target: ClassVar[bool] = False
    """Whether it looks at a link of another robot, which the key `target` names: ROBOT.LINK."""

    quantities: ClassVar[tuple[Declaration, ...]]
    parameters: ClassVar[tuple[Declaration, ...]]
    options: ClassVar[tuple[Declaration, ...]]
    parameter_layout: ClassVar[np.dtype[Any]]
    reading_layout: ClassVar[np.dtype[Any]]
    spec: ClassVar[type[SensorSpec]]
    measure: ClassVar[CFunction | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" not in vars(cls):
            cls.kind = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        cls.quantities, cls.parameters = declared(cls, "quantity"), declared(cls, "parameter")
        cls.options = declared(cls, "choice", "option")
        cls.parameter_layout = layout_of(cls.parameters)
        cls.reading_layout = layout_of(_bare(item) for item in cls.quantities if item.kind == "measure")
        for marked in [value for value in vars(cls).values() if isinstance(value, _Marked)]:
            records = (cls.parameter_layout, SURROUNDINGS, cls.reading_layout)
            cls.measure = CFunction(types.void(*(record_type(layout) for layout in records)), marked.function)
        cls.spec = _spec_of(cls)

    @classmethod
    def incomplete(cls) -> str:
        """What the class lacks before it can measure, in a few words; empty where nothing is."""
        for item in cls.quantities:
            if item.kind == "measure" and cls.measure is None:
                return f"does not say how it measures {item.name}: a function marked with @measure"
            if item.kind != "measure" and item.kind not in ENGINE_SENSORS:
                return f"reads {item.name} from {item.kind!r}, which the engine does not have{nearest(item.kind, ENGINE_SENSORS)}"
        return "" if cls.quantities else "declares no quantity that it measures"

    @classmethod
    def check(cls, spec: Any) -> None:
        """Whether the numbers of a sensor agree with each other; a ValueError says what does not."""

    @classmethod
    def columns(cls, spec: Any, item: Declaration) -> tuple[str, ...]:
        """Names of a quantity's numbers, below the sensor's own; a sensor whose count varies says more."""
        return item.names

    @classmethod
    def has_fix(cls, spec: Any) -> bool:
        """Whether its quantity `position` also goes out as latitude, longitude and height."""
        return False

    @classmethod
    def form(cls, item: Declaration) -> int:
        """What the numbers of a quantity are, one of `Form`."""
        if item.kind in DISTANCES:
            return Form.DISTANCE
        return {("w", "x", "y", "z"): Form.ORIENTATION, ("x", "y", "z"): Form.VECTOR}.get(item.columns, Form.SEPARATE)

    @classmethod
    def is_orientation(cls, item: Declaration) -> bool:
        """Whether a quantity is a unit quaternion."""
        return cls.form(item) == Form.ORIENTATION


def _bare(item: Declaration) -> Declaration:
    """A quantity as a number of a record: one nameless column is a scalar."""
    return Declaration("reading", item.name, item.unit, () if item.columns == ("",) else item.columns, item.shape)


def _spec_of(sensor: type[Sensor]) -> type[SensorSpec]:
    """The record of `twin.yaml` that a sensor declares."""
    fields: dict[str, Any] = {"link": (str, ...)} if sensor.has_link and not sensor.per_joint else {}
    if sensor.has_target:
        fields["target"] = (str, Field(description="what it looks at: ROBOT.LINK in a world, or a link of its own robot"))
    for item in sensor.parameters:
        fields[item.name] = (
            float,
            number(item.default, unit=item.unit, low=item.low, high=item.high, above=item.above, live=item.live, doc=item.doc),
        )
    for item in sensor.options:
        kind = Literal[item.labels] if item.role == "choice" else item.kind
        fields[item.name] = (kind, Field(item.default, description=item.doc))
    for item in sensor.quantities:
        fields[item.name] = (ErrorSpec, Field(ErrorSpec(), description=item.doc or f"errors of {item.name}"))
    made = create_model(f"{sensor.__name__}Spec", __base__=SensorSpec, __doc__=sensor.__doc__, kind=(str, sensor.kind), **fields)
    made.contract = sensor
    return made
