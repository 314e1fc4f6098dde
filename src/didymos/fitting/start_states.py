"""The state in which a window begins, in the engine's coordinates, from what the recording says at that moment.

Of a floating robot: position, attitude, velocity (of the world, or of the body) and angular velocity; of joints: positions and
velocities. A velocity that was not recorded is the slope of the position there, by a parabola through five samples, which in
their middle is that of a line; what was not recorded at all is as the scenario begins.

How well a start is known follows from the noise s of its columns. A slope through samples at times t has the noise
s / sqrt(sum (t - mean t)^2), but is no measurement of its own: where starts are estimated, a velocity that was not recorded may
be as far from it as the recording is fast.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.names import movable_joints
from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting.noise import channel_noise
from didymos.fitting.recording import Channel, Recording
from didymos.fitting.start_estimates import StartSpread
from didymos.rotations import rotate

__all__ = ["StartStates"]

_Array = NDArray[np.float64]
_SLOPE = 2  # samples before and after through which a slope is laid
_LEAST = 1e-6  # noise of a channel that shows none, as a part of its size


class StartStates:
    """Where windows of a recording begin: `qpos` and `qvel` of the engine at any of its stamps."""

    def __init__(self, twin: Twin, model: mujoco.MjModel, root: int, recording: Recording) -> None:
        self._twin, self._model, self._recording = twin, model, recording
        channels = (*recording.channels, *recording.states)
        self._known: dict[str, Channel] = {channel.column.signal: channel for channel in reversed(channels)}
        self._qpos0, self._qvel0 = model.qpos0.copy(), np.zeros(model.nv)
        self._free = int(model.body_jntadr[root]) if twin.description.floating else -1
        self._joints = {}
        for name in movable_joints(twin.description):
            joint = model.joint(twin.description.joints[name].engine_joints[0])
            self._joints[name] = (int(joint.qposadr[0]), int(joint.dofadr[0]))
        if self._free >= 0:
            missing = [name for name in ("position", "orientation") if f"truth.{name}" not in self._known]
            if missing:
                text = f"windows of a floating robot begin at its measured pose, and there is no column for its {missing[0]}"
                raise InputError(f"{text}: add one with `start: {missing[0]}`", file=recording.file, path="recordings.columns")
        elif not any(f"joints.{name}.position" in self._known for name in self._joints):
            text = "windows begin at measured positions of joints, and no column says one: `start: joints.NAME`"
            raise InputError(text, file=recording.file, path="recordings.columns")

    def at(self, time: float) -> tuple[_Array, _Array]:
        """Positions [nq] and velocities [nv] at a time [s] of the recording."""
        qpos, qvel, model = self._qpos0.copy(), self._qvel0.copy(), self._model
        if self._free >= 0:
            q, v = int(model.jnt_qposadr[self._free]), int(model.jnt_dofadr[self._free])
            quaternion = self._value("truth.orientation", time)
            quaternion /= np.linalg.norm(quaternion)
            qpos[q : q + 3], qpos[q + 3 : q + 7] = self._value("truth.position", time), quaternion
            if "truth.velocity_world" in self._known:
                qvel[v : v + 3] = self._value("truth.velocity_world", time)
            elif "truth.velocity" in self._known:
                qvel[v : v + 3] = rotate(quaternion[None], self._value("truth.velocity", time)[None])[0]
            else:
                qvel[v : v + 3] = self._slope("truth.position", time)
            if "truth.angular_velocity" in self._known:
                qvel[v + 3 : v + 6] = self._value("truth.angular_velocity", time)
            else:
                qvel[v + 3 : v + 6] = self._turn_rate(time, quaternion)
        for name, (q, v) in self._joints.items():
            if f"joints.{name}.position" in self._known:
                qpos[q] = self._value(f"joints.{name}.position", time)[0]
                if f"joints.{name}.velocity" in self._known:
                    qvel[v] = self._value(f"joints.{name}.velocity", time)[0]
                else:
                    qvel[v] = self._slope(f"joints.{name}.position", time)[0]
        return qpos, qvel

    def spread(self) -> StartSpread:
        """How well a start is known; see `StartSpread`."""
        nv = self._model.nv
        found = StartSpread(np.zeros(2 * nv), np.zeros(2 * nv))
        if self._free >= 0:
            v = int(self._model.jnt_dofadr[self._free])
            velocities = [name for name in ("truth.velocity_world", "truth.velocity") if name in self._known]
            self._spread(found, np.arange(v, v + 3), "truth.position", velocities[0] if velocities else None)
            turns = "truth.angular_velocity" if "truth.angular_velocity" in self._known else None
            self._spread(found, np.arange(v + 3, v + 6), "truth.orientation", turns)
        for name, (_, v) in self._joints.items():
            if f"joints.{name}.position" in self._known:
                velocity = f"joints.{name}.velocity" if f"joints.{name}.velocity" in self._known else None
                self._spread(found, np.array([v]), f"joints.{name}.position", velocity)
        return found

    def _spread(self, found: StartSpread, places: NDArray[np.int64], position: str, velocity: str | None) -> None:
        """Fill in what is known of some coordinates from the signals of their position and, where there is one, velocity."""
        channel, speeds = self._known[position], places + self._model.nv
        found.noise[places] = found.sd[places] = _noise(channel)
        if velocity is not None:
            found.noise[speeds] = found.sd[speeds] = _noise(self._known[velocity])
            return
        interval = float(np.median(np.diff(channel.time)))
        centred = interval * np.arange(-_SLOPE, _SLOPE + 1)
        found.noise[speeds] = _noise(channel) / np.sqrt(centred @ centred)
        turns = 2.0 if channel.is_orientation else 1.0  # an angle is twice what a quaternion's parts move by
        slopes = turns * np.gradient(channel.rows, channel.time, axis=0)
        found.sd[speeds] = max(float(np.sqrt(np.mean(slopes**2))), float(found.noise[speeds[0]]))

    def _value(self, signal: str, time: float) -> _Array:
        channel = self._known[signal]
        return np.array([np.interp(time, channel.time, column) for column in channel.rows.T])

    def _near(self, signal: str, time: float) -> tuple[_Array, _Array]:
        channel = self._known[signal]
        count = len(channel.time)
        first = int(np.clip(np.argmin(np.abs(channel.time - time)) - _SLOPE, 0, max(count - 2 * _SLOPE - 1, 0)))
        part = slice(first, first + 2 * _SLOPE + 1)
        return channel.time[part] - time, channel.rows[part]

    def _slope(self, signal: str, time: float) -> _Array:
        """The slope at a time of a parabola through the samples near it."""
        times, rows = self._near(signal, time)
        powers = (times / np.ptp(times))[:, None] ** np.arange(min(3, len(times)))
        return np.asarray(np.linalg.lstsq(powers, rows, rcond=None)[0][1] / np.ptp(times))

    def _turn_rate(self, time: float, quaternion: _Array) -> _Array:
        """Angular velocity in the body's frame from the slope of the attitude: 2 q* dq/dt."""
        slope = self._slope("truth.orientation", time)
        w, x, y, z = quaternion
        conjugate = np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
        return np.asarray(2.0 * conjugate @ slope)


def _noise(channel: Channel) -> float:
    """Standard deviation of a channel's noise, above 0."""
    return max(channel_noise(channel), _LEAST * float(np.std(channel.rows, axis=0).max()), 1e-12)
