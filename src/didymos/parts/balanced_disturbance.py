"""Balanced disturbance: what pushed a robot while its flight controller held it, read from the commands that it gave.

A recording of rotor commands, played to a twin, loses the attitude within a second: the commands held the robot against
disturbances (its own wake, a draught, a bent propeller, moments of the drag) that nobody recorded, and their torque adds up. What
was recorded is the answer. A rate loop that is fast against the disturbance commands minus the disturbance, so

    M_d = -(M_c + T_l dM_c/dt) - k_m v x z - k_w w

with M_c the moment of the rotors once they have settled at their commands, and the robot turns only as far as rotors lag behind:
M - M_c, M of the rotors themselves. T_l is by how much the commands come late, of tilt (the loop, and the log that stamps what
it was told) and of the slow loop of the heading; the derivative is that of M_c behind a lag T. k_m takes away the moment of the
drag of rotors above the centre of mass, which M_c holds as well; what the loop does to a rate that it finds, it commands and does
not come to pass here, so rates decay by k_w. With

    M_c = sum of r x z T_c - d k_M / k_T T_c z,      T_c = k_T (K u (V / V_0)^n + C)^2

The lift is that of the rotors. What they lose in climb by their law, and commands that hold a height make up for, comes back by

    F_d = k_c w z,      w the velocity through the air along z

x forward, y left, z up at the centre of mass, four rotors at (+-a, +-b): 1 front right, 2 rear right, 3 rear left, 4 front left,
neighbours turning against each other. Its inputs are the commands once more, for recordings alone: with all of them at zero, as
in any run with a program of the twin's own, the part does nothing. V is the voltage of the battery that `input_from` names.

Valid while a controller held the attitude, over windows of up to a second; not for what a twin does under commands that
were never flown. References: disturbance observers, Ohnishi et al., IEEE/ASME Trans. Mechatronics 1 (1996) 56.
"""

from __future__ import annotations

from didymos.contract import input, needs, output, parameter, state
from didymos.parts.part import Part, law
from didymos.parts.rotor import DENSITY_OF_BENCH, commanded_speed

__all__ = ["BalancedDisturbance"]


class BalancedDisturbance(Part):
    """The rotors that hold a robot, and how its controller answers."""

    arm_x = parameter(unit="m", above=0, doc="a, of the front rotors before the centre of mass")
    arm_y = parameter(unit="m", above=0, doc="b, of the left rotors beside it")
    direction = parameter(unit="1", low=-1, high=1, live=False, doc="d of rotor 1 about +z: 1 or -1")
    thrust_coefficient = parameter(unit="N s^2", above=0, doc="k_T of the rotors")
    torque_coefficient = parameter(unit="N m s^2", low=0, doc="k_M of the rotors")
    speed_per_input = parameter(unit="rad/s", low=0, doc="K of the rotors")
    speed_at_zero = parameter(0.0, unit="rad/s", low=0, doc="C of the rotors")
    rated_voltage = parameter(0.0, unit="V", low=0, doc="V_0 of the rotors; 0 where no voltage matters")
    voltage_exponent = parameter(1.0, unit="1", low=0, high=2, doc="n of the rotors")
    time_constant = parameter(unit="s", above=0, doc="T, of the derivative of the moment")
    tilt_lead = parameter(0.0, unit="s", low=0, doc="T_l about x and y")
    yaw_lead = parameter(0.0, unit="s", low=0, doc="T_l about z")
    tilt_damping = parameter(0.0, unit="N m s", low=0, doc="k_w about x and y")
    yaw_damping = parameter(0.0, unit="N m s", low=0, doc="k_w about z")
    drag_moment = parameter(0.0, unit="N s", doc="k_m, moment per velocity through the air")
    climb_lift = parameter(0.0, unit="N s/m", low=0, doc="k_c, lift per velocity through the air")
    motor1 = input(doc="u of rotor 1, front right")
    motor2 = input(doc="of rotor 2, rear right")
    motor3 = input(doc="of rotor 3, rear left")
    motor4 = input(doc="of rotor 4, front left")
    voltage = needs(unit="V", doc="V")
    roll_moment = state(unit="N m", settles=True, doc="M_c about x behind the lag")
    pitch_moment = state(unit="N m", settles=True, doc="about y")
    yaw_moment = state(unit="N m", settles=True, doc="about z")
    torque = output(columns="xyz", unit="N m", doc="M_d")
    lift = output(unit="N", doc="F_d")

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        torque, lift = output.torque, 0.0
        torque[0] = torque[1] = torque[2] = rate.roll_moment = rate.pitch_moment = rate.yaw_moment = 0.0
        if inputs.motor1 + inputs.motor2 + inputs.motor3 + inputs.motor4 > 0.0:
            coefficient = part.thrust_coefficient * here.density * (1.0 / DENSITY_OF_BENCH)
            front_right = coefficient * commanded_speed(part, inputs.motor1, inputs.voltage) ** 2
            rear_right = coefficient * commanded_speed(part, inputs.motor2, inputs.voltage) ** 2
            rear_left = coefficient * commanded_speed(part, inputs.motor3, inputs.voltage) ** 2
            front_left = coefficient * commanded_speed(part, inputs.motor4, inputs.voltage) ** 2
            ratio = part.direction * part.torque_coefficient / part.thrust_coefficient
            roll = part.arm_y * (rear_left + front_left - front_right - rear_right)
            pitch = part.arm_x * (rear_right + rear_left - front_right - front_left)
            yaw = ratio * (rear_right - front_right + front_left - rear_left)
            rate.roll_moment = (roll - state.roll_moment) / part.time_constant
            rate.pitch_moment = (pitch - state.pitch_moment) / part.time_constant
            rate.yaw_moment = (yaw - state.yaw_moment) / part.time_constant
            u, v, w = here.air_velocity[0], here.air_velocity[1], here.air_velocity[2]
            torque[0] = -roll - part.tilt_lead * rate.roll_moment - part.drag_moment * v - part.tilt_damping * here.rate[0]
            torque[1] = -pitch - part.tilt_lead * rate.pitch_moment + part.drag_moment * u - part.tilt_damping * here.rate[1]
            torque[2] = -yaw - part.yaw_lead * rate.yaw_moment - part.yaw_damping * here.rate[2]
            lift = part.climb_lift * w
        for axis in range(3):
            wrench.torque[axis] = torque[axis]
        wrench.force[2] = output.lift = lift
