"""Capture: a planar free-flyer with a three-joint arm and a reaction wheel takes hold of a free target.

Each call: readings -> positions and velocities -> stage (`capture_stages`) -> wanted accelerations (`capture_law`) -> torques by
the program's own model (`free_flyer`). Before the grip the end effector follows a quintic path that ends short of the port, in
the frame of the moving port, then creeps forward until it touches and pushes. After the grip the target is part of the last
link in the model, and the joints are brought to rest and, where a retreat is wanted, back to where they began.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numba import carray

from didymos.compiled import c_function, kernel
from didymos.control import capture_stages as st
from didymos.control.capture_law import average, blend, quintic, track, wrap
from didymos.control.controller import CompiledController, Gain, Robot
from didymos.control.free_flyer import FREE_FLYER, carry, free_flyer, inverse_dynamics
from didymos.control.program import PROGRAM_SIGNATURE
from didymos.errors import InputError, nearest

__all__ = ["Capture"]

_TARGET = ("mt", "it", "dt")  # mass, inertia, distance from its port to its centre
_WINDOW = 64  # longest of the force's moving average
_CHANNELS = 12  # base, end effector, port: x, y, angle; three joints

# gains, in the order in which the class lists them
(
    G_PATH, G_CLEARANCE, G_CREEP, G_OVERRUN, G_DWELL, G_HOLD, G_RETREAT, G_PATIENCE, G_SETTLED, G_SETTLED_ANGLE,
    G_MASS, G_NORMAL, G_ACROSS, G_TURN, G_CONTACT_DAMPING, G_FORCE, G_DEAD_BAND, G_FULL, G_WINDOW, G_BASE, G_BASE_DAMPING,
    G_JOINTS, G_BRAKE, G_TRACK_BASE, G_TRACK_JOINTS, G_TRACK_PORT, G_ROTOR, G_LIMIT, G_SLEW, G_WATCH, G_SINGULAR, G_THRUST_KP,
    G_THRUST_KD, G_THRUST,
) = range(34)  # fmt: skip

# memory: first what is reported
(
    STAGE, REASON, FORCE, BLEND, E_NORMAL, E_ACROSS, E_TURN, E_BASE, TOUCHING, SINCE, COUNT, TARE, ANGLE0, STILL, BASE_X, BASE_Y,
) = range(16)  # fmt: skip
OFFSET, TRACKS, LAST, RING, HELD, HELD_RATE, START, TORQUE = 16, 20, 44, 56, 120, 124, 128, 132
MEMORY = 140
_TARE_TIME = 1.0  # [s], at the start, when nothing touches


@kernel
def _observe(sensed: Any, gains: Any, period: float, first: bool, m: Any) -> None:
    """Readings into positions and velocities."""
    for group in range(4):
        is_new = first
        for i in range(3):
            place = 3 * group + i
            reading = sensed[12 + i] if group == 3 else sensed[4 * group + i]
            if i == 2 and group < 3:
                reading = 2.0 * math.atan2(sensed[4 * group + 3], sensed[4 * group + 2])
            if reading != m[LAST + place]:
                is_new = True
            m[LAST + place] = reading
        bandwidth = gains[G_TRACK_JOINTS] if group == 3 else (gains[G_TRACK_PORT] if group == 2 else gains[G_TRACK_BASE])
        for i in range(3):
            place = 3 * group + i
            state = m[TRACKS + 2 * place : TRACKS + 2 * place + 2]
            if first:
                state[0], state[1] = m[LAST + place], 0.0
            else:
                track(state, m[LAST + place], i == 2 and group < 3, is_new, bandwidth, period)
        if group == 0:
            m[STILL] = 0.0 if is_new else m[STILL] + period


@kernel
def _feel(push: float, gains: Any, time: float, period: float, m: Any) -> None:
    """The force on the target [N], tared and averaged, and the weight of contact."""
    count = int(m[COUNT])
    m[COUNT] = count + 1
    if time < _TARE_TIME:
        m[TARE] += (push - m[TARE]) / (count + 1)
        return
    window = min(max(int(gains[G_WINDOW]), 1), _WINDOW)
    m[FORCE] = average(m[RING : RING + window], count, window, push - m[TARE])
    goal = blend(m[FORCE], gains[G_DEAD_BAND], gains[G_FULL])
    if not (st.CONTACT <= m[STAGE] <= st.HARD_GRIP):
        goal = 0.0
    # rises at once and fades slowly: a touch that is lost for a moment is pushed back into contact
    m[BLEND] = max(goal, m[BLEND] * math.exp(-period / 0.5))
    m[TOUCHING] = m[TOUCHING] + period if m[BLEND] > 0.3 else 0.0


@kernel
def _fault(sensed: Any, asked: float, gains: Any, par: Any, m: Any) -> int:
    """What forbids to go on, or 0."""
    found = 0
    elbow = m[TRACKS + 20]
    if abs(math.sin(elbow)) < gains[G_SINGULAR] and m[STAGE] <= st.HARD_GRIP:
        found = st.SINGULAR
    if m[STAGE] == st.APPROACH:
        base, port = m[TRACKS : TRACKS + 6 : 2], m[TRACKS + 12 : TRACKS + 18 : 2]
        c, s = math.cos(base[2]), math.sin(base[2])
        x = port[0] - (par[14] + par[15]) * math.cos(port[2]) - base[0] - c * par[2] + s * par[3]
        y = port[1] - (par[14] + par[15]) * math.sin(port[2]) - base[1] - s * par[2] - c * par[3]
        if x * x + y * y > (par[6] + par[7] + par[10] + par[11]) ** 2:
            found = st.REACH
    if gains[G_WATCH] > 0.0 and m[STILL] > gains[G_WATCH]:
        found = st.MOCAP
    if sensed[21] > 0.5:
        found = st.WHEEL
    for i in range(4):
        if sensed[17 + i] > 0.5:
            found = st.DRIVE
    if asked > 0.5:
        found = st.OPERATOR
    return found


@kernel
def _begin(m: Any, gains: Any) -> None:
    """What is latched at the first call."""
    m[ANGLE0] = m[TRACKS + 4]
    m[BASE_X], m[BASE_Y] = m[TRACKS], m[TRACKS + 2]
    port = m[TRACKS + 16]
    m[OFFSET] = m[TRACKS + 6] - m[TRACKS + 12] + gains[G_CLEARANCE] * math.cos(port)
    m[OFFSET + 1] = m[TRACKS + 8] - m[TRACKS + 14] + gains[G_CLEARANCE] * math.sin(port)
    m[OFFSET + 2] = wrap(m[TRACKS + 10] - port)
    for i in range(3):
        m[START + i] = m[TRACKS + 18 + 2 * i]


@kernel
def _reference(m: Any, gains: Any, since: float, ref: Any, rate: Any, second: Any) -> None:
    """Wanted pose of the end effector, its rate and acceleration, [3] each."""
    for i in range(3):
        ref[i], rate[i], second[i] = m[TRACKS + 12 + 2 * i], m[TRACKS + 13 + 2 * i], 0.0
    ahead, speed = 0.0, 0.0
    if m[STAGE] == st.APPROACH:
        way, first, then = quintic(since, gains[G_PATH])
        for i in range(3):
            ref[i] += (1.0 - way) * m[OFFSET + i]
            rate[i] -= first * m[OFFSET + i]
            second[i] = -then * m[OFFSET + i]
        ahead = -gains[G_CLEARANCE]
    elif m[STAGE] == st.CONTACT:
        ahead = gains[G_CREEP] * since - gains[G_CLEARANCE]
        speed = (1.0 - m[BLEND]) * gains[G_CREEP]
        if ahead > gains[G_OVERRUN]:
            ahead, speed = gains[G_OVERRUN], 0.0
    c, s = math.cos(m[TRACKS + 16]), math.sin(m[TRACKS + 16])
    turn = m[TRACKS + 17]
    ref[0] += ahead * c
    ref[1] += ahead * s
    rate[0] += speed * c - ahead * turn * s
    rate[1] += speed * s + ahead * turn * c


@kernel
def _impedance(m: Any, gains: Any, since: float, target_mass: float, je: Any, zd: Any, u: Any, push: Any) -> None:
    """Wanted accelerations of the end effector [3], world, and the force that it exerts on the target."""
    ref, rate, second = np.zeros(3), np.zeros(3), np.zeros(3)
    _reference(m, gains, since, ref, rate, second)
    c, s = math.cos(m[TRACKS + 10]), math.sin(m[TRACKS + 10])
    ex, ey = m[TRACKS + 6] - ref[0], m[TRACKS + 8] - ref[1]
    velocity = je @ zd
    vx, vy = velocity[0] - rate[0], velocity[1] - rate[1]
    normal, across, turn = c * ex + s * ey, c * ey - s * ex, wrap(m[TRACKS + 10] - ref[2])
    m[E_NORMAL], m[E_ACROSS], m[E_TURN] = normal, across, turn
    v_normal, v_across, v_turn = c * vx + s * vy, c * vy - s * vx, velocity[2] - rate[2]
    mass, w = gains[G_MASS], m[BLEND]
    demanded = gains[G_FORCE]
    if m[STAGE] == st.HARD_GRIP:
        demanded = 0.0  # the soft stage holds the target already
    free = gains[G_NORMAL]
    damping = (1.0 - w) * 2.0 * free * mass + w * gains[G_CONTACT_DAMPING]
    force = w * (demanded * (1.0 + mass / target_mass) - m[FORCE])
    a_normal = (force - damping * v_normal) / mass - (1.0 - w) * free * free * normal
    a_across = -2.0 * gains[G_ACROSS] * v_across - gains[G_ACROSS] ** 2 * across
    u[0] = second[0] + c * a_normal - s * a_across
    u[1] = second[1] + s * a_normal + c * a_across
    u[2] = second[2] - 2.0 * gains[G_TURN] * v_turn - gains[G_TURN] ** 2 * turn
    push[0], push[1], push[2] = w * m[FORCE] * c, w * m[FORCE] * s, 0.0


@kernel
def _joints(m: Any, gains: Any, since: float, zd: Any, u: Any) -> None:
    """Wanted accelerations of the joints [3]: come smoothly to rest, then, in retreat, go back to the start."""
    omega = gains[G_JOINTS]
    for i in range(3):
        q, qd = m[TRACKS + 18 + 2 * i], zd[3 + i]
        ref, rate, second = m[HELD + i], 0.0, 0.0
        if m[STAGE] == st.HOLD:
            fade = math.exp(-since)
            ref += m[HELD_RATE + i] * (1.0 - fade)
            rate = m[HELD_RATE + i] * fade
            second = -rate
        else:
            way, first, then = quintic(since if m[STAGE] == st.RETREAT else gains[G_RETREAT], gains[G_RETREAT])
            gap = wrap(m[START + i] - ref)
            ref, rate, second = ref + way * gap, first * gap, then * gap
        u[i] = second - 2.0 * omega * (qd - rate) - omega * omega * wrap(q - ref)


@kernel
def _enter(stage: int, reason: int, time: float, zd: Any, m: Any) -> None:
    """Begin another stage."""
    m[SINCE] = time
    if stage in (st.HOLD, st.RETREAT):
        for i in range(3):
            m[HELD + i] = m[TRACKS + 18 + 2 * i]
            m[HELD_RATE + i] = zd[3 + i]
    m[STAGE] = stage
    if reason != 0:
        m[REASON] = reason


@kernel
def _torques(gains: Any, settings: Any, m: Any, since: float, z: Any, zd: Any, tau: Any) -> None:
    """Torques [4] on base and joints of the present stage."""
    par = np.empty(16)
    par[:] = settings[:16]
    if m[STAGE] >= st.HOLD:
        carry(settings[:16], settings[16], settings[17], settings[18], par)
    h, c, je, bias, xe = np.zeros((6, 6)), np.zeros(6), np.zeros((3, 6)), np.zeros(3), np.zeros(3)
    free_flyer(par, z, zd, h, c, je, bias, xe)
    for i in range(3):
        h[3 + i, 3 + i] += gains[G_ROTOR]
    rows, wanted, push, u = np.zeros((4, 6)), np.zeros(4), np.zeros(3), np.zeros(3)
    m[E_BASE] = wrap(z[2] - m[ANGLE0])
    rows[0, 2] = 1.0
    wanted[0] = -2.0 * gains[G_BASE_DAMPING] * gains[G_BASE] * zd[2] - gains[G_BASE] ** 2 * m[E_BASE]
    if m[STAGE] < st.HOLD:
        _impedance(m, gains, since, settings[16], je, zd, u, push)
        rows[1:, :] = je
        for i in range(3):
            wanted[1 + i] = u[i] - bias[i]
    else:
        _joints(m, gains, since, zd, u)
        for i in range(3):
            rows[1 + i, 3 + i] = 1.0
            wanted[1 + i] = u[i]
    if m[STAGE] == st.ABORTED or not inverse_dynamics(h, c, rows, wanted, je, push, tau):
        tau[0] = 0.0 if m[STILL] > 0.05 else -gains[G_BRAKE] * zd[2]  # not on a guess while motion capture is lost
        for i in range(3):
            tau[1 + i] = -gains[G_BRAKE] * zd[3 + i]


@kernel
def _send(gains: Any, period: float, tau: Any, m: Any, inputs: Any) -> None:
    """Limits of torque and of its slope; never exactly zero, at which the drivers fault."""
    for i in range(4):
        value = tau[i]
        if gains[G_SLEW] > 0.0:
            step = gains[G_SLEW] * period
            value = min(max(value, m[TORQUE + i] - step), m[TORQUE + i] + step)
        value = min(max(value, -gains[G_LIMIT]), gains[G_LIMIT])
        if value == 0.0:
            value = -1e-5 if m[TORQUE + i] < 0.0 else 1e-5
        m[TORQUE + i] = value
        inputs[i] = value


@kernel
def _thrust(gains: Any, m: Any, inputs: Any) -> None:
    """Duties of three thruster pairs, tangential at 120 deg, that bring the base back to where it began; none without gains."""
    fx = gains[G_THRUST_KP] * (m[BASE_X] - m[TRACKS]) - gains[G_THRUST_KD] * m[TRACKS + 1]
    fy = gains[G_THRUST_KP] * (m[BASE_Y] - m[TRACKS + 2]) - gains[G_THRUST_KD] * m[TRACKS + 3]
    for i in range(3):
        along = m[TRACKS + 4] + 0.5 * math.pi + (0.0, 2.0 * math.pi / 3.0, -2.0 * math.pi / 3.0)[i]
        inputs[5 + i] = 2.0 / 3.0 * (math.cos(along) * fx + math.sin(along) * fy) / gains[G_THRUST]


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings_at, gains_at, sensed, wanted, memory_at, inputs):  # type: ignore[no-untyped-def]
    time, period, first = clock[0], clock[1], clock[2] > 0.5
    m, gains, settings = carray(memory_at, MEMORY), carray(gains_at, 34), carray(settings_at, 19)
    _observe(sensed, gains, period, first, m)
    if first:
        _begin(m, gains)
    _feel(sensed[15], gains, time, period, m)
    z, zd, tau = np.empty(6), np.empty(6), np.zeros(4)
    for i in range(6):
        place = TRACKS + 2 * i + (12 if i >= 3 else 0)
        z[i], zd[i] = m[place], m[place + 1]
    since = time - m[SINCE]
    settled = abs(m[E_NORMAL]) + abs(m[E_ACROSS]) < gains[G_SETTLED] and abs(m[E_TURN]) < gains[G_SETTLED_ANGLE]
    stage, reason = st.next_stage(
        int(m[STAGE]), since, _fault(sensed, wanted[0], gains, settings, m), settled, m[TOUCHING], sensed[16], gains[G_PATH],
        gains[G_DWELL], gains[G_HOLD], gains[G_RETREAT], gains[G_PATIENCE],
    )  # fmt: skip
    if stage != m[STAGE]:
        held = m[STAGE] >= st.HOLD
        _enter(stage, reason, time, zd, m)
        m[HELD + 3] = 1.0 if held and stage == st.ABORTED else 0.0
        since = 0.0
    _torques(gains, settings, m, since, z, zd, tau)
    _send(gains, period, tau, m, inputs)
    inputs[4] = 0.0
    if stage == st.SOFT_GRIP:
        inputs[4] = 1.0
    elif st.HARD_GRIP <= stage <= st.DONE or m[HELD + 3] > 0.5:
        inputs[4] = 2.0
    _thrust(gains, m, inputs)


class Capture(CompiledController):
    """Impedance control and stages of a capture by a planar free-flyer; `robot` holds the parameters of its model."""

    program: ClassVar = _program
    wants = ("abort",)
    memory_size = MEMORY
    reports = (
        ("stage", "1"), ("reason", "1"), ("force", "N"), ("blend", "1"), ("error.normal", "m"), ("error.across", "m"),
        ("error.turn", "rad"), ("error.base", "rad"), ("touching", "s"),
    )  # fmt: skip
    words: ClassVar = {"stage": st.STAGES, "reason": st.REASONS}

    path = Gain(50.0, low=0.1, high=1000, unit="s", path="path.seconds", doc="duration of the approach")
    clearance = Gain(0.002, low=0, high=0.1, unit="m", path="path.clearance", doc="the approach ends so far before the port")
    creep = Gain(0.0005, low=0, high=0.1, unit="m/s", path="contact.creep", doc="speed at which it goes on to touch")
    overrun = Gain(0.01, low=0, high=0.1, unit="m", path="contact.overrun", doc="how far beyond the port it looks for contact")
    dwell = Gain(1.0, low=0, high=1000, unit="s", path="contact.dwell", doc="unbroken contact before the grip")
    hold = Gain(5.0, low=0, high=1000, unit="s", path="hold.seconds")
    retreat = Gain(0.0, low=0, high=1000, unit="s", path="retreat.seconds", doc="0 for none")
    patience = Gain(20.0, low=0, high=1000, unit="s", path="patience", doc="before a stage gives up")
    settled = Gain(0.002, low=0, unit="m", path="settled.distance")
    settled_angle = Gain(0.02, low=0, unit="rad", path="settled.angle")
    mass = Gain(3.0, low=0.01, high=100, unit="kg", path="impedance.mass", doc="m, of the end effector as it shall feel")
    normal = Gain(2.0, low=0, high=30, unit="rad/s", path="impedance.normal", doc="frequency along the end effector; critical")
    across = Gain(2.0, low=0, high=30, unit="rad/s", path="impedance.across")
    turn = Gain(2.0, low=0, high=30, unit="rad/s", path="impedance.turn")
    contact_damping = Gain(6.0, low=0, high=100, unit="N s/m", path="contact.damping", doc="b along the normal in contact")
    force = Gain(0.03, low=0, high=10, unit="N", path="contact.force", doc="f_d, demanded on the target")
    dead_band = Gain(0.003, low=0, high=10, unit="N", path="contact.dead_band", doc="a smaller force is no contact")
    full = Gain(0.01, low=0, high=10, unit="N", path="contact.full", doc="a larger force is nothing but contact")
    window = Gain(1.0, low=1, high=_WINDOW, unit="1", path="force.window", doc="readings in the moving average of the force")
    base = Gain(2.0, low=0, high=30, unit="rad/s", path="base.frequency")
    base_damping = Gain(1.0, low=0, high=5, unit="1", path="base.damping", doc="ratio")
    joints = Gain(2.0, low=0, high=30, unit="rad/s", path="joints.frequency", doc="after the grip")
    brake = Gain(0.2, low=0, high=10, unit="N m s/rad", path="joints.brake", doc="after an abort")
    track_base = Gain(20.0, low=0.1, high=200, unit="rad/s", path="filter.base", doc="bandwidth of base and end effector")
    track_joints = Gain(40.0, low=0.1, high=200, unit="rad/s", path="filter.joints")
    track_port = Gain(20.0, low=0.1, high=200, unit="rad/s", path="filter.port")
    rotor = Gain(0.0, low=0, high=10, unit="kg m^2", path="model.rotor", doc="inertia of a rotor seen at its joint")
    limit = Gain(10.0, low=0, high=1000, unit="N m", path="torque.limit")
    slew = Gain(0.0, low=0, high=1e6, unit="N m/s", path="torque.slew", doc="largest slope, so that no driver trips; 0: none")
    watch = Gain(0.2, low=0, high=100, unit="s", path="watch.mocap", doc="motion capture is lost when it stands still so long")
    singular = Gain(0.1, low=0, high=1, unit="1", path="watch.elbow", doc="least sine of the elbow's angle")
    thrust_kp = Gain(0.0, low=0, high=100, unit="N/m", path="thrust.kp", doc="brings the base back where it began; 0: no thrust")
    thrust_kd = Gain(0.0, low=0, high=100, unit="N s/m", path="thrust.kd")
    thrust = Gain(1.0, low=1e-6, high=100, unit="N", path="thrust.full", doc="of one open nozzle")

    def __init__(self, robot: Mapping[str, float]) -> None:
        names = (*FREE_FLYER, *_TARGET)
        unknown = [name for name in robot if name not in names and name != "gap"]
        if unknown:
            raise InputError(f"the model has no {unknown[0]!r}{nearest(unknown[0], names)}", path="control.options.robot")
        missing = [name for name in names if name not in robot]
        if missing:
            raise InputError(f"the model needs {missing[0]!r}", path="control.options.robot")
        self.settings = np.array([float(robot[name]) for name in names])

    def start(self, robot: Robot) -> None:
        """Name the readings and inputs."""
        poses = [f"{name}.{what}" for name in ("base", "tool", "port")
                 for what in ("position.x", "position.y", "orientation.w", "orientation.z")]  # fmt: skip
        self.reads = (
            *poses,
            *(f"encoders.{joint}.position" for joint in ("shoulder", "elbow", "wrist")),
            "wrench.force.x",
            "status.gripper.stage",
            *(f"status.{drive}.tripped" for drive in ("wheel", "shoulder", "elbow", "wrist")),
            "status.wheel.saturated",
        )
        self.writes = ("wheel", "shoulder", "elbow", "wrist", "gripper", "thruster_a", "thruster_b", "thruster_c")
