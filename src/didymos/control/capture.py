"""Capture: a planar free-flyer with a three-joint arm and a reaction wheel takes hold of a free target.

Each call: readings -> positions and velocities (`capture_observe`) -> stage (`capture_stages`) -> torques (`capture_act`) by the
laws of `capture_law` and the program's own model (`free_flyer`). Before the grip the end effector follows a quintic path that
ends short of the port, in the frame of the moving port, then creeps forward until it touches and pushes. After the grip the
target is part of the last link in the model, and the joints are brought to rest and, where a retreat is setpoints, back to where
they began. An arm whose encoders have to be set begins in a known posture and unfolds first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numba import carray

from didymos.compiled import c_function, kernel
from didymos.control import capture_layout as at
from didymos.control import capture_stages as st
from didymos.control.capture_act import begin_approach, send, thrust, torques
from didymos.control.capture_observe import fault, feel, has_seen, observe, wake, whereabouts
from didymos.control.controller import CompiledController, Gain, Robot
from didymos.control.program import PROGRAM_SIGNATURE
from didymos.errors import InputError, nearest

__all__ = ["Capture"]


@kernel
def _enter(stage: int, reason: int, time: float, zd: Any, gains: Any, m: Any) -> None:
    """Begin another stage."""
    m[at.SINCE] = time
    if stage in (st.UNFOLD, st.HOLD, st.RETREAT):
        for i in range(3):
            m[at.HELD + i] = whereabouts(m, 3, i)
            m[at.HELD_RATE + i] = zd[3 + i]
    if stage == st.APPROACH:
        begin_approach(m, gains)
    if st.HOLD <= stage <= st.DONE:
        m[at.HELD_TARGET] = 1.0  # and stays so through an abort
    m[at.STAGE] = stage
    if reason != 0:
        m[at.REASON] = reason


@kernel
def _grip(m: Any) -> float:
    """What is asked of the gripper: open, soft or hard."""
    if m[at.STAGE] == st.SOFT_GRIP:
        return 1.0
    return 2.0 if m[at.STAGE] == st.HARD_GRIP or m[at.HELD_TARGET] > 0.5 else 0.0


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings_at, gains_at, sensed_at, setpoints, memory_at, inputs):  # type: ignore[no-untyped-def]
    time, period = clock[0], clock[1]
    m, gains = carray(memory_at, at.MEMORY), carray(gains_at, at.GAINS)
    settings, measured = carray(settings_at, len(at.SETTINGS)), carray(sensed_at, at.READINGS)
    z, zd, tau = np.zeros(6), np.zeros(6), np.zeros(4)
    if m[at.STAGE] == st.WAITING:
        if not has_seen(measured):
            send(gains, period, tau, m, inputs)
            return
        wake(measured, gains, settings, m)
        m[at.ANGLE0] = whereabouts(m, 0, 2)
        _enter(st.UNFOLD if gains[at.G_UNFOLD] > 0.0 else st.APPROACH, 0, time, zd, gains, m)
    observe(measured, gains, time, period, m)
    feel(measured[at.READ_FORCE], gains, period, m)
    for i in range(6):
        group = 0 if i < 3 else 3
        z[i], zd[i] = whereabouts(m, group, i % 3), m[at.TRACKS + 6 * group + 2 * (i % 3) + 1]
    settled = abs(m[at.E_NORMAL]) + abs(m[at.E_ACROSS]) < gains[at.G_SETTLED] and abs(m[at.E_TURN]) < gains[at.G_SETTLED_ANGLE]
    stage, reason = st.next_stage(
        int(m[at.STAGE]), time - m[at.SINCE], fault(measured, setpoints[0], gains, settings, m), settled, m[at.TOUCHING],
        measured[at.READ_GRIPPER], gains[at.G_UNFOLD], gains[at.G_PATH], gains[at.G_DWELL], gains[at.G_HOLD], gains[at.G_RETREAT],
        gains[at.G_PATIENCE],
    )  # fmt: skip
    if stage != m[at.STAGE]:
        _enter(stage, reason, time, zd, gains, m)
    torques(gains, settings, m, time - m[at.SINCE], z, zd, tau)
    send(gains, period, tau, m, inputs)
    inputs[4] = _grip(m)
    thrust(gains, m, inputs)


class Capture(CompiledController):
    """Impedance control and stages of a capture by a planar free-flyer; `robot` holds the parameters of its model."""

    program: ClassVar = _program
    setpoints = ("abort",)
    memory_size = at.MEMORY
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
    window = Gain(1.0, low=1, high=at.WINDOW, unit="1", path="force.window", doc="readings in the moving average of the force")
    base = Gain(2.0, low=0, high=30, unit="rad/s", path="base.frequency")
    base_damping = Gain(1.0, low=0, high=5, unit="1", path="base.damping", doc="ratio")
    joints = Gain(2.0, low=0, high=30, unit="rad/s", path="joints.frequency", doc="after the grip")
    brake = Gain(10.0, low=0, high=40, unit="1/s", path="joints.brake", doc="how fast base and joints lose speed after an abort")
    track_base = Gain(20.0, low=0.1, high=200, unit="rad/s", path="filter.base", doc="bandwidth of base and end effector")
    track_joints = Gain(40.0, low=0.1, high=200, unit="rad/s", path="filter.joints")
    track_port = Gain(20.0, low=0.1, high=200, unit="rad/s", path="filter.port")
    rotor = Gain(0.0, low=0, high=10, unit="kg m^2", path="model.rotor", doc="inertia of a rotor seen at its joint")
    limit = Gain(10.0, low=0, high=1000, unit="N m", path="torque.limit")
    slew = Gain(0.0, low=0, high=1e6, unit="N m/s", path="torque.slew", doc="largest slope, so that no driver trips; 0: none")
    watch = Gain(0.2, low=0, high=100, unit="s", path="watch.mocap", doc="motion capture is lost when it stands still so long")
    singular = Gain(0.1, low=0, high=1, unit="1", path="watch.elbow", doc="least sine of the elbow's angle")
    travel = Gain(0.02, low=0, high=1, unit="rad", path="watch.travel", doc="how near a joint may come to its end; 0: no watch")
    thrust_kp = Gain(0.0, low=0, high=100, unit="N/m", path="thrust.kp", doc="brings the base back where it began; 0: no thrust")
    thrust_kd = Gain(0.0, low=0, high=100, unit="N s/m", path="thrust.kd")
    thrust = Gain(1.0, low=1e-6, high=100, unit="N", path="thrust.full", doc="of one open nozzle")
    unfold = Gain(0.0, low=0, high=1000, unit="s", path="unfold.seconds", doc="to where the approach begins; 0: it is there")
    homed = Gain(0.0, low=0, high=1, unit="1", path="unfold.set_encoders", doc="1: the arm begins in the known posture")
    pd = Gain(0.0, low=0, high=1, unit="1", path="pd.use", doc="1: the fallback instead of the impedance")
    pd_base = Gain(0.5, low=0, high=1000, unit="N m/rad", path="pd.base", doc="k_b, the original's")
    pd_x = Gain(2.0, low=0, high=1000, unit="N/m", path="pd.x", doc="K, the original's, as the next three")
    pd_y = Gain(2.5, low=0, high=1000, unit="N/m", path="pd.y")
    pd_cross = Gain(0.5, low=0, high=1000, unit="N/m", path="pd.cross")
    pd_turn = Gain(1.5, low=0, high=1000, unit="N m/rad", path="pd.turn")
    pd_base_damping = Gain(1.0, low=0, high=1000, unit="N m s/rad", path="pd.base_damping", doc="d_b, near critical; original 20")
    pd_damping = Gain(3.5, low=0, high=1000, unit="N s/m", path="pd.damping", doc="D, near critical; the original's is 0.05")
    pd_turn_damping = Gain(0.5, low=0, high=1000, unit="N m s/rad", path="pd.turn_damping")

    def __init__(self, robot: Mapping[str, float]) -> None:
        unknown = [name for name in robot if name not in at.SETTINGS]
        if unknown:
            raise InputError(f"the model has no {unknown[0]!r}{nearest(unknown[0], at.SETTINGS)}", path="control.options.robot")
        missing = [name for name in at.SETTINGS if name not in robot]
        if missing:
            raise InputError(f"the model needs {missing[0]!r}", path="control.options.robot")
        self.settings = np.array([float(robot[name]) for name in at.SETTINGS])

    def start(self, robot: Robot) -> None:
        """Name the readings and inputs."""
        poses = [f"{name}.{what}" for name in at.POSES
                 for what in ("position.x", "position.y", "orientation.w", "orientation.z")]  # fmt: skip
        self.reads = (
            *poses,
            *(f"encoders.{joint}.position" for joint in at.JOINTS),
            "wrench.force.x",
            "status.gripper.stage",
            *(f"status.{drive}.tripped" for drive in ("wheel", *at.JOINTS)),
            "status.wheel.saturated",
            *(f"{name}.stamp" for name in (*at.POSES, "encoders")),
        )
        self.writes = ("wheel", *at.JOINTS, "gripper", "thruster_a", "thruster_b", "thruster_c")
