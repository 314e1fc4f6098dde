"""Capture: a planar free-flyer with a three-joint arm and a reaction wheel takes hold of a free target.

Each call: readings -> positions and velocities (`capture_observe`) -> stage (`capture_stages`) -> references (`capture_path`) ->
torques (`capture_act`) by the laws of `capture_law` and the program's own model (`free_flyer`). Before the grip the end effector
follows a quintic path that ends short of the port, in the frame of the moving port, then creeps forward until it touches and
pushes. After the grip the target is part of the last link in the model, and the joints are brought to rest and, where a retreat
is asked for, back to where they began. An arm whose encoders have to be set begins in a known posture and unfolds first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.contract import command, measurement, memory, report, setpoint, setting
from didymos.control import capture_layout as layout
from didymos.control import capture_stages as st
from didymos.control.capture_act import send, thrust, torques
from didymos.control.capture_gains import CaptureGains
from didymos.control.capture_observe import fault, feel, has_seen, now, observe, wake
from didymos.control.capture_path import begin_approach
from didymos.control.compiled_controller import program
from didymos.control.controller import Robot
from didymos.control.free_flyer import FREE_FLYER, LOAD, carrying
from didymos.errors import InputError, nearest

__all__ = ["Capture"]


@kernel
def _enter(stage: int, reason: int, time: float, gains: Any, memory: Any) -> None:
    """Begin another stage."""
    memory.stage_start.time = time
    if stage in (st.UNFOLD, st.HOLD, st.RETREAT):
        for i in range(3):
            memory.stage_start.joints[i] = now(memory.estimate.joints, i)
            memory.stage_start.joint_rates[i] = memory.estimate.joints.velocity[i]
    if stage == st.APPROACH:
        begin_approach(memory, gains)
    if st.HOLD <= stage <= st.DONE:
        memory.holds_target = 1.0  # and stays so through an abort
    memory.stage = stage
    if reason != 0:
        memory.reason = reason


@kernel
def _has_settled(memory: Any, gains: Any) -> bool:
    """Whether the end effector is where the approach ends."""
    distance = abs(memory.error_normal) + abs(memory.error_across)
    return distance < gains.settled_distance and abs(memory.error_turn) < gains.settled_angle


@kernel
def _grip(memory: Any) -> float:
    """What is asked of the gripper: open, soft or hard."""
    if memory.stage == st.SOFT_GRIP:
        return 1.0
    return 2.0 if memory.stage == st.HARD_GRIP or memory.holds_target > 0.5 else 0.0


class Capture(CaptureGains):
    """Impedance control and stages of a capture by a planar free-flyer; `robot` holds the parameters of its model."""

    abort = setpoint(doc="1: give up, at once and for good")
    base = measurement(layout=layout.POSE)
    tool = measurement(layout=layout.POSE, doc="the end effector")
    port = measurement(layout=layout.POSE, doc="where the target is to be taken hold of")
    encoders = measurement(layout=layout.ENCODERS)
    pushed = measurement("force", unit="N", doc="along the end effector")
    pushed_at = measurement("force_stamp", unit="s")
    gripper_stage = measurement(doc="1: soft grip finished, 2: hard grip finished")
    tripped = measurement(columns=("wheel", *layout.JOINTS))
    saturated = measurement(doc="1: the wheel takes no more")
    robot = setting(layout=FREE_FLYER)
    loaded = setting(layout=FREE_FLYER, doc="the robot with the target in its grip")
    target = setting(layout=LOAD)
    joints = setting(layout=layout.JOINT, count=3)
    stage = report(labels=st.STAGES)
    reason = report(labels=st.REASONS)
    force = report(unit="N")
    blend = report(doc="weight of contact")
    error_normal = report("error.normal", unit="m")
    error_across = report("error.across", unit="m")
    error_turn = report("error.turn", unit="rad")
    error_base = report("error.base", unit="rad")
    touching = report(unit="s", doc="without a break")
    estimate = memory(layout=layout.ESTIMATE)
    encoder_zero = memory(count=3, unit="rad", doc="what is added to the counts of the encoders")
    pose_age = memory(unit="s", doc="of the oldest pose")
    force_filter = memory(layout=layout.FORCE_FILTER)
    base_angle = memory(unit="rad", doc="to be held")
    stage_start = memory(layout=layout.STAGE_START)
    approach_start = memory(layout=layout.APPROACH_START)
    holds_target = memory()
    sent_torque = memory(count=4, unit="N m")
    torque = command(count=4, unit="N m", doc="of wheel, shoulder, elbow, wrist")
    gripper = command(doc="0 open, 1 soft, 2 hard")
    thrust = command(count=3, doc="duties")

    @program
    def step(clock: Any, settings: Any, gains: Any, measured: Any, setpoints: Any, memory: Any, inputs: Any) -> None:
        tau = np.zeros(4)
        if memory.stage == st.WAITING:
            if not has_seen(measured):
                send(gains, clock.period, tau, memory, inputs)
                return
            wake(measured, gains, settings, memory)
            memory.base_angle = now(memory.estimate.base, 2)
            _enter(st.UNFOLD if gains.unfold_seconds > 0.0 else st.APPROACH, 0, clock.time, gains, memory)
        observe(measured, gains, clock.time, memory)
        feel(measured.force, measured.force_stamp, gains, clock.period, memory)
        watched = fault(measured, setpoints.abort, gains, settings, memory)
        since, settled = clock.time - memory.stage_start.time, _has_settled(memory, gains)
        stage, reason = st.next_stage(int(memory.stage), since, watched, settled, memory.touching, measured.gripper_stage, gains)
        if stage != memory.stage:
            _enter(stage, reason, clock.time, gains, memory)
        torques(settings, gains, memory, clock.time - memory.stage_start.time, tau)
        send(gains, clock.period, tau, memory, inputs)
        inputs.gripper = _grip(memory)
        thrust(gains, memory, inputs)

    def __init__(self, robot: Mapping[str, float]) -> None:
        unknown = [name for name in robot if name not in layout.MODEL]
        if unknown:
            raise InputError(f"the model has no {unknown[0]!r}{nearest(unknown[0], layout.MODEL)}", path="control.options.robot")
        missing = [name for name in layout.MODEL if name not in robot]
        if missing:
            raise InputError(f"the model needs {missing[0]!r}", path="control.options.robot")
        for name, (*groups, field) in layout.MODEL.items():
            record: Any = self.settings
            for group in groups:
                record = record[group]
            record[field] = float(robot[name])
        self.settings["loaded"] = carrying(self.settings["robot"], self.settings["target"])

    def start(self, robot: Robot) -> None:
        """Name the readings and inputs."""
        reads: dict[str, list[str]] = {}
        for name in layout.POSES:
            reads[f"{name}.position"] = [f"{name}.position.x", f"{name}.position.y"]
            reads |= {f"{name}.orientation_{part}": [f"{name}.orientation.{part}"] for part in "wz"}
            reads[f"{name}.stamp"] = [f"{name}.stamp"]
        self.reads = reads | {
            "encoders.position": [f"encoders.{joint}.position" for joint in layout.JOINTS],
            "encoders.stamp": ["encoders.stamp"],
            "force": ["wrench.force.x"],
            "force_stamp": ["wrench.stamp"],
            "gripper_stage": ["status.gripper.stage"],
            "tripped": [f"status.{drive}.tripped" for drive in ("wheel", *layout.JOINTS)],
            "saturated": ["status.wheel.saturated"],
        }
        self.writes = {
            "torque": ["wheel", *layout.JOINTS],
            "gripper": ["gripper"],
            "thrust": ["thruster_a", "thruster_b", "thruster_c"],
        }
