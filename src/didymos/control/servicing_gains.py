"""The gains of the servicing program: estimate, plan, base, arm, grasp, watch."""

from __future__ import annotations

from didymos.control.compiled_controller import CompiledController
from didymos.control.controller import Gain

__all__ = ["ServicingGains"]


class ServicingGains(CompiledController):
    """What a user may turn; compiled code reads `control.gains.track.seconds` as `gains.track_seconds`."""

    observe_seconds = Gain(30.0, low=1, high=1000, unit="s", path="observe.seconds", doc="before a plan is made")
    observe_bandwidth = Gain(0.3, low=0.01, high=10, unit="rad/s", path="observe.bandwidth", doc="of the client's estimate")
    observe_shape = Gain(0.15, low=0, high=5, unit="rad/s", path="observe.shape", doc="of its moments of inertia; 0: as given")
    plan_horizon = Gain(400.0, low=10, high=5000, unit="s", path="plan.horizon", doc="how far ahead a capture may lie")
    plan_distance = Gain(3.0, low=0.5, high=20, unit="m", path="plan.distance", doc="from the client, on the way around it")
    plan_speed = Gain(0.08, low=0.001, high=1, unit="m/s", path="plan.speed", doc="largest, of the base")
    plan_rate = Gain(0.04, low=0.001, high=0.5, unit="rad/s", path="plan.rate", doc="largest, of the base")
    plan_turn_cost = Gain(30.0, low=0, high=1000, unit="s/rad", path="plan.turn_cost", doc="what waiting is worth to turn less")
    plan_margin = Gain(0.25, low=0, high=3, unit="m", path="plan.margin", doc="that the handle may be off where it shall pass")
    plan_angle = Gain(0.35, low=0, high=3, unit="rad", path="plan.angle", doc="the same, of its attitude")
    base_frequency = Gain(0.5, low=0.01, high=5, unit="rad/s", path="base.frequency", doc="of the attitude; damping is critical")
    base_position = Gain(0.25, low=0.01, high=5, unit="rad/s", path="base.position", doc="of the position")
    arm_frequency = Gain(3.0, low=0.1, high=20, unit="rad/s", path="arm.frequency", doc="of the tool; damping is critical")
    arm_joints = Gain(1.5, low=0.1, high=20, unit="rad/s", path="arm.joints", doc="of the joints, where no tool is led")
    arm_loaded = Gain(0.5, low=0.05, high=20, unit="rad/s", path="arm.loaded", doc="the same, with the client in the grip")
    arm_posture = Gain(0.3, low=0, high=10, unit="rad/s", path="arm.posture", doc="of joints where the tool may")
    arm_damping = Gain(0.02, low=0, high=1, path="arm.damping", doc="of the inverse of the Jacobian")
    track_lead = Gain(10.0, low=0, high=100, unit="s", path="track.lead", doc="the tool begins so long before the handle comes")
    track_seconds = Gain(8.0, low=0.1, high=100, unit="s", path="track.seconds", doc="until the tool moves with the handle")
    track_clearance = Gain(0.15, low=0, high=1, unit="m", path="track.clearance", doc="that it keeps until it closes in")
    track_distance = Gain(0.015, low=0, high=1, unit="m", path="track.distance", doc="error below which it goes on")
    track_angle = Gain(0.03, low=0, high=1, unit="rad", path="track.angle", doc="the same, of the attitude")
    track_patience = Gain(6.0, low=0, high=1000, unit="s", path="track.patience", doc="before it gives an attempt up")
    close_seconds = Gain(4.0, low=0.1, high=100, unit="s", path="close.seconds", doc="from the clearance to the handle")
    grasp_patience = Gain(8.0, low=0, high=1000, unit="s", path="grasp.patience", doc="for the gripper to report")
    retreat_seconds = Gain(12.0, low=0.1, high=1000, unit="s", path="retreat.seconds", doc="to draw the arm back")
    attempts = Gain(3.0, low=1, high=100, path="attempts")
    damp_time = Gain(6.0, low=0.1, high=100, unit="s", path="damp.time", doc="in which the client's motion falls to 1/e")
    damp_rate = Gain(0.002, low=0, high=1, unit="rad/s", path="damp.rate", doc="of joints, below which it rests")
    settle_rate = Gain(0.02, low=0.001, high=0.5, unit="rad/s", path="settle.rate", doc="largest, with the client in the grip")
    settle_acceleration = Gain(4e-4, low=1e-6, high=1, unit="rad/s^2", path="settle.acceleration", doc="largest, the same")
    settle_angle = Gain(0.0087, low=0, high=1, unit="rad", path="settle.angle", doc="of the base, within which it is done")
    settle_speed = Gain(0.0005, low=0, high=1, unit="rad/s", path="settle.speed", doc="the same, of its rate")
    spin_limit = Gain(0.15, low=0, high=10, unit="rad/s", path="spin.limit", doc="a client that spins faster is left alone")
    watch_sight = Gain(2.0, low=0, high=1000, unit="s", path="watch.sight", doc="lost when it was not seen for so long")
    watch_patience = Gain(60.0, low=0, high=1000, unit="s", path="watch.patience", doc="to be seen at all; to settle")
    watch_gas = Gain(0.02, low=0, high=100, unit="kg", path="watch.gas", doc="least, in a tank")
    watch_mission = Gain(1500.0, low=0, high=1e6, unit="s", path="watch.mission", doc="longest until the grasp")
    away_distance = Gain(1.5, low=0, high=100, unit="m", path="away.distance", doc="that the base withdraws after an abort")
    torque_limit = Gain(30.0, low=0, high=1000, unit="N m", path="torque.limit", doc="of a joint")
