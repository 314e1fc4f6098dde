"""Drive: a geared motor with a position controller on its shaft, as a moteus with a planetary gear is.

    tau = k_p s_p (x* - x) + k_d s_d (v* - v) + I + tau_ff,     dI/dt = k_i (x* - x),  |I| <= I_max
    x* = position + velocity (t - t_arrival),                   T dv/dt = dx/dt - v
    |tau| <= tau_max min(1, (v_top - |v|) / (v_top - v_knee))   where tau drives
    tau_max = tau_cont + (tau_peak - tau_cont) (1 - heat) / f   within tau_cont (hot: heat >= 1) and tau_peak
    d heat/dt = ((tau / tau_cont)^2 - heat) / T_heat

x, v in *motor* revolutions, as the real controller counts (N m per revolution, not per radian), s_p and s_d the scales of a
command. A command arrives `delay` after it was sent; one a tick at most, and no more than 61 ticks of them are on their way: a
longer delay is refused. A stopped drive gives torque `enable_time` after the first command of another mode arrives (a moteus
measures the zero of its currents then). Without a command for `watchdog` seconds the drive damps (v* = 0, no stiffness), or does
what its `timeout_mode` says. Beside position control, which this is, it has the controller's other modes (`drive_modes.py`):
brake, stay within, current, voltage; those that short the windings or put voltages on them need `torque_constant` and
`phase_resistance`, and give what the windings give (`motor_windings.py`), whatever the controller's limits are.

Mechanics, all at the motor: Coulomb friction F_C, viscous friction, the excess of breakaway over Coulomb friction that dies out
with speed (Stribeck),

    F(v) = sgn(v) (F_C + f + (F_S - f) exp(-(v / v_S)^2)) + b v

rotor inertia J (n^2 J at the output) and torque ripple over the motor's angle th,

    sum_i s_i sin(k_i (th + th_0)) + c_i cos(k_i (th + th_0)) + R(th + th_0)

The order k_i of a mesh of the gear need not be whole. R (`ripple_table`) and f(th + th_0) (`coulomb_table`) are what a recording
showed beyond waves and one level of friction, over the angles that it passed, and zero elsewhere (`angle_table.py`): ripple
pushes the same way in both directions, f turns round with the motion. th_0 (`ripple_angle`) is the one number that says where the
gear stood when its controller began to count: it moves waves and tables together. The engine holds the joint with F_C + F_S (true
standstill, the same at every angle), the law gives back (F_S - f) (1 - exp(-(v / v_S)^2)) of it. With a `gear_stiffness` the
rotor moves on its own and turns the output through a spring and a damper, with play (`backlash`) through flanks that push and do
not pull; friction then sits at the output. Without, the gear is rigid.

Reference: moteus reference manual, "Theory of operation" and registers; Armstrong-Helouvry et al., Automatica 30 (1994). Valid
for hard-switched current control that is fast beside the motion (> 1 kHz); integrate a springy gear with rk4 and a step below
1/5 of sqrt(J_output / stiffness).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.contract import input, memory, option, output, parameter, state
from didymos.parts.actuation import JointActuation
from didymos.parts.angle_table import ANGLE_TABLE, AngleTableSpec
from didymos.parts.drive_mechanics import breakaway_excess, mesh_torque, ripple_torque, torque_limit
from didymos.parts.drive_modes import (
    BRAKE,
    CURRENT,
    INDUCTANCE,
    POSITION,
    STAY_WITHIN,
    STOPPED,
    TIMED_OUT,
    ZERO_VELOCITY,
    passed_bound,
    winding_torque,
)  # fmt: skip
from didymos.parts.motor_windings import brake_torque
from didymos.parts.part import JointDemand, JointLoad, Motion, Part, law, tick

__all__ = ["COMMAND", "COMMAND_INPUTS", "POSITION", "STOPPED", "TIMED_OUT", "ZERO_VELOCITY", "Drive"]

COMMAND = np.dtype(
    [
        ("arrival", np.float64),  # [s]
        ("enabled", np.float64),  # [s] from when on there is torque
        ("position", np.float64),  # [rev]
        ("velocity", np.float64),  # [rev/s]
        ("feedforward", np.float64),  # [N m]
        ("kp_scale", np.float64),
        ("kd_scale", np.float64),
        ("mode", np.float64),
        ("torque_limit", np.float64),  # [N m], 0 for the drive's own
        ("watchdog", np.float64),  # [s], 0 for the drive's own, negative for none
    ]
)
"""Memory layout of a command on its way."""

_ANY = (-math.inf, math.inf)
_TURN = 2.0 * math.pi
_TAKE_OVER = 0.001  # [s] in which a new set-point takes the place of the last: a current loop's rise, and a smooth delay
_FORGET = 0.01  # [s] in which a stopped drive forgets its integral
_DEPTH = 64  # rows of the ring
_SLOTS = ("position", "velocity", "effort", "stiffness_scale", "damping_scale", "mode", "beat")  # of a joint command
_ON_THEIR_WAY = _DEPTH - 3  # commands that may be: beside them the newest that arrived, the one before it, and the next


@kernel
def _latest(memory: Any, time: float) -> int:
    """Place of the newest command that has arrived, or -1; the one before it lies one place earlier in the ring."""
    sent = int(memory.sent)
    for age in range(min(sent, _DEPTH)):
        place = (sent - 1 - age) % _DEPTH
        if memory.commands[place].arrival <= time:
            return place
    return -1


@kernel
def _set_point(memory: Any, place: int, time: float) -> float:
    """Position that is asked for now [rev]: the command's own, reached from the last one's within the take-over."""
    command = memory.commands[place]
    since = time - command.arrival
    wanted = command.position + command.velocity * since
    if since < _TAKE_OVER and memory.sent > 1.0:
        last = memory.commands[place - 1 if place > 0 else _DEPTH - 1]
        if last.mode == POSITION and last.arrival < command.arrival:
            before = last.position + last.velocity * (time - last.arrival)
            wanted = before + (wanted - before) * since / _TAKE_OVER
    return wanted


@kernel
def _control(
    drive: Any, memory: Any, time: float, x: float, v: float, speed: float, state: Any, rate: Any
) -> tuple[float, float, bool]:
    """Torque that the controller asks for [N m], its mode, and whether the windings give it whatever the limits are.

    `x` [rev] and `v` [rev/s] as the controller measures them, `speed` [rad/s] as it is, all of the motor.
    """
    integral = min(max(state.integral, -drive.integral_limit), drive.integral_limit)
    rate.integral = -state.integral / _FORGET
    place = _latest(memory, time)
    if place < 0:
        return 0.0, STOPPED, False
    command = memory.commands[place]
    mode = command.mode
    if time < command.enabled:
        return 0.0, STOPPED, False
    watchdog = drive.watchdog if command.watchdog == 0.0 else command.watchdog
    if mode in (POSITION, STAY_WITHIN) and watchdog > 0.0 and time - command.arrival > watchdog:
        mode = TIMED_OUT
    torque, of_windings = 0.0, False
    if mode == POSITION:
        error = _set_point(memory, place, time) - x
        torque = drive.kp * command.kp_scale * error + drive.kd * command.kd_scale * (command.velocity - v)
        torque += integral + command.feedforward
        rate.integral = drive.ki * error
        if abs(state.integral) >= drive.integral_limit and state.integral * error > 0.0:
            rate.integral = 0.0
    elif mode == STAY_WITHIN:
        torque = command.feedforward
        outside, bound = passed_bound(x, command.position, command.velocity)
        if outside:
            torque += drive.kp * command.kp_scale * (bound - x) - drive.kd * command.kd_scale * v + integral
            rate.integral = drive.ki * (bound - x)
            if abs(state.integral) >= drive.integral_limit and state.integral * (bound - x) > 0.0:
                rate.integral = 0.0
    elif mode == TIMED_OUT:
        if drive.timeout_mode == BRAKE:
            torque, of_windings = brake_torque(speed, drive) if drive.phase_resistance > 0.0 else 0.0, True
        elif drive.timeout_mode == ZERO_VELOCITY or (drive.timeout_mode == POSITION and command.mode != POSITION):
            torque = -drive.kd * v
        elif drive.timeout_mode == POSITION:
            torque = drive.kp * (command.position + command.velocity * watchdog - x) - drive.kd * v
    elif mode == ZERO_VELOCITY:
        torque = -drive.kd * command.kd_scale * v
    elif mode == CURRENT:
        current = command.velocity
        if drive.current_limit > 0.0:
            current = min(max(current, -drive.current_limit), drive.current_limit)
        torque = drive.torque_constant * current
    elif mode != STOPPED and mode != INDUCTANCE:
        torque, of_windings = winding_torque(command, time, _TURN * x, speed, drive), True
    if command.torque_limit > 0.0:
        torque = min(max(torque, -command.torque_limit), command.torque_limit)
    return torque, mode, of_windings


class Drive(Part):
    """Parameters of a drive; all at the motor, zero switches an effect off."""

    needs_joint = True
    motion = Motion.JOINT

    ratio = parameter(unit="1", above=0, live=False, doc="n, motor turns per output turn")
    kp = parameter(unit="N m/rev", low=0)
    ki = parameter(0.0, unit="N m/(rev s)", low=0)
    kd = parameter(0.0, unit="N m s/rev", low=0)
    integral_limit = parameter(0.0, unit="N m", low=0, doc="I_max, both ways")
    peak_torque = parameter(unit="N m", above=0)
    continuous_torque = parameter(0.0, unit="N m", low=0, doc="that the motor bears for ever; 0 for no heating")
    thermal_time = parameter(0.0, unit="s", low=0, doc="T_heat; 0 for no heating")
    fold_back = parameter(0.1, unit="1", above=0, high=1, doc="f, heat below 1 from which the torque falls to the continuous one")
    top_speed = parameter(0.0, unit="rev/s", low=0, doc="v_top, where no torque is left; 0 for none")
    knee_speed = parameter(0.0, unit="rev/s", low=0, doc="v_knee, from where torque falls")
    watchdog = parameter(0.0, unit="s", low=0, doc="time without a command after which the drive damps; 0 for never")
    delay = parameter(0.0, unit="s", low=0, high=0.03, doc="from sending a command to its effect")
    enable_time = parameter(0.0, unit="s", low=0, doc="from the first command to a stopped drive to its first torque")
    voltage = parameter(24.0, unit="V", low=0, doc="supply; that its controller reports and refuses to work beyond")
    torque_constant = parameter(0.0, unit="N m/A", low=0, doc="K, of the q current; 0 for none: no brake, no voltages")
    phase_resistance = parameter(0.0, unit="ohm", low=0, doc="R, from a phase to the centre; 0 for none: no brake, no voltages")
    phase_inductance = parameter(0.0, unit="H", low=0, doc="L, from a phase to the centre")
    pole_pairs = parameter(1.0, unit="1", above=0, doc="p, electrical turns per turn of the motor")
    current_limit = parameter(0.0, unit="A", low=0, doc="of the controller, in its mode current; 0 for none")
    timeout_mode = parameter(12.0, unit="1", low=0, high=15, doc="after the watchdog: 0 stopped, 10 hold, 12 damp, 15 brake")
    velocity_filter = parameter(0.0, unit="s", low=0, doc="T, time constant of the measured velocity")
    rotor_inertia = parameter(0.0, unit="kg m^2", low=0, doc="J, of all that turns with the motor")
    coulomb = parameter(0.0, unit="N m", low=0, doc="F_C")
    stribeck = parameter(0.0, unit="N m", low=0, doc="F_S, breakaway beyond Coulomb friction")
    stribeck_speed = parameter(0.1, unit="rev/s", above=0, doc="v_S")
    viscous = parameter(0.0, unit="N m s/rev", low=0, doc="b")
    ripple = parameter(1.0, unit="1", low=0, high=1, doc="0 switches all off that hangs on the angle: waves and tables")
    ripple_angle = parameter(0.0, unit="rev", doc="th_0, motor turns from where the ripple was measured")
    ripple1_order = parameter(0.0, unit="1/rev", low=0, doc="k_1, waves per motor turn")
    ripple1_sine = parameter(0.0, unit="N m", doc="s_1")
    ripple1_cosine = parameter(0.0, unit="N m", doc="c_1")
    ripple2_order = parameter(0.0, unit="1/rev", low=0)
    ripple2_sine = parameter(0.0, unit="N m")
    ripple2_cosine = parameter(0.0, unit="N m")
    ripple3_order = parameter(0.0, unit="1/rev", low=0)
    ripple3_sine = parameter(0.0, unit="N m")
    ripple3_cosine = parameter(0.0, unit="N m")
    ripple4_order = parameter(0.0, unit="1/rev", low=0)
    ripple4_sine = parameter(0.0, unit="N m")
    ripple4_cosine = parameter(0.0, unit="N m")
    ripple5_order = parameter(0.0, unit="1/rev", low=0)
    ripple5_sine = parameter(0.0, unit="N m")
    ripple5_cosine = parameter(0.0, unit="N m")
    ripple6_order = parameter(0.0, unit="1/rev", low=0)
    ripple6_sine = parameter(0.0, unit="N m")
    ripple6_cosine = parameter(0.0, unit="N m")
    ripple_table = option(AngleTableSpec | None, None, layout=ANGLE_TABLE, doc="R [N m], ripple beside the waves")
    coulomb_table = option(AngleTableSpec | None, None, layout=ANGLE_TABLE, doc="f [N m], what F_C has more at an angle")
    health = parameter(1.0, unit="1", low=0, high=1, doc="share of the torque that arrives; the controller reports all of it")
    gear_stiffness = parameter(0.0, unit="N m/rad", low=0, live=False, doc="at the output; 0 for a rigid gear")
    gear_damping = parameter(0.0, unit="N m s/rad", low=0, doc="at the output, of a springy gear")
    backlash = parameter(0.0, unit="rad", low=0, doc="play at the output, of a springy gear")
    position = input(range=_ANY, unit="rev", doc="of the motor; in other modes than 10 see drive_modes.py")
    velocity = input(range=_ANY, unit="rev/s", doc="of the motor; in other modes than 10 see drive_modes.py")
    feedforward = input(range=_ANY, unit="N m", doc="tau_ff; in other modes than 10 see drive_modes.py")
    kp_scale = input(range=_ANY, doc="s_p")
    kd_scale = input(range=_ANY, doc="s_d")
    mode = input(range=_ANY, doc="0 stopped, 10 position, 12 zero velocity, 13 stay within, 15 brake, 5 to 9 and 14 electrical")
    beat = input(range=_ANY, doc="changes with every command that is sent")
    command_torque_limit = input("torque_limit", range=_ANY, unit="N m", doc="of the command; 0 for the drive's own")
    command_watchdog = input("watchdog", range=_ANY, unit="s", doc="of the command; 0 for the drive's own, negative for none")
    sent = memory(doc="commands so far")
    last_beat = memory(doc="beat of the last command")
    heat = memory(doc="of the motor; hot above 1")
    commands = memory(layout=COMMAND, count=_DEPTH, doc="the last ones, in a ring")
    integral = state(unit="N m", doc="I")
    speed = state(unit="rev/s", settles=True, doc="v, of the motor, filtered")
    twist = state(unit="rad", doc="of a springy gear, at the output")
    rotor = state(unit="rad/s", doc="speed of the rotor before a springy gear")
    motor_position = output("position", unit="rev", doc="x, of the motor")
    motor_velocity = output("velocity", unit="rev/s", doc="v, of the motor, filtered")
    torque = output(unit="N m", doc="tau, of the motor")
    output_position = output(unit="rad", doc="of the output, as the motor's encoder has it")
    output_velocity = output(unit="rad/s", doc="of the output, as the motor's encoder has it")
    shown_mode = output("mode", doc="0 stopped, 10 position, 11 timed out, 12 zero velocity and on as commanded")
    shown_heat = output("heat", doc="of the motor; hot above 1")

    @classmethod
    def check(cls, spec: Any) -> None:
        """Speeds, play and stiffness agree."""
        if spec.top_speed > 0.0 and spec.knee_speed >= spec.top_speed:
            raise ValueError(f"found knee_speed {spec.knee_speed:g}, expected less than top_speed {spec.top_speed:g} rev/s")
        if spec.backlash > 0.0 and spec.gear_stiffness == 0.0:
            raise ValueError("backlash needs the key 'gear_stiffness'")
        if spec.gear_stiffness > 0.0 and spec.rotor_inertia == 0.0:
            raise ValueError("a gear with stiffness needs the key 'rotor_inertia'")

    @classmethod
    def check_tick(cls, spec: Any, period: float) -> None:
        """Commands on their way have room."""
        most = _ON_THEIR_WAY * period
        if spec.delay > most * (1.0 + 1e-9):
            raise ValueError(
                f"found delay {spec.delay:g}, expected at most {most:g} s: {_ON_THEIR_WAY} commands at one a tick of {period:g} s"
            )

    @classmethod
    def idle_states(cls, spec: Any) -> int:
        """A rigid gear needs no rotor of its own: neither `twist` nor `rotor`."""
        return 0 if spec.gear_stiffness > 0.0 else 2

    @classmethod
    def on_joint(cls, numbers: Any) -> JointLoad:
        """The inertia of a rotor behind a rigid gear, and friction, at the output."""
        n = numbers.ratio
        inertia = 0.0 if numbers.gear_stiffness > 0.0 else n * n * numbers.rotor_inertia
        return JointLoad(inertia, n * (numbers.coulomb + numbers.stribeck), n * n * numbers.viscous / _TURN)

    @classmethod
    def at_most(cls, numbers: Any) -> JointDemand:
        """The motor's peak torque and top speed, at the output."""
        top = _TURN * numbers.top_speed / numbers.ratio
        return JointDemand(numbers.ratio * numbers.peak_torque, "peak_torque", top or math.inf, "top_speed")

    @classmethod
    def actuation(cls, numbers: Any) -> JointActuation:
        """A command of position mode per beat, its own loop at the output; a springy gear counts as a rigid one."""
        n, load = numbers.ratio, cls.on_joint(numbers)
        slots = dict(zip(_SLOTS, COMMAND_INPUTS, strict=True))
        return JointActuation(
            "drive", slots, kp=n * n * numbers.kp / _TURN, kd=n * n * numbers.kd / _TURN, ratio=n, delay=numbers.delay,
            armature=n * n * numbers.rotor_inertia, friction=n * numbers.coulomb, viscous=load.damping,
        )  # fmt: skip

    @law
    def act(drive, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        n = drive.ratio
        springy = drive.gear_stiffness > 0.0
        angle, spin = n * here.joint_position, n * here.joint_velocity
        if springy:
            angle, spin = angle + n * state.twist, state.rotor
        x, speed = angle / _TURN, spin / _TURN
        v = speed
        rate.speed = 0.0
        if drive.velocity_filter > 0.0:
            v = state.speed
            rate.speed = (speed - v) / drive.velocity_filter
        torque, mode, of_windings = _control(drive, memory, here.time, x, v, spin, state, rate)
        if not of_windings:
            limit = torque_limit(speed, torque, memory.heat, drive)
            torque = min(max(torque, -limit), limit)
        given = drive.health * torque
        at_rotor = given + ripple_torque(angle, drive)
        slip = n * here.joint_velocity / _TURN / drive.stribeck_speed
        given_back = n * breakaway_excess(angle, drive) * (1.0 - math.exp(-slip * slip)) * (1.0 if slip > 0.0 else -1.0)
        driven = n * given
        if springy:
            through = mesh_torque(state.twist, spin / n - here.joint_velocity, drive)
            rate.twist = spin / n - here.joint_velocity
            rate.rotor = (at_rotor - through / n) / drive.rotor_inertia
            wrench.joint_torque = through + given_back
            driven = min(max(through, min(driven, 0.0)), max(driven, 0.0))  # what the motor backs of it; the rest is swing
        else:
            wrench.joint_torque = n * at_rotor + given_back
        wrench.joint_passive = wrench.joint_torque - driven
        output.position = x
        output.velocity = v
        output.torque = torque
        output.output_position = angle / n
        output.output_velocity = v * _TURN / n
        output.mode = mode
        output.heat = memory.heat

    @tick
    def receive(drive, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        if drive.continuous_torque > 0.0 and drive.thermal_time > 0.0:
            load = output.torque / drive.continuous_torque
            memory.heat += (load * load - memory.heat) * -math.expm1(-clock.period / drive.thermal_time)
        if inputs.beat != memory.last_beat:
            newest = memory.commands[(int(memory.sent) - 1) % _DEPTH]
            was_stopped = memory.sent == 0.0 or newest.mode == STOPPED
            command = memory.commands[int(memory.sent) % _DEPTH]
            command.arrival = clock.time + min(drive.delay, _ON_THEIR_WAY * clock.period)
            command.enabled = command.arrival + drive.enable_time if was_stopped else newest.enabled
            command.position = inputs.position
            command.velocity = inputs.velocity
            command.feedforward = inputs.feedforward
            command.kp_scale = inputs.kp_scale
            command.kd_scale = inputs.kd_scale
            command.mode = inputs.mode
            command.torque_limit = inputs.torque_limit
            command.watchdog = inputs.watchdog
            memory.sent += 1.0
            memory.last_beat = inputs.beat


COMMAND_INPUTS = tuple(item.name for item in Drive.inputs if item.name not in ("torque_limit", "watchdog"))
"""The inputs that every command sets; the other two may stay zero."""
