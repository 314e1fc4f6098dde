"""What is asked of `multirotor_commander`, all its set-points at once, as ports that fly by it say it.

SI units; world east-north-up, body forward-left-up: positive pitch is nose down. Thrust is a share of the full input.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from didymos.control.multirotor_commander import HEADING, HEIGHT, OFF, PLACE, THRUST
from didymos.control.polynomial_path import State

__all__ = ["OFF_SETPOINT", "Setpoint", "from_state"]

_MOST = 1e6  # beyond this a number is taken for nonsense


@dataclass(frozen=True)
class Setpoint:
    """What is asked of the program: its set-points, SI units, in its modes."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    vz: float = 0.0
    ax: float = 0.0
    ay: float = 0.0
    az: float = 0.0
    roll: float = 0.0
    pitch: float = 0.0
    roll_rate: float = 0.0
    pitch_rate: float = 0.0
    yaw_rate: float = 0.0
    thrust: float = 0.0
    mode_xy: int = PLACE
    mode_z: int = HEIGHT
    mode_yaw: int = HEADING

    @property
    def is_off(self) -> bool:
        """Whether the rotors stand."""
        return self.mode_z == OFF or (self.mode_z == THRUST and self.thrust <= 0.0)

    @property
    def is_sane(self) -> bool:
        """Whether all of it are numbers that can be meant."""
        return all(abs(getattr(self, item.name)) < _MOST for item in fields(self))  # false for what is no number

    @property
    def handles(self) -> dict[str, float]:
        """The program's set-points by their handles."""
        return {f"setpoints.{item.name}": float(getattr(self, item.name)) for item in fields(self)}


OFF_SETPOINT = Setpoint(mode_z=OFF)


def from_state(state: State) -> Setpoint:
    """A place on a path, with its velocity and acceleration."""
    (x, y, z, yaw), (vx, vy, vz, yaw_rate) = map(float, state.value), map(float, state.rate)
    ax, ay, az = map(float, state.acceleration[:3])
    return Setpoint(x=x, y=y, z=z, yaw=yaw, vx=vx, vy=vy, vz=vz, ax=ax, ay=ay, az=az, yaw_rate=yaw_rate)
