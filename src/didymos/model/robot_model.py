"""The model of a robot that its control program may ask: `robot.model`, or `twin.model`.

    q, v = model.read(measured)
    state = model.at(q, v)
    state.position("tool0"), state.jacobian("tool0"), state.mass_matrix, state.bias

q and v are the engine's: a free joint has its position in the world [m] and its quaternion, w first, and as velocities those of
its origin along the axes of the world [m/s] and rates along its own axes [rad/s]; a ball a quaternion and rates along the axes
of its body; all others one number each. A floating base comes first, but in MJCF with other bodies before it. The model is the
description's, a tree of rigid bodies: it does not know what a run sets (`links.NAME.mass`, a fault), what parts lend to joints,
contacts, nor constraints between joints (mimic joints and other couplings move freely in it; loops are open).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from didymos.contract import offset_of
from didymos.errors import InputError, nearest
from didymos.model.layout import READING
from didymos.model.model_state import ModelState
from didymos.model.questions import ask_place, ask_read
from didymos.model.reading import BaseReading, reading_names
from didymos.model.shape import Shape
from didymos.model.tables import ModelJoint, ModelLink

__all__ = ["RobotModel"]

Array = NDArray[np.float64]

_WORKSPACE = ("_record", "_workspace", "_placed", "_lock")


class RobotModel:
    """Tables of a robot, and what follows from them at a state; nothing of it changes."""

    def __init__(
        self,
        table: NDArray[Any],
        *,
        root: str,
        frames: Sequence[str],
        links: Iterable[ModelLink],
        joints: Iterable[ModelJoint],
        base_joint: ModelJoint | None,
        shapes: Iterable[Shape] = (),
        encoders: Mapping[str, str] | None = None,
        base: BaseReading | None = None,
        left_out: Iterable[str] = (),
    ) -> None:
        """`table` has one row of `MODEL`, all filled; made by `describe/robot_model.py`."""
        self.root = root
        self.frames: tuple[str, ...] = tuple(frames)
        """Every link, then every further frame of the description, in the order of their numbers."""
        self.links: Mapping[str, ModelLink] = {link.name: link for link in links}
        self.shapes: tuple[Shape, ...] = tuple(shapes)
        """Collision shapes of all links."""
        self._joints = {joint.name: joint for joint in joints}
        self.joints: tuple[str, ...] = tuple(self._joints)
        """Movable joints of the description, but for the one of a floating base."""
        self.base_joint = base_joint
        self.encoders: Mapping[str, str] = dict(encoders or {})
        """The reading, without `.position` and `.velocity`, of each joint that an encoder reads."""
        self.base_reading = base or BaseReading()
        self.left_out: tuple[str, ...] = tuple(left_out)
        """What the description has and the model does not know, a sentence each: couplings of joints, tendons, springs, ..."""
        self._table = table
        self._frame_numbers = {name: i for i, name in enumerate(self.frames)}
        self._begin()

    def _begin(self) -> None:
        """The workspace that states of this model share."""
        self._record = self._table[0]
        self._workspace = self._table.copy()
        self._placed: ModelState | None = None
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # nothing of it changes

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _WORKSPACE}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._begin()

    def __repr__(self) -> str:
        base = "floating" if self.floating else "held"
        return f"<RobotModel of {self.root!r}: {base}, {len(self.joints)} joints, {len(self.links)} links, {self.mass:.6g} kg>"

    @property
    def nq(self) -> int:
        """How many numbers q has."""
        return int(self._record["nq"])

    @property
    def nv(self) -> int:
        """How many numbers v has."""
        return int(self._record["nv"])

    @property
    def floating(self) -> bool:
        """Whether the root link floats."""
        return self.base_joint is not None

    @property
    def gravity(self) -> float:
        """[m/s^2], downward."""
        return float(self._record["gravity"])

    @property
    def mass(self) -> float:
        """[kg] of all links."""
        return float(sum(link.mass for link in self.links.values()))

    @property
    def reference(self) -> Array:
        """q as the description draws the robot, all joints at their reference, shape [nq]."""
        return np.array(self._record["reference"][: self.nq])

    @property
    def armature(self) -> Array:
        """What the description's joints add to the diagonal of the mass matrix [kg m^2] or [kg], shape [nv]."""
        return np.array(self._record["armature"][: self.nv])

    @property
    def lower(self) -> Array:
        """Lower limits of `joints` [rad] or [m], minus infinity where there is none, shape [joints]."""
        return np.array([joint.lower for joint in self._joints.values()])

    @property
    def upper(self) -> Array:
        """Upper limits of `joints` [rad] or [m], infinity where there is none, shape [joints]."""
        return np.array([joint.upper for joint in self._joints.values()])

    @property
    def effort(self) -> Array:
        """Limits of torque [N m] or force [N] of `joints`, infinity where there is none, shape [joints]."""
        return np.array([joint.effort for joint in self._joints.values()])

    @property
    def velocity(self) -> Array:
        """Limits of speed [rad/s] or [m/s] of `joints`, infinity where there is none, shape [joints]."""
        return np.array([joint.velocity for joint in self._joints.values()])

    def frame(self, name: str) -> int:
        """The number of a link or frame, as kernels take it."""
        if name not in self._frame_numbers:
            what = f"the model has no link or frame {name!r}{nearest(name, self._frame_numbers)}"
            raise InputError(f"{what} (it has: {_listed(self.frames)})")
        return self._frame_numbers[name]

    def link(self, name: str) -> ModelLink:
        """A link by its name."""
        if name not in self.links:
            raise InputError(f"the model has no link {name!r}{nearest(name, self.links)} (it has: {_listed(self.links)})")
        return self.links[name]

    def joint(self, name: str) -> ModelJoint:
        """A movable joint by its name; also that of a floating base."""
        if self.base_joint is not None and name == self.base_joint.name:
            return self.base_joint
        if name not in self._joints:
            hint = nearest(name, self._joints)
            raise InputError(f"the model has no movable joint {name!r}{hint} (it has: {_listed(self.joints)})")
        return self._joints[name]

    def position_index(self, joint: str) -> int:
        """Where the numbers of a joint begin in q."""
        return self.joint(joint).position_index

    def velocity_index(self, joint: str) -> int:
        """Where the numbers of a joint begin in v."""
        return self.joint(joint).velocity_index

    def at(self, q: Any, v: Any = None) -> ModelState:
        """The robot at positions q, shape [nq], moving with v, shape [nv] (at rest, where it is left out)."""
        return ModelState(self, self._vector(q, self.nq, "q"), self._vector(np.zeros(self.nv) if v is None else v, self.nv, "v"))

    @staticmethod
    def _vector(values: Any, size: int, name: str) -> Array:
        made = np.array(values, dtype=np.float64)
        if made.shape != (size,):
            raise InputError(f"{name} has the shape {list(made.shape)}, this model takes [{size}]")
        made.flags.writeable = False  # a state is one state
        return made

    def ask(self, state: ModelState, question: Callable[..., Any], *arguments: Any) -> Any:
        """What one of `questions.py` answers at a state; states of one model take turns."""
        with self._lock:
            if self._placed is not state:
                ask_place(self._workspace, state.q, state.v)
                self._placed = state
            return question(self._workspace, *arguments)

    @cached_property
    def readings(self) -> Mapping[str, tuple[str, ...]]:
        """The readings that the fields of `READING` are."""
        return reading_names(self.base_reading, self.encoders)

    @cached_property
    def _reading_offsets(self) -> tuple[tuple[str, int], ...]:
        """Each reading that tells of q and v, and where in a record of `READING` it belongs, in float64 words."""
        starts = {field: offset_of(READING, field) for field in self.readings}
        return tuple((name, starts[field] + i) for field, names in self.readings.items() for i, name in enumerate(names))

    @cached_property
    def _unread(self) -> Array:
        """A record of `READING` before anything is read: joints stand at their reference."""
        numbers = np.zeros(READING.itemsize // 8)
        encoders = self._record["encoders"][: len(self.encoders)]
        numbers.view(READING)["joint_position"][0, : len(encoders)] = self._record["reference"][encoders["position"]]
        return numbers

    def reads(self, declaration: str) -> dict[str, tuple[str, ...]]:
        """What a compiled program adds to its `reads` for a `NAME = measurement(layout=READING)`."""
        return {f"{declaration}.{field}": names for field, names in self.readings.items()}

    def read(self, measured: Any) -> tuple[Array, Array]:
        """q and v as the sensors say, of `measured` as a program is handed it; see `reading.py`.

        A reading that is not there (a real robot may tell less than its twin) leaves its numbers at the reference.
        """
        numbers = self._unread.copy()
        for name, offset in self._reading_offsets:
            with suppress(AttributeError, KeyError):
                numbers[offset] = measured[name]
        q, v = np.zeros(self.nq), np.zeros(self.nv)
        ask_read(self._table, numbers.view(READING), q, v)
        return q, v

    def record(self) -> Any:
        """The model for a compiled program, with a workspace of its own: a record of `MODEL`."""
        return self._table.copy()[0]


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:20]) + (", ..." if len(every) > 20 else "") if every else "none"
