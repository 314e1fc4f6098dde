"""Multirotor PD: attitude, heading and height of a multirotor by proportional and derivative gains.

    u_roll   = kp (roll* - roll)    - kd p              limited to [-1, 1]
    u_pitch  = kp (pitch* - pitch)  - kd q              limited to [-1, 1]
    u_yaw    = kp wrap(yaw* - yaw)  - kd r              limited to [-1, 1]
    u_height = hover + kp (z* - z)  - kd dz/dt          limited to [0, 1]
    inputs   = mixer (u_height, u_roll, u_pitch, u_yaw) in [0, 1]: tilt before thrust before yaw, see `mix`

Angles are Euler angles Z-Y-X of the body (forward-left-up): positive pitch is nose down, positive yaw nose left. The
derivative acts on the measured rates, not on a difference of errors as in the original, so a step of a set-point does not
kick. `hover` is the feed-forward that the original lacks: without it the height sags by hover / kp = 1.6 m.
"""

from __future__ import annotations

from didymos.contract import command, measurement, setpoint, setting
from didymos.control.angles import limit, roll_pitch_yaw, turn_vector, wrap
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.mix import MOST_ROTORS, mix, rotor_inputs
from didymos.control.mixer import Stated, mixer
from didymos.errors import InputError

__all__ = ["MultirotorPd"]


class MultirotorPd(CompiledController):
    """PD control of roll, pitch, yaw and height for any multirotor; the mixer comes from the rotors' geometry."""

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
    rotors = setting(doc="how many")
    mixer = setting(count=(MOST_ROTORS, 4))
    throttle = command(count=MOST_ROTORS)

    @program
    def step(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        roll, pitch, yaw = roll_pitch_yaw(measured.orientation)
        rate, velocity = measured.angular_velocity, measured.velocity
        _, _, climb = turn_vector(measured.orientation, velocity[0], velocity[1], velocity[2])
        u_roll = limit(gains.roll_kp * (setpoints.roll - roll) - gains.roll_kd * rate[0], -1.0, 1.0)
        u_pitch = limit(gains.pitch_kp * (setpoints.pitch - pitch) - gains.pitch_kd * rate[1], -1.0, 1.0)
        u_yaw = limit(gains.yaw_kp * wrap(setpoints.yaw - yaw) - gains.yaw_kd * rate[2], -1.0, 1.0)
        rise = gains.height_hover + gains.height_kp * (setpoints.z - measured.height) - gains.height_kd * climb
        mix(settings.mixer, int(settings.rotors), limit(rise, 0.0, 1.0), u_roll, u_pitch, u_yaw, 0.0, 1.0, inputs.throttle)

    def __init__(self, sensor: str = "state", mixer: Stated | None = None) -> None:
        self.sensor, self.stated_mixer = sensor, mixer

    def start(self, robot: Robot) -> None:
        """Derive the mixer and find the readings of the pose sensor."""
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
        self.writes = {"throttle": rotor_inputs(robot)}
        self.settings["rotors"] = len(robot.rotors)
        self.settings["mixer"][: len(robot.rotors)] = mixer(robot.rotors, self.stated_mixer)
