"""Trim and small motions of an aircraft: where it flies level and straight, and how it moves about there.

`find_trim` solves for the angle of attack, the pitch input and the throttle at which a twin in level flight along world x neither
accelerates nor turns: dvx/dt = dvz/dt = dq/dt = 0, in still air, with its own force laws and engines settled. `longitudinal`
gives the matrix A of dx/dt = A x there, by central differences of the engine's own accelerations, for small x = (vx, vz, q,
theta, z): velocities of the root link in the world [m/s], nose-up rate [rad/s] and angle [rad], height [m]. Its eigenvalues
are the short period, the phugoid and (slow) the effect of the thinning air.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from didymos.contract import offset_of
from didymos.describe.names import part_inputs
from didymos.describe.twin import Twin
from didymos.engine.assemble import Assembly, assemble
from didymos.engine.forces import tick_all
from didymos.engine.start import quaternion_from_rpy
from didymos.errors import InputError, RunError, nearest
from didymos.parts.part import CLOCK

__all__ = ["Trim", "find_trim", "longitudinal"]

_SETTLING = 3.0  # [s], of engines
_STEP = 1e-3  # [s]
_GOOD = 1e-6  # [m/s^2, rad/s^2], what may be left


@dataclass(frozen=True)
class Trim:
    """Level flight: airspeed [m/s], height [m], nose-up angle [rad] (the angle of attack), inputs."""

    airspeed: float
    height: float
    nose: float
    pitch: float
    throttle: float


class _Aircraft:
    """A compiled twin that can be put into level flight."""

    def __init__(self, twin: Twin, pitch: Sequence[str], throttle: Sequence[str]) -> None:
        if not twin.description.floating:
            raise InputError("only a robot that floats can be trimmed", path="description.base")
        calm = twin.copy()
        for path in ("world.wind.speed", "world.wind.up"):
            calm.set(path, 0.0)
        self.twin = calm
        self.assembly: Assembly = assemble(calm)
        self.model = self.assembly.model
        self.data = mujoco.MjData(self.model)
        places = {name: self.assembly.state.starts[f"inputs:{part}"] + i for name, part, i in part_inputs(calm)}
        for name in (*pitch, *throttle):
            if name not in places:
                raise InputError(f"there is no input {name!r}{nearest(name, places)}")
        self._pitch, self._throttle = [places[name] for name in pitch], [places[name] for name in throttle]

    def fly(self, airspeed: float, height: float, nose: float, pitch: float, throttle: float) -> None:
        """Level flight along x with engines settled."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[2] = height
        self.data.qpos[3:7] = quaternion_from_rpy(0.0, -nose, 0.0)
        self.data.qvel[0] = airspeed
        self.data.plugin_state[self._pitch] = pitch
        self.data.plugin_state[self._throttle] = throttle
        clock = np.array([(0.0, 1e9, 0.0)], dtype=CLOCK)  # long enough for any servo
        table = self.model.numeric_data.ctypes.data + 8 * self.assembly.table_start
        tick_all(table, self.data.plugin_state.ctypes.data, clock.ctypes.data)
        for _ in range(round(_SETTLING / _STEP) if self.model.na else 0):
            mujoco.mj_forward(self.model, self.data)
            self.data.act += _STEP * self.data.act_dot
        mujoco.mj_forward(self.model, self.data)
        self._spin_axles()

    def _spin_axles(self) -> None:
        for name, part in self.twin.file.parts.items():
            outputs = [item.name for item in part.contract.outputs]
            if part.joint is not None and "speed" in outputs:
                joint = self.model.joint(self.twin.description.joints[part.joint].engine_joints[0])
                speed = self.assembly.state.starts[f"outputs:{name}"] + offset_of(part.contract.output_layout, "speed")
                self.data.qvel[joint.dofadr[0]] = self.data.plugin_state[speed]

    def acceleration(self) -> NDArray[np.float64]:
        """dvx/dt, dvz/dt [m/s^2] and nose-up dq/dt [rad/s^2]."""
        mujoco.mj_forward(self.model, self.data)
        return np.array([self.data.qacc[0], self.data.qacc[2], -self.data.qacc[4]])


def find_trim(
    twin: Twin, *, airspeed: float, height: float = 50.0, pitch: Sequence[str], throttle: Sequence[str]
) -> Trim:
    """Level flight at an airspeed [m/s]; `pitch` and `throttle` name the inputs that share the pitch and throttle command."""
    aircraft = _Aircraft(twin, pitch, throttle)

    def left(x: NDArray[np.float64]) -> NDArray[np.float64]:
        aircraft.fly(airspeed, height, float(x[0]), float(x[1]), float(x[2]))
        return aircraft.acceleration()

    found = least_squares(left, [0.0, 0.0, 0.5], bounds=([-0.6, -1.0, 0.0], [0.6, 1.0, 1.0]), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    if np.abs(found.fun).max() > _GOOD:
        worst = ", ".join(f"{value:.3g}" for value in found.fun)
        raise RunError(f"{twin.name} has no level flight at {airspeed:g} m/s (left over: {worst} m/s^2, m/s^2, rad/s^2)")
    return Trim(airspeed, height, *(float(value) for value in found.x))


def longitudinal(twin: Twin, trim: Trim, *, pitch: Sequence[str], throttle: Sequence[str]) -> NDArray[np.float64]:
    """A of dx/dt = A x about a trim, x = (vx, vz, q, theta, z); shape [5, 5]."""
    aircraft = _Aircraft(twin, pitch, throttle)
    aircraft.fly(trim.airspeed, trim.height, trim.nose, trim.pitch, trim.throttle)
    position, velocity = aircraft.data.qpos.copy(), aircraft.data.qvel.copy()

    def rates(x: NDArray[np.float64]) -> NDArray[np.float64]:
        aircraft.data.qpos[:], aircraft.data.qvel[:] = position, velocity
        aircraft.data.qvel[0] += x[0]
        aircraft.data.qvel[2] += x[1]
        aircraft.data.qvel[4] -= x[2]
        aircraft.data.qpos[3:7] = quaternion_from_rpy(0.0, -(trim.nose + x[3]), 0.0)
        aircraft.data.qpos[2] += x[4]
        return np.array([*aircraft.acceleration(), x[2], x[1]])

    matrix = np.zeros((5, 5))
    for column, size in enumerate((1e-4, 1e-4, 1e-5, 1e-6, 1e-2)):
        step = np.zeros(5)
        step[column] = size
        matrix[:, column] = (rates(step) - rates(-step)) / (2.0 * size)
    assert math.isfinite(matrix.sum())
    return matrix
