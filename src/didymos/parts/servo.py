"""Servo: a motor that holds its joint where it is told, as stiffly as it is told, within its limits.

    u   = s_p kp (q* - q) + s_d kd v*                 |u| <= s_d kd v_max
    tau = u - s_d kd v + tau_ff                       |tau| <= tau_max

q, v position and velocity of the joint [rad, rad/s; of a slider m, m/s]. The scales s_p and s_d are part of the command, so
position control (1, 1), velocity control (0, 1), effort control (0, 0) and any impedance between are cases of one law; all
inputs zero is a servo that is off. `velocity_limit` binds the motion that is asked for: u / (s_d kd) is the velocity that the
position error and v* ask for together, as in the cascade of an industrial drive; an effort is not bound by it.

Damping is solved implicitly. The servo lends kd to the joint as the engine's own damping, and gives back what of it is not asked
for (s_d < 1, tau at its limit) at the velocity that the joint is about to have, 2 v - v_before. With `implicitfast` so

    stable:  h^2 kp < 4 I + 2 h kd        h the step, I the inertia that the joint feels with all others free (`servo_is_stable`)

any damping is stable, and lets stiffer springs be: explicitly it would be h^2 kp + 2 h kd < 4 I. With `rk4` nothing is implicit,
and of a scale above 1 what exceeds kd is not: that is stable for h s_d kd < 2 (I + h kd).
What is given back arrives with a lag of about h^2 kd / I, and accelerometers, which read what acts at the start of a step, see
(1 - s_d) h kd / I of the joint's acceleration too much; both matter only where kd is far larger than a command asks for.

Valid for drives whose current loop is fast beside the step. `armature`, `friction` and `viscous` are those of the motor and gear
at the joint, beside what the description has. A bus with delay, heat and a torque-speed curve are those of a `drive`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.contract import input, output, parameter, state
from didymos.parts.actuation import JointActuation
from didymos.parts.part import JointDemand, JointLoad, Motion, Part, law

__all__ = ["Servo", "servo_is_stable"]

_ANY = (-math.inf, math.inf)
_SCALE = (0.0, 1e9)


def servo_is_stable(kp: float, kd: float, inertia: float, step: float, integrator: str = "implicitfast") -> bool:
    """Whether a joint under a servo comes to rest in a simulation of this step [s].

    `kp` [N m/rad] and `kd` [N m s/rad] at full scale; `inertia` [kg m^2] that the joint feels, armature and all, with the other
    joints free: 1 / (M^-1)_ii, at its least. For a slider [N/m], [N s/m], [kg]. Several stiff joints in lock-step are not
    covered: a margin of two is wise.
    """
    if inertia <= 0.0:
        return False
    if integrator == "implicitfast":
        return step * step * kp < 4.0 * inertia + 2.0 * step * kd
    roots = np.roots([inertia, kd, kp]) * step
    growth = 1.0 + roots + roots**2 / 2.0 + roots**3 / 6.0 + roots**4 / 24.0  # of RK4, per step
    return bool(np.all(np.abs(growth) <= 1.0 + 1e-12))


class Servo(Part):
    """Parameters of a servo; of a slider N for N m and m for rad."""

    needs_joint = True
    may_slide = True
    motion = Motion.JOINT

    kp = parameter(0.0, unit="N m/rad", low=0, doc="stiffness at scale 1")
    kd = parameter(0.0, unit="N m s/rad", low=0, doc="damping at scale 1")
    effort_limit = parameter(0.0, unit="N m", low=0, doc="tau_max; 0 for none")
    velocity_limit = parameter(0.0, unit="rad/s", low=0, doc="v_max, of the motion asked for; 0 for none")
    armature = parameter(0.0, unit="kg m^2", low=0, doc="inertia of the rotor, at the joint")
    friction = parameter(0.0, unit="N m", low=0, doc="dry friction of the gear, at the joint")
    viscous = parameter(0.0, unit="N m s/rad", low=0, doc="viscous friction of the gear, at the joint")
    position = input(range=_ANY, unit="rad", doc="q*")
    velocity = input(range=_ANY, unit="rad/s", doc="v*")
    effort_command = input("effort", range=_ANY, unit="N m", doc="tau_ff")
    stiffness_scale = input(range=_SCALE, doc="s_p")
    damping_scale = input(range=_SCALE, doc="s_d")
    velocity_before = state(unit="rad/s", doc="of the joint, one step ago")
    effort = output(unit="N m", doc="tau")
    error = output(unit="rad", doc="q* - q where the servo is stiff, else 0")
    saturated = output(doc="1 while tau is at its limit")

    @classmethod
    def on_joint(cls, numbers: Any) -> JointLoad:
        """Inertia and friction of motor and gear; kd, which the law gives back where it is not asked for."""
        return JointLoad(numbers.armature, numbers.friction, numbers.viscous + numbers.kd)

    @classmethod
    def at_most(cls, numbers: Any) -> JointDemand:
        """Its own limits."""
        return JointDemand(
            numbers.effort_limit or math.inf, "effort_limit", numbers.velocity_limit or math.inf, "velocity_limit"
        )

    @classmethod
    def actuation(cls, numbers: Any) -> JointActuation:
        """Takes the whole command."""
        slots = {name: name for name in ("position", "velocity", "effort", "stiffness_scale", "damping_scale")}
        return JointActuation(
            "impedance", slots, kp=numbers.kp, kd=numbers.kd,
            armature=numbers.armature, friction=numbers.friction, viscous=numbers.viscous,
        )  # fmt: skip

    @law
    def act(servo, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        velocity = here.joint_velocity
        kp, kd = servo.kp * inputs.stiffness_scale, servo.kd * inputs.damping_scale
        drive = kp * (inputs.position - here.joint_position) + kd * inputs.velocity
        if servo.velocity_limit > 0.0 and kd > 0.0:
            most = kd * servo.velocity_limit
            drive = min(max(drive, -most), most)
        effort = drive - kd * velocity + inputs.effort
        implicit = min(inputs.damping_scale, 1.0)  # share of the lent damping that is asked for
        output.saturated = 0.0
        if abs(effort) > servo.effort_limit > 0.0:
            effort = math.copysign(servo.effort_limit, effort)
            output.saturated = 1.0
            implicit = 0.0
        change = 0.0  # of the velocity within this step, as within the last
        if here.implicit > 0.5 and here.time > 0.0:
            change = velocity - state.velocity_before
        rate.velocity_before = (velocity - state.velocity_before) / here.step
        given_back = servo.kd * (velocity + (1.0 - implicit) * change)
        wrench.joint_torque = effort + given_back
        wrench.joint_passive = given_back
        output.effort = effort
        output.error = inputs.position - here.joint_position if kp > 0.0 else 0.0
