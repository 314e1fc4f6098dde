"""The control program: one class that runs on the twin and on the real robot.

A program says how often it runs (`rate`), and declares which numbers a user may turn (`Gain`), what it is asked for (`setpoint`)
and what it tells about itself (`report`); `update` is what it answers. It sees the twin's clock, never the wall's, and what the
sensors say, never the truth.

    class Hold(Controller):
        kp = Gain(0.4, low=0, high=10, unit="1/m")
        z = setpoint(unit="m")
        error = report(unit="m")

        def update(self, t, measured, setpoints):
            self.error = setpoints.z - measured.state.position.z
            return {"motor1": self.kp * self.error, ...}

What a Python program remembers are its attributes; those that it declares as a `report` are recorded as `control.NAME`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from didymos.contract import Declaration, declared
from didymos.control.actuator import Actuator
from didymos.control.allocation import Allocation, Allocations
from didymos.control.mixer import mixer, rotor_allocation
from didymos.control.rotor_place import Rotor
from didymos.control.values import Values
from didymos.errors import InputError, nearest
from didymos.sensors.sensor import SensorSpec

if TYPE_CHECKING:
    from didymos.control.flight_model import FlightModel
    from didymos.model.robot_model import RobotModel

__all__ = ["Controller", "Gain", "Robot"]


class Gain:
    """A number of a control program: a path, a slider and a fit parameter. Reads and writes as a plain float."""

    def __init__(
        self, value: float, *, low: float | None = None, high: float | None = None, unit: str = "1", path: str = "", doc: str = ""
    ) -> None:
        self.value, self.low, self.high, self.unit, self.path, self.doc = float(value), low, high, unit, path, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.path = self.path or name

    def __get__(self, instance: Controller | None, owner: type | None = None) -> Any:
        return self if instance is None else float(instance.gains[instance.gain_index[self]])

    def __set__(self, instance: Controller, value: float) -> None:
        instance.gains[instance.gain_index[self]] = value


@dataclass(frozen=True)
class Robot:
    """What a program may know before it starts: names in their order, units, geometry and sensors, of twin and real robot."""

    inputs: tuple[str, ...]
    measured: tuple[str, ...]
    setpoints: tuple[str, ...]
    rotors: tuple[Rotor, ...] = ()
    sensors: Mapping[str, SensorSpec] = field(default_factory=dict)
    """Rate, delay and error models of each sensor, as the twin file has them."""
    actuators: tuple[Actuator, ...] = ()
    """What drives its joints, and how each is commanded, in the order of the inputs."""
    posture: Mapping[str, float] = field(default_factory=dict)
    """Where each joint that turns or slides is when a run begins [rad or m], as the twin file and the scenario have it."""
    gravity: float = 9.80665
    """[m/s^2], of its world."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Units by `inputs.NAME`, `measured.NAME`, `setpoints.NAME`."""
    rate: float = math.inf
    """Calls of its program per second of the robot's clock [Hz]."""
    allocation: Allocations = field(default_factory=Allocations, repr=False, compare=False)
    """Which inputs roll, pitch, yaw and push it; without a word about it, how it hovers follows from where its rotors sit."""
    input_ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Least and largest value of each input; infinite where it has no limit."""
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where on Earth the world's origin lies: latitude and longitude [rad], height above the ellipsoid [m]."""
    make_model: Callable[[], RobotModel] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.allocation.find is None and self.rotors:
            object.__setattr__(self, "allocation", Allocations(self._from_rotors))

    def _from_rotors(self, name: str) -> Allocation:
        if name != "hover":
            raise InputError("this robot does not say which inputs roll, pitch, yaw and push it", path="allocation")
        return rotor_allocation(self.rotors, mixer(self.rotors))

    @property
    def model(self) -> RobotModel:
        """Kinematics and dynamics of the robot as described, made when it is first asked for."""
        if self.make_model is None:
            raise InputError("this robot has no description to make a model of")
        return self.make_model()

    @property
    def layout(self) -> str:
        """A short text that differs wherever names, order or units of inputs and readings, names of set-points, or rates do."""
        lines = [f"{name} [{self.units.get(f'inputs.{name}', '')}]" for name in self.inputs]
        lines += ["", *(f"{name} [{self.units.get(f'measured.{name}', '')}]" for name in self.measured)]
        return hashlib.sha256("\n".join([*lines, "", *self.setpoints, "", f"{self.rate:.9g} Hz"]).encode()).hexdigest()[:16]


class Controller:
    """Base of every control program. Override `update`; `start` and `rate` where needed."""

    rate: float = 100.0
    """Calls per second of the twin's clock [Hz]; infinity for one before every physics step."""
    gain_table: ClassVar[tuple[Gain, ...]] = ()
    gain_index: ClassVar[dict[Gain, int]] = {}
    declared_setpoints: ClassVar[tuple[Declaration, ...]] = ()
    reports: tuple[Declaration, ...] = ()
    """What it tells about itself; of a declared array, the numbers that `name_reports` gave names to."""
    designs: ClassVar[str] = ""
    """The steady flight that it designs gains for: "flight", "hover", or none."""
    designed: ClassVar[tuple[str, ...]] = ()
    """Paths of the gains that `design` finds where a twin does not give them."""
    held_beside: ClassVar[tuple[str, ...]] = ()
    """Attributes that no copy can be made of; what is to be remembered of them, `remember` says."""
    gains: NDArray[np.float64]
    initial: dict[str, float]
    """What a set-point is while no stimulus, pilot or client sets it; zero where it is not named. Filled in by `start`."""
    setpoint_names: dict[str, tuple[str, ...]]
    """The names of each declared set-point's numbers: its own, or those that `name_setpoints` gave."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        known: dict[str, Gain] = {}
        for base in reversed(cls.__mro__):
            known.update({name: item for name, item in vars(base).items() if isinstance(item, Gain)})
        cls.gain_table = tuple(known.values())
        cls.gain_index = {gain: index for index, gain in enumerate(cls.gain_table)}  # of this class: bases have their own
        cls.declared_setpoints, cls.reports = declared(cls, "setpoint"), declared(cls, "report")
        if "wants" in vars(cls) or not isinstance(getattr(cls, "setpoints", None), property):
            raise TypeError(f"{cls.__name__} lists its set-points; declare each of them instead: `z = setpoint(unit='m')`")

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        made = super().__new__(cls)
        made.gains = np.array([gain.value for gain in cls.gain_table], dtype=np.float64)
        made.initial = {}
        made.setpoint_names = {item.name: () if item.shape else (item.name,) for item in cls.declared_setpoints}
        return made

    @property
    def setpoints(self) -> tuple[str, ...]:
        """Names of all set-points that the program reads as `setpoints.NAME`; a scenario may leave them at zero."""
        return tuple(name for names in self.setpoint_names.values() for name in names)

    def name_setpoints(self, declaration: str, names: Sequence[str]) -> None:
        """Say which set-points stand behind a declared array of them."""
        (item,) = (item for item in self.declared_setpoints if item.name == declaration)
        if len(names) > item.size:
            what = f"found {len(names)} set-points, {type(self).__name__} takes at most {item.size}"
            raise InputError(what, path="control.options")
        self.setpoint_names[declaration] = tuple(names)

    def name_joints(self, joints: Sequence[str], folder: Path) -> None:
        """Told, before anybody asks for its set-points, which joints the robot drives: the place to name them after joints.

        `folder` is the twin's, to which files that options name are relative.
        """

    def name_reports(self, declaration: str, names: Sequence[str], units: Sequence[str] = ()) -> None:
        """Say what the first numbers of a declared array of reports are called: recorded as `control.DECLARATION.NAME`.

        `units` are those of the numbers, where they differ from one to the next.
        """
        (item,) = (item for item in type(self).reports if item.name == declaration)
        if not 0 < len(names) <= item.size:
            raise InputError(f"found {len(names)} reports, {type(self).__name__} makes 1 to {item.size}", path="control.options")
        named = replace(item, columns=tuple(names), shape=(), units=tuple(units))
        self.reports = tuple(named if item.name == declaration else item for item in self.reports)

    def set_gain(self, path: str, value: float) -> None:
        """Set a gain by its path below `control.gains`; out of bounds or unknown is an `InputError`."""
        for gain in self.gain_table:
            if gain.path == path:
                if not np.isfinite(value) or (gain.low is not None and value < gain.low) or (
                    gain.high is not None and value > gain.high
                ):
                    low = "-inf" if gain.low is None else f"{gain.low:g}"
                    high = "inf" if gain.high is None else f"{gain.high:g}"
                    raise InputError(f"found {value:g}, expected a number from {low} to {high}", path=f"control.gains.{path}")
                self.gains[self.gain_index[gain]] = value
                return
        known = [gain.path for gain in self.gain_table]
        raise InputError(
            f"{type(self).__name__} has no such gain{nearest(path, known)} (it has: {', '.join(known) or 'none'})",
            path=f"control.gains.{path}",
        )

    @classmethod
    def design(cls, model: FlightModel) -> Mapping[str, float]:
        """Gains by path from the linear model of a steady flight (`designs`); asked only where a twin does not give them."""
        return {}

    def start(self, robot: Robot) -> None:
        """Called once before the first tick."""

    def stop(self) -> None:
        """Called once when the run is over, however it ended: the place to let go of what `start` took."""

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        """Inputs by name at time t [s]; an input that is not named keeps its value."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to control: it needs a method update()")

    def remember(self) -> Any:
        """What it remembers beside its attributes, as something that is never changed; None where that is nothing."""
        return None

    def recall(self, memory: Any) -> None:
        """Go on from what `remember` said; its attributes are those of that time already."""

    def reported(self) -> NDArray[np.float64]:
        """What the program tells about itself now, in the order of `reports`."""
        rows = []
        for item in self.reports:
            value = getattr(self, item.name.replace(".", "_"), 0.0)
            told = 0.0 if isinstance(value, Declaration) else value
            rows.append(np.broadcast_to(np.asarray(told, dtype=np.float64), item.size))
        return np.concatenate(rows) if rows else np.zeros(0)
