"""Drive: a geared motor with a position controller on its shaft, as a moteus with a planetary gear is.

    tau = k_p s_p (x* - x) + k_d s_d (v* - v) + I + tau_ff,     dI/dt = k_i (x* - x),  |I| <= I_max
    x* = position + velocity (t - t_arrival),                   T dv/dt = dx/dt - v
    |tau| <= tau_peak min(1, (v_top - |v|) / (v_top - v_knee))  where tau drives; tau_cont once the motor is hot
    d heat/dt = ((tau / tau_cont)^2 - heat) / T_heat            hot: heat > 1

x, v in *motor* revolutions, as the real controller counts (N m per revolution, not per radian), s_p and s_d the scales of a
command. A command arrives `delay` after it was sent; without one for `watchdog` seconds the drive damps (v* = 0, no
stiffness). Modes carry the controller's own numbers: 0 stopped, 10 position, 11 timed out, 12 zero velocity.

Mechanics, all at the motor: Coulomb friction F_C, viscous friction, the excess of breakaway over Coulomb friction that dies out
with speed (Stribeck),

    F(v) = sgn(v) (F_C + F_S exp(-(v / v_S)^2)) + b v

rotor inertia J (n^2 J at the output) and torque ripple sum_i s_i sin(k_i th) + c_i cos(k_i th) over the motor's angle th; the
order k_i of a mesh of the gear need not be whole. The engine holds the joint with F_C + F_S (true standstill), the law gives back
F_S (1 - exp(-(v / v_S)^2)) of it. With a `gear_stiffness` the rotor moves on its own and turns the output through a spring with
play (`backlash`); friction then sits at the output. Without, the gear is rigid.

Reference: moteus reference manual, "Theory of operation" and registers; Armstrong-Helouvry et al., Automatica 30 (1994). Valid
for hard-switched current control that is fast beside the motion (> 1 kHz); integrate a springy gear with rk4 and a step below
1/5 of sqrt(J_output / stiffness).
"""

from __future__ import annotations

import math
from typing import Any, Literal

from numba import carray
from pydantic import model_validator

from didymos.compiled import c_function, kernel
from didymos.parts.law import JointLoad, Law, Output, PartSpec, Told, law_signature, tick_signature
from didymos.spec import number

__all__ = ["DRIVE", "INPUTS", "LIMITS", "POSITION", "STOPPED", "TIMED_OUT", "ZERO_VELOCITY", "DriveSpec"]

STOPPED, POSITION, TIMED_OUT, ZERO_VELOCITY = 0.0, 10.0, 11.0, 12.0
INPUTS = ("position", "velocity", "feedforward", "kp_scale", "kd_scale", "mode", "beat")
"""What a command says: [rev], [rev/s], [N m], scales, mode; `beat` changes with every command that is sent."""
LIMITS = ("torque_limit", "watchdog")
"""What a command may say beyond: [N m], [s]; 0 for the drive's own, a negative watchdog for none."""

_TURN = 2.0 * math.pi
_TAKE_OVER = 0.001  # [s] in which a new set-point takes the place of the last: a current loop's rise, and a smooth delay
_FORGET = 0.01  # [s] in which a stopped drive forgets its integral
# memory: commands sent, last beat, heat, then a ring of commands
_SENT, _BEAT, _HEAT, _RING = 0, 1, 2, 3
_DEPTH, _ROW = 32, 9  # arrival [s], then the first six inputs, then the limits
# states
_INTEGRAL, _SPEED, _TWIST, _ROTOR = range(4)


class DriveSpec(PartSpec):
    """Parameters of a drive; all at the motor, zero switches an effect off."""

    kind: Literal["drive"] = "drive"
    ratio: float = number(unit="1", above=0, live=False, doc="n, motor turns per output turn")
    kp: float = number(unit="N m/rev", low=0)
    ki: float = number(0.0, unit="N m/(rev s)", low=0)
    kd: float = number(0.0, unit="N m s/rev", low=0)
    integral_limit: float = number(0.0, unit="N m", low=0, doc="I_max, both ways")
    peak_torque: float = number(unit="N m", above=0)
    continuous_torque: float = number(0.0, unit="N m", low=0, doc="that the motor bears for ever; 0 for no heating")
    thermal_time: float = number(0.0, unit="s", low=0, doc="T_heat; 0 for no heating")
    top_speed: float = number(0.0, unit="rev/s", low=0, doc="v_top, where no torque is left; 0 for none")
    knee_speed: float = number(0.0, unit="rev/s", low=0, doc="v_knee, from where torque falls")
    watchdog: float = number(0.0, unit="s", low=0, doc="time without a command after which the drive damps; 0 for never")
    delay: float = number(0.0, unit="s", low=0, high=0.03, doc="from sending a command to its effect")
    voltage: float = number(24.0, unit="V", low=0, doc="supply; that its controller reports and refuses to work beyond")
    torque_constant: float = number(0.0, unit="N m/A", low=0, doc="by which its controller reports a current; 0 for none")
    velocity_filter: float = number(0.0, unit="s", low=0, doc="T, time constant of the measured velocity")
    rotor_inertia: float = number(0.0, unit="kg m^2", low=0, doc="J, of all that turns with the motor")
    coulomb: float = number(0.0, unit="N m", low=0, doc="F_C")
    stribeck: float = number(0.0, unit="N m", low=0, doc="F_S, breakaway beyond Coulomb friction")
    stribeck_speed: float = number(0.1, unit="rev/s", above=0, doc="v_S")
    viscous: float = number(0.0, unit="N m s/rev", low=0, doc="b")
    ripple: float = number(1.0, unit="1", low=0, high=1, doc="0 switches all ripple off")
    ripple1_order: float = number(0.0, unit="1/rev", low=0, doc="k_1, waves per motor turn")
    ripple1_sine: float = number(0.0, unit="N m", doc="s_1")
    ripple1_cosine: float = number(0.0, unit="N m", doc="c_1")
    ripple2_order: float = number(0.0, unit="1/rev", low=0)
    ripple2_sine: float = number(0.0, unit="N m")
    ripple2_cosine: float = number(0.0, unit="N m")
    ripple3_order: float = number(0.0, unit="1/rev", low=0)
    ripple3_sine: float = number(0.0, unit="N m")
    ripple3_cosine: float = number(0.0, unit="N m")
    ripple4_order: float = number(0.0, unit="1/rev", low=0)
    ripple4_sine: float = number(0.0, unit="N m")
    ripple4_cosine: float = number(0.0, unit="N m")
    gear_stiffness: float = number(0.0, unit="N m/rad", low=0, live=False, doc="at the output; 0 for a rigid gear")
    gear_damping: float = number(0.0, unit="N m s/rad", low=0, doc="at the output, of a springy gear")
    backlash: float = number(0.0, unit="rad", low=0, doc="play at the output, of a springy gear")

    @model_validator(mode="after")
    def _consistent(self) -> DriveSpec:
        if self.top_speed > 0.0 and self.knee_speed >= self.top_speed:
            raise ValueError(f"found knee_speed {self.knee_speed:g}, expected less than top_speed {self.top_speed:g} rev/s")
        if self.backlash > 0.0 and self.gear_stiffness == 0.0:
            raise ValueError("backlash needs the key 'gear_stiffness'")
        if self.gear_stiffness > 0.0 and self.rotor_inertia == 0.0:
            raise ValueError("a gear with stiffness needs the key 'rotor_inertia'")
        return self

    def idle_states(self) -> int:
        """A rigid gear needs no rotor of its own."""
        return 0 if self.gear_stiffness > 0.0 else 2


def _on_joint(drive: Any) -> JointLoad:
    n = drive.ratio
    inertia = 0.0 if drive.gear_stiffness > 0.0 else n * n * drive.rotor_inertia
    return JointLoad(inertia, n * (drive.coulomb + drive.stribeck), n * n * drive.viscous / _TURN)


@kernel
def torque_limit(speed: float, torque: float, heat: float, drive: Any) -> float:
    """Largest torque [N m] that the motor gives at a speed [rev/s]; `torque` says which way it is wanted."""
    limit = drive.peak_torque
    if drive.continuous_torque > 0.0 and heat > 1.0:
        limit = min(limit, drive.continuous_torque)
    if drive.top_speed > 0.0 and torque * speed > 0.0:
        left = (drive.top_speed - abs(speed)) / (drive.top_speed - drive.knee_speed)
        limit *= min(max(left, 0.0), 1.0)
    return limit


@kernel
def _wave(angle: float, order: float, sine: float, cosine: float) -> float:
    return sine * math.sin(order * angle) + cosine * math.cos(order * angle)


@kernel
def ripple_torque(angle: float, drive: Any) -> float:
    """Ripple [N m] at an angle of the motor [rad]."""
    total = _wave(angle, drive.ripple1_order, drive.ripple1_sine, drive.ripple1_cosine)
    total += _wave(angle, drive.ripple2_order, drive.ripple2_sine, drive.ripple2_cosine)
    total += _wave(angle, drive.ripple3_order, drive.ripple3_sine, drive.ripple3_cosine)
    total += _wave(angle, drive.ripple4_order, drive.ripple4_sine, drive.ripple4_cosine)
    return drive.ripple * total


@kernel
def _latest(memory: Any, time: float) -> int:
    """Place of the newest command that has arrived, or -1; the one before it lies one row earlier in the ring."""
    sent = int(memory[_SENT])
    for age in range(min(sent, _DEPTH)):
        row = _RING + _ROW * ((sent - 1 - age) % _DEPTH)
        if memory[row] <= time:
            return row
    return -1


@kernel
def _set_point(memory: Any, row: int, time: float) -> float:
    """Position that is asked for now [rev]: the command's own, reached from the last one's within the take-over."""
    since = time - memory[row]
    wanted = memory[row + 1] + memory[row + 2] * since
    if since < _TAKE_OVER and memory[_SENT] > 1.0:
        last = row - _ROW if row > _RING else _RING + _ROW * (_DEPTH - 1)
        if memory[last + 6] == POSITION and memory[last] < memory[row]:
            before = memory[last + 1] + memory[last + 2] * (time - memory[last])
            wanted = before + (wanted - before) * since / _TAKE_OVER
    return wanted


@kernel
def _control(memory: Any, row: int, time: float, x: float, v: float, states: Any, rates: Any, drive: Any) -> tuple[float, float]:
    """Torque that the controller asks for [N m] and its mode."""
    integral = min(max(states[_INTEGRAL], -drive.integral_limit), drive.integral_limit)
    rates[_INTEGRAL] = -states[_INTEGRAL] / _FORGET
    mode = STOPPED if row < 0 else memory[row + 6]
    watchdog = drive.watchdog if row < 0 or memory[row + 8] == 0.0 else memory[row + 8]
    if mode == POSITION and watchdog > 0.0 and time - memory[row] > watchdog:
        mode = TIMED_OUT
    torque = 0.0
    if mode == POSITION:
        error = _set_point(memory, row, time) - x
        torque = drive.kp * memory[row + 4] * error + drive.kd * memory[row + 5] * (memory[row + 2] - v)
        torque += integral + memory[row + 3]
        rates[_INTEGRAL] = drive.ki * error
        if abs(states[_INTEGRAL]) >= drive.integral_limit and states[_INTEGRAL] * error > 0.0:
            rates[_INTEGRAL] = 0.0
    elif mode == TIMED_OUT:
        torque = -drive.kd * v
    elif mode == ZERO_VELOCITY:
        torque = -drive.kd * memory[row + 5] * v
    if row >= 0 and memory[row + 7] > 0.0:
        torque = min(max(torque, -memory[row + 7]), memory[row + 7])
    return torque, mode


@kernel
def _mesh(twist: float, twist_rate: float, drive: Any) -> float:
    """Torque through a springy gear [N m] at the output; its flanks push and do not pull."""
    half = 0.5 * drive.backlash
    stretch = twist - min(max(twist, -half), half)
    torque = drive.gear_stiffness * stretch + drive.gear_damping * twist_rate
    if stretch > 0.0:
        return max(torque, 0.0)
    if stretch < 0.0:
        return min(torque, 0.0)
    return torque if half == 0.0 else 0.0


@c_function(law_signature(DriveSpec))
def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    drive = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    n = drive.ratio
    springy = drive.gear_stiffness > 0.0
    angle, rate = n * here.joint_position, n * here.joint_velocity
    if springy:
        angle, rate = angle + n * states[_TWIST], states[_ROTOR]
    x, speed = angle / _TURN, rate / _TURN
    v = speed
    rates[_SPEED] = 0.0
    if drive.velocity_filter > 0.0:
        v = states[_SPEED]
        rates[_SPEED] = (speed - v) / drive.velocity_filter
    torque, mode = _control(memory, _latest(memory, here.time), here.time, x, v, states, rates, drive)
    limit = torque_limit(speed, torque, memory[_HEAT], drive)
    torque = min(max(torque, -limit), limit)
    at_rotor = torque + ripple_torque(angle, drive)
    slip = n * here.joint_velocity / _TURN / drive.stribeck_speed
    given_back = n * drive.stribeck * (1.0 - math.exp(-slip * slip)) * (1.0 if slip > 0.0 else -1.0)
    if springy:
        through = _mesh(states[_TWIST], rate / n - here.joint_velocity, drive)
        rates[_TWIST] = rate / n - here.joint_velocity
        rates[_ROTOR] = (at_rotor - through / n) / drive.rotor_inertia
        answer.joint_torque = through + given_back
    else:
        answer.joint_torque = n * at_rotor + given_back
    outputs[0] = x
    outputs[1] = v
    outputs[2] = torque
    outputs[3] = angle / n
    outputs[4] = v * _TURN / n
    outputs[5] = mode
    outputs[6] = memory[_HEAT]


@c_function(tick_signature(DriveSpec))
def _tick(parameters, tables, clock, inputs, outputs, memory):  # type: ignore[no-untyped-def]
    drive = carray(parameters, 1)[0]
    if drive.continuous_torque > 0.0 and drive.thermal_time > 0.0:
        load = outputs[2] / drive.continuous_torque
        memory[_HEAT] += (load * load - memory[_HEAT]) * -math.expm1(-clock[1] / drive.thermal_time)
    if inputs[6] != memory[_BEAT]:
        row = _RING + _ROW * (int(memory[_SENT]) % _DEPTH)
        memory[row] = clock[0] + drive.delay
        for i in range(6):
            memory[row + 1 + i] = inputs[i]
        memory[row + 7] = inputs[7]
        memory[row + 8] = inputs[8]
        memory[_SENT] += 1.0
        memory[_BEAT] = inputs[6]


DRIVE = Law(
    spec=DriveSpec,
    function=_law,
    tick=_tick,
    inputs=(*INPUTS, *LIMITS),
    memory=("sent", "beat", "heat", *(f"command{i}" for i in range(_DEPTH * _ROW))),
    states=("integral", "speed", "twist", "rotor"),
    outputs=(
        Output("position", "rev"),
        Output("velocity", "rev/s"),
        Output("torque", "N m"),
        Output("output_position", "rad"),
        Output("output_velocity", "rad/s"),
        Output("mode", "1"),
        Output("heat", "1"),
    ),
    input_range=(-math.inf, math.inf),
    needs_joint=True,
    told=Told.JOINT,
    on_joint=_on_joint,
)
