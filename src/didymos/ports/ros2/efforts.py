"""`/joint_states` with the effort of each joint [N m, or N of a slider]: what its drives do to it, with all their parts' laws.

    of a part that turns a joint    its readout `effort` or `torque`; of a geared drive the motor's torque times the gear's ratio
    of an actuator of an MJCF       gear (gain u + b0 + b1 l + b2 dl/dt), held within its range, l = gear q

Friction and inertia of motor and gear, which the engine solves on its own, are not in it. A joint that nothing drives has 0;
one whose drive does not tell (a tendon, a muscle, a part without such a readout) has NaN, as ROS 2 says of what is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from didymos.describe.names import is_affine
from didymos.ports.ros2.encode import NOTHING, Array, Batch, MessageEncoder
from didymos.record.stream import Kind, StreamLayout

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun

__all__ = ["JointStates"]

_READOUTS = ("effort", "torque")


@dataclass(frozen=True)
class _Readout:
    """A column of the stream of parts that adds to the effort of a joint, times a factor."""

    joint: int
    column: int
    factor: float


@dataclass(frozen=True)
class _Affine:
    """An actuator: its joint, its input's column, gear, gain, bias (b0, b1, b2) and range of its force."""

    joint: int
    column: int
    gear: float
    gain: float
    bias: tuple[float, float, float]
    low: float
    high: float


class JointStates:
    """Positions and velocities of the stream `joints`, with efforts from the parts and inputs of the same instant.

    Args:
        robot: whose joints they are.
        layout: of the stream.
        streams: the numbers of the robot's streams by their own names, and their layouts.
    """

    def __init__(self, robot: RobotRun, layout: StreamLayout, streams: Mapping[str, tuple[int, StreamLayout]]) -> None:
        self._robot, self._labels = robot, layout.labels
        self._places = {joint: i for i, joint in enumerate(layout.labels)}
        self._unknown: set[int] = set()
        self._parts, self._readouts = self._of_parts(streams.get("parts"))
        self._inputs, self._affine = self._of_actuators(streams.get("inputs"))
        columns = tuple(f"{joint}.{what}" for joint in layout.labels for what in ("position", "velocity", "effort"))
        units = tuple(unit for i in range(len(layout.labels)) for unit in (*layout.units[2 * i : 2 * i + 2], "N m"))
        self._encoder = MessageEncoder(
            StreamLayout(layout.name, Kind.JOINT_STATES, columns, units, "", labels=layout.labels, namespace=layout.namespace)
        )
        self.type_name, self.size = self._encoder.type_name, self._encoder.size

    def encode(self, times: Array, values: Array, batch: Batch = NOTHING) -> list[list[bytes]]:
        """A message per row."""
        return self._encoder.encode(times, self.with_efforts(times, values, batch))

    def with_efforts(self, times: Array, values: Array, batch: Batch) -> Array:
        """Position, velocity and effort of each joint, shape [n, 3 joints]."""
        found = np.empty((len(times), 3 * len(self._labels)))
        found[:, 0::3], found[:, 1::3], found[:, 2::3] = values[:, 0::2], values[:, 1::2], 0.0
        efforts = found[:, 2::3]
        parts, inputs = (_at(times, batch.get(stream)) for stream in (self._parts, self._inputs))
        for term in self._readouts:
            efforts[:, term.joint] += np.nan if parts is None else term.factor * parts[:, term.column]
        for own in self._affine:
            q, v = own.gear * values[:, 2 * own.joint], own.gear * values[:, 2 * own.joint + 1]
            force = np.nan if inputs is None else own.gain * inputs[:, own.column]
            force = np.clip(force + own.bias[0] + own.bias[1] * q + own.bias[2] * v, own.low, own.high)
            efforts[:, own.joint] += own.gear * force
        efforts[:, sorted(self._unknown)] = np.nan
        return found

    def _of_parts(self, stream: tuple[int, StreamLayout] | None) -> tuple[int, list[_Readout]]:
        number, columns = (-1, {}) if stream is None else (stream[0], {name: i for i, name in enumerate(stream[1].columns)})
        found = []
        for name, part in self._robot.twin.file.parts.items():
            kind: Any = part.contract
            joints = [self._places[joint] for joint in (part.joint, part.belt) if joint in self._places]
            if not kind.needs_joint or not joints:
                continue
            readout = next((f"{name}.{own}" for own in _READOUTS if f"{name}.{own}" in columns), None)
            if readout is None:
                self._unknown.update(joints)
                continue
            about = kind.actuation(part)
            factor = about.ratio if about is not None and about.way == "drive" else 1.0
            found += [_Readout(joint, columns[readout], float(factor)) for joint in joints]
        return number, found

    def _of_actuators(self, stream: tuple[int, StreamLayout] | None) -> tuple[int, list[_Affine]]:
        number, columns = (-1, {}) if stream is None else (stream[0], {name: i for i, name in enumerate(stream[1].columns)})
        robot, model = self._robot, self._robot.built.assembly.model
        described = robot.twin.description.as_read
        joints = {joint.engine_joints[0]: name for name, joint in described.joints.items() if len(joint.engine_joints) == 1}
        found = []
        for i, actuator in zip(robot.built.assembly.own_actuators, described.spec.actuators, strict=True):
            joint = joints.get(actuator.target)
            at_once = actuator.dyntype == mujoco.mjtDyn.mjDYN_NONE  # its force follows its input without a state between
            if not (is_affine(actuator) and at_once and joint in self._places and actuator.name in columns):
                named = [joint] if joint is not None else list(self._places)  # a tendon may pull at any of them
                self._unknown.update(self._places[one] for one in named if one in self._places)
                continue
            bias = [float(value) for value in model.actuator_biasprm[i, :3]] if model.actuator_biastype[i] else [0.0] * 3
            limited = bool(model.actuator_forcelimited[i])
            low, high = (float(side) for side in model.actuator_forcerange[i]) if limited else (-np.inf, np.inf)
            assert joint is not None
            found.append(
                _Affine(
                    self._places[joint], columns[actuator.name], float(model.actuator_gear[i, 0]),
                    float(model.actuator_gainprm[i, 0]), (bias[0], bias[1], bias[2]), low, high,
                )
            )
        return number, found


def _at(times: Array, stream: tuple[Array, Array] | None) -> Array | None:
    """The rows of a stream at these times, where it was recorded at all of them, as often or more often."""
    if stream is None or not len(stream[0]):
        return None
    places = np.minimum(np.searchsorted(stream[0], times), len(stream[0]) - 1)
    return stream[1][places] if np.array_equal(stream[0][places], times) else None
