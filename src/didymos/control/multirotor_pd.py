"""Multirotor PD: attitude, heading and height of a multirotor by proportional and derivative gains.

    u_roll   = kp (roll* - roll)    - kd p              limited to [-1, 1]
    u_pitch  = kp (pitch* - pitch)  - kd q              limited to [-1, 1]
    u_yaw    = kp wrap(yaw* - yaw)  - kd r              limited to [-1, 1]
    u_height = hover + kp (z* - z)  - kd dz/dt          limited to [0, 1]
    inputs   = allocation (u_height, u_roll, u_pitch, u_yaw): tilt before thrust before yaw, see `allocate`

Angles are Euler angles Z-Y-X of the body (forward-left-up): positive pitch is nose down, positive yaw nose left. The
derivative acts on the measured rates, not on a difference of errors as in the original, so a step of a set-point does not
kick. `hover` is the feed-forward that the original lacks: without it the height sags by hover / kp = 1.6 m.
"""

from __future__ import annotations

from collections.abc import Mapping

from didymos.contract import command, measurement, setpoint, setting
from didymos.control.allocate import allocate
from didymos.control.allocation import ALLOCATION, MOST_INPUTS, Command
from didymos.control.angles import limit, roll_pitch_yaw, turn_vector, wrap
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.flight_model import FlightModel
from didymos.control.multirotor_gains import ATTITUDE, attitude_gains
from didymos.errors import InputError

__all__ = ["MultirotorPd"]


class MultirotorPd(CompiledController):
    """PD control of roll, pitch, yaw and height for any multirotor: `robot.allocation.hover`."""

    designs, designed = "hover", ATTITUDE
    roll_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="roll.kp")
    roll_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="roll.kd")
    pitch_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="pitch.kp")
    pitch_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="pitch.kd")
    yaw_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="yaw.kp")
    yaw_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="yaw.kd")
    height_kp = Gain(0.0, low=0, high=10, unit="1/m", path="height.kp")
    height_kd = Gain(0.0, low=0, high=10, unit="s/m", path="height.kd")
    height_hover = Gain(0.0, low=0, high=1, unit="1", path="height.hover", doc="feed-forward: the input at which it hovers")
    roll = setpoint(unit="rad")
    pitch = setpoint(unit="rad")
    yaw = setpoint(unit="rad")
    z = setpoint(unit="m")
    orientation = measurement(columns="wxyz")
    angular_velocity = measurement(columns="xyz", unit="rad/s")
    height = measurement(unit="m")
    velocity = measurement(columns="xyz", unit="m/s")
    allocation = setting(layout=ALLOCATION)
    throttle = command(count=MOST_INPUTS)

    @program
    def step(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        roll, pitch, yaw = roll_pitch_yaw(measured.orientation)
        rate, velocity = measured.angular_velocity, measured.velocity
        _, _, climb = turn_vector(measured.orientation, velocity[0], velocity[1], velocity[2])
        u_roll = limit(gains.roll_kp * (setpoints.roll - roll) - gains.roll_kd * rate[0], -1.0, 1.0)
        u_pitch = limit(gains.pitch_kp * (setpoints.pitch - pitch) - gains.pitch_kd * rate[1], -1.0, 1.0)
        u_yaw = limit(gains.yaw_kp * wrap(setpoints.yaw - yaw) - gains.yaw_kd * rate[2], -1.0, 1.0)
        rise = gains.height_hover + gains.height_kp * (setpoints.z - measured.height) - gains.height_kd * climb
        thrust = limit(rise, 0.0, 1.0)
        asked = Command(roll=u_roll, pitch=-u_pitch, yaw=-u_yaw, thrust=thrust, flaps=0.0, tilt=0.0, brake=0.0)
        allocate(settings.allocation, asked, inputs.throttle)

    def __init__(self, sensor: str = "state") -> None:
        self.sensor = sensor

    @classmethod
    def design(cls, model: FlightModel) -> Mapping[str, float]:
        """Gains from the linear model of hovering; see `multirotor_gains`."""
        return attitude_gains(model)

    def start(self, robot: Robot) -> None:
        """Find the inputs, and the readings of the pose sensor."""
        self.reads = {
            "orientation": [f"{self.sensor}.orientation.{axis}" for axis in "wxyz"],
            "angular_velocity": [f"{self.sensor}.angular_velocity.{axis}" for axis in "xyz"],
            "height": [f"{self.sensor}.position.z"],
            "velocity": [f"{self.sensor}.velocity.{axis}" for axis in "xyz"],
        }
        missing = [name for name, _ in self.read_offsets if name not in robot.measured]
        if missing:
            raise InputError(
                f"multirotor_pd needs a pose sensor named {self.sensor!r} (kind odometry); there is no {missing[0]!r}",
                path="control.options.sensor",
            )
        allocation = robot.allocation.hover
        self.settings["allocation"], self.writes = allocation.record(), {"throttle": allocation.inputs}
