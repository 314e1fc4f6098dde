"""Servicing: a free-flyer with reaction wheels, thrusters and an arm of seven joints catches a satellite that tumbles.

Each call: readings -> the robot's own state and the client's (`servicing_observe`) -> stage (`servicing_stages`,
`servicing_course`) -> where to go and when (`servicing_plan`) -> references (`servicing_path`) -> accelerations, efforts,
torques and pulses (`servicing_act`, `free_base`, `servicing_thrust`). The base goes to where the handle will come by, and
waits; the arm follows the handle, closes in and takes it; then the client is braked, and the base turns back to the attitude of
its set-points. Of the client it knows mass, inertia and where its handle is, and sees the handle's pose from the base; of
itself it knows what its description says (`robot.model`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from didymos.contract import command, measurement, memory, report, setpoint, setting
from didymos.control import servicing_layout as layout
from didymos.control import servicing_stages as st
from didymos.control.compiled_controller import program
from didymos.control.controller import Robot
from didymos.control.servicing_act import act
from didymos.control.servicing_course import enter, fault, is_there, wake
from didymos.control.servicing_gains import ServicingGains
from didymos.control.servicing_observe import is_seen, see, spin
from didymos.control.servicing_options import ServicingOptions, actuator_of, fill_settings
from didymos.control.servicing_plan import is_near, make_plan
from didymos.model import MODEL, READING, read

__all__ = ["Servicing"]


class Servicing(ServicingGains):
    """Catches a tumbling client with an arm on a free-flying base."""

    abort = setpoint(doc="1: give up, at once and for good")
    roll = setpoint(unit="rad", doc="of the base, at the end")
    pitch = setpoint(unit="rad")
    yaw = setpoint(unit="rad")
    state = measurement(layout=READING)
    state_at = measurement(unit="s", doc="when the base's pose was taken")
    target = measurement(layout=layout.TARGET)
    gripper_stage = measurement(doc="1: closed softly, 2: closed hard")
    gas = measurement(count=layout.MOST_THRUSTERS, unit="kg")
    gas_at = measurement(unit="s")
    model = setting(layout=MODEL)
    loaded = setting(layout=MODEL, doc="the robot with the client in its grip")
    mass = setting(doc="[kg] of the robot")
    tool = setting(doc="its frame")
    known = setting("client", layout=layout.CLIENT)
    thrusters = setting(layout=layout.THRUSTERS)
    rotors = setting(layout=layout.ROTOR, count=layout.WHEELS)
    wheels = setting(count=layout.WHEELS, doc="where they are in v")
    floating = setting(count=6 + layout.WHEELS, doc="where in v the base and the wheels are")
    sliding = setting(count=3 + layout.WHEELS, doc="the same without the base's rates")
    arm = setting(count=layout.ARM, doc="where its joints are in v")
    arm_q = setting(count=layout.ARM, doc="and in q")
    ready = setting(count=layout.ARM, doc="[rad] posture of the arm on the way")
    capture = setting(count=layout.ARM, doc="[rad] posture in which it takes the handle")
    capture_position = setting(columns="xyz", doc="[m] of the tool in the base's frame then")
    capture_orientation = setting(columns="wxyz")
    stage = report(labels=st.STAGES)
    reason = report(labels=st.REASONS)
    attempts = report(doc="that failed")
    spin = report(unit="rad/s", doc="of the client, as estimated")
    error_position = report("error.position", unit="m", doc="of the base")
    error_attitude = report("error.attitude", unit="rad", doc="of the base")
    error_tool = report("error.tool", unit="m")
    error_tool_angle = report("error.tool_angle", unit="rad")
    catch_time = report(unit="s", doc="planned")
    holds = report(doc="1 once the client is in the grip")
    client_state = memory("client", layout=layout.CLIENT_STATE)
    plan = memory(layout=layout.PLAN)
    path = memory(layout=layout.PATH)
    stage_start = memory(layout=layout.STAGE_START)
    duty = memory(count=layout.MOST_THRUSTERS)
    pulse_sum = memory(count=layout.MOST_THRUSTERS)
    pulse_number = memory()
    awake = memory()
    wheel_torque = memory(count=layout.WHEELS, unit="N m", doc="on the base")
    wheels_torque = command("wheels", count=layout.WHEELS, unit="N m", doc="on the base")
    joints = command(count=layout.ARM, unit="N m")
    thrust = command("duty", count=layout.MOST_THRUSTERS)
    gripper = command(doc="0 open, 1 soft, 2 hard")

    @program
    def step(clock: Any, settings: Any, gains: Any, measured: Any, setpoints: Any, memory: Any, inputs: Any) -> None:
        q, v = np.zeros(settings.model.nq), np.zeros(settings.model.nv)
        read(settings.model, measured.state, q, v)
        if measured.state_at < 0.0:
            return
        if memory.awake < 0.5:
            wake(memory, clock.time, q)
        see(measured.target, q, v, clock.time, gains, settings.client, memory.client)
        memory.spin = spin(memory.client)
        stage, since = int(memory.stage), clock.time - memory.stage_start.time
        planned = False
        if stage == st.OBSERVE and clock.time - memory.client.begun >= gains.observe_seconds:
            make_plan(settings, gains, memory, clock.time, q)
            planned, memory.catch_time = memory.plan.found > 0.5, memory.plan.time
        elif stage == st.HOLD and clock.time >= memory.plan.time - gains.track_lead:
            planned = is_near(settings, gains, memory, q)
        there = is_there(gains, memory, settings, v)
        found = fault(measured, setpoints, gains, settings, memory, clock.time, v)
        stage, reason = st.next_stage(
            stage, clock.time, since, found, is_seen(measured.target), planned, there, memory, measured, gains
        )
        if stage != memory.stage:
            enter(stage, reason, clock, settings, gains, setpoints, memory, q, v)
        act(settings, gains, memory, clock, q, v, inputs)
        inputs.gripper = 2.0 if memory.holds > 0.5 or memory.stage == st.GRASP else 0.0

    def __init__(
        self,
        arm: Sequence[str],
        wheels: Sequence[str],
        thrusters: Mapping[str, Any],
        client: Mapping[str, Any],
        ready: Sequence[float],
        capture: Sequence[float],
        tool: str = "tool",
        target: str = "target",
        status: str = "status",
        gripper: str = "gripper",
        base: str = "base",
    ) -> None:
        """`target`, `status`, `base` name sensors, `gripper` a part; see `servicing_options.py` for the rest."""
        self.options = ServicingOptions(arm, wheels, tool, thrusters, ready, capture, client)
        self.names = {"target": target, "status": status, "gripper": gripper, "base": base}

    def start(self, robot: Robot) -> None:
        """Find arm, wheels, thrusters and readings."""
        fill_settings(self.settings, self.options, robot)
        target, status, gripper, base = (self.names[key] for key in ("target", "status", "gripper", "base"))
        thrusters = list(self.options.thrusters["names"])
        self.reads = {
            **robot.model.reads("state"),
            "state_at": [f"{base}.stamp"],
            "target.position": [f"{target}.position.{axis}" for axis in "xyz"],
            "target.orientation": [f"{target}.orientation.{axis}" for axis in "wxyz"],
            "target.stamp": [f"{target}.stamp"],
            "gripper_stage": [f"{status}.{gripper}.stage"],
            "gas": [f"{status}.{name}.gas" for name in thrusters],
            "gas_at": [f"{status}.stamp"],
        }
        self.writes = {
            "wheels": [actuator_of(robot, name).inputs["effort"] for name in self.options.wheels],
            "joints": [actuator_of(robot, name).inputs["effort"] for name in self.options.arm],
            "duty": thrusters,
            "gripper": [gripper],
        }
