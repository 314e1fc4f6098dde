"""Gains too stiff for the step: loops of servos, drives and actuators that ring or diverge because time goes in steps.

About the start of a run the robot under its own loops is M a + D v + K q = 0 in all freedoms at once, M the mass matrix with
armatures, K and D the gains and dampings of joints. One step of h maps (q, v) onto

    implicitfast:   v+ = v - h (M + h D_i)^-1 (K q + (D_i + D_e) v),    q+ = q + h v+
    rk4:            the growth 1 + z + z^2/2 + z^3/6 + z^4/24 of every mode z = h lambda

D_i is what the engine solves implicitly (dampings of joints, a `servo`'s kd, velocity gains of MJCF actuators), D_e what a law
computes from the velocity at the start of the step (`drive`, `wheel_servo`, `mount_servo`). The loops are unstable where a mode
grows; one joint that feels the inertia I is stable for h^2 kp < 4 I + 2 h (d_i - d_e), see `servo_is_stable`. To blame is the
loop that does most work in the mode that grows fastest.

Valid at the posture of the start and at full scale of the commands; contacts, delays and the loops that a control program closes
itself are not in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import Note
from didymos.parts.drive import Drive
from didymos.parts.mount_servo import MountServo
from didymos.parts.servo import Servo
from didymos.parts.wheel_servo import WheelServo

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.engine.build import Built

__all__ = ["Loop", "gain_notes", "loops_of"]

_GROWTH = 1e-4  # per step; a free body's pair of ones splits by 1e-8 in an eigenvalue's last digits
_MOST_FREEDOMS = 200  # of a robot that is examined: a second of work


@dataclass(frozen=True)
class Loop:
    """A loop about a joint, which is a freedom of the engine: the part or actuator that closes it, and its gains at the joint.

    `kp` [N m/rad], `kd` [N m s/rad]; of a joint that slides [N/m], [N s/m]. `implicit` says how its damping is solved.
    """

    joint: str
    freedom: int
    name: str
    kind: str
    kp: float
    kd: float
    implicit: bool
    slides: bool = False


@dataclass(frozen=True, eq=False)
class _Robot:
    """A robot without its loops, where it starts."""

    mass: NDArray[np.float64]  # [nv, nv]
    stiffness: NDArray[np.float64]  # [nv], of springs at joints
    damping: NDArray[np.float64]  # [nv], solved implicitly
    step: float  # [s]
    rk4: bool

    def inertia(self, freedom: int) -> float:
        """That a joint feels with the others free."""
        return float(1.0 / np.linalg.inv(self.mass)[freedom, freedom])


def gain_notes(built: Built) -> tuple[Note, ...]:
    """A note on each loop that is too stiff for the step of its twin, the worst first; none where all are stable."""
    loops = list(loops_of(built))
    if not loops or built.assembly.model.nv > _MOST_FREEDOMS:
        return ()
    robot, found = _robot(built, loops), []
    while (bad := _unstable(robot, loops)) is not None:
        loops.remove(bad)
        found.append(bad)
    return tuple(_note(built.twin, robot, bad, _stable_share(robot, loops, bad)) for bad in found)


def _note(twin: Twin, robot: _Robot, bad: Loop, share: float) -> Note:
    force, damping, inertia = ("N/m", "N s/m", "kg") if bad.slides else ("N m/rad", "N m s/rad", "kg m^2")
    feels = f"which feels {robot.inertia(bad.freedom):.3g} {inertia}"
    gains = f"kp {bad.kp:.4g} {force}, kd {bad.kd:.4g} {damping} at the joint, {feels}"
    stable = f"stable is {100 * share:.2g} % of them" if share > 0.0 else "no share of them is stable"
    what = f"{bad.kind} {bad.name!r} is too stiff for joint {bad.joint!r} and world.step {robot.step:g} s: {gains}; {stable}"
    where = twin.mistake("", "parts", bad.name) if bad.name in twin.file.parts else twin.mistake("", "description")
    return Note(str(where.file), where.line, f"{what}, or take a smaller step")


def loops_of(built: Built) -> tuple[Loop, ...]:
    """The loops about joints that parts and actuators close by themselves."""
    parts, found = built.twin.file.parts, []
    for actuator in built.robot.actuators:
        part: Any = parts.get(actuator.name)
        kind = None if part is None else part.contract
        kp = part.integral if kind is WheelServo else actuator.kp
        if actuator.belt is not None or not np.isfinite(actuator.kd) or (kind is Drive and part.gear_stiffness > 0.0):
            continue
        implicit = kind is Servo or part is None
        found.append(Loop(actuator.joint, 0, actuator.name, actuator.kind, kp, actuator.kd, implicit, actuator.prismatic))
    for name, mount in parts.items():
        numbers: Any = mount
        if mount.contract is MountServo and mount.joint is not None:
            found.append(Loop(mount.joint, 0, name, mount.kind, numbers.stiffness, numbers.damping, implicit=False))
    return tuple(replace(loop, freedom=_freedom(built, loop.joint)) for loop in found if loop.kp > 0.0 or loop.kd > 0.0)


def _freedom(built: Built, joint: str) -> int:
    return int(built.assembly.model.joint(built.twin.description.joints[joint].engine_joints[0]).dofadr[0])


def _robot(built: Built, loops: list[Loop]) -> _Robot:
    model, own = built.assembly.model, mujoco.MjData(built.assembly.model)
    own.qpos[:] = built.data.qpos
    mujoco.mj_kinematics(model, own)
    mujoco.mj_comPos(model, own)
    mujoco.mj_crb(model, own)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, own, mass)
    stiffness, damping = np.zeros(model.nv), np.array(model.dof_damping)
    for joint in np.flatnonzero(model.jnt_stiffness > 0.0):
        stiffness[model.jnt_dofadr[joint]] += model.jnt_stiffness[joint]
    for loop in loops:
        if loop.kind == "servo":  # which lends its damping to the joint, see `Servo.on_joint`
            damping[loop.freedom] -= loop.kd
    return _Robot(mass, stiffness, damping, float(model.opt.timestep), bool(built.context.timing.rk4))


def _unstable(robot: _Robot, loops: list[Loop]) -> Loop | None:
    """The loop that does most work in the mode that grows fastest in a step; None where none grows."""
    if not loops:
        return None
    step, freedoms = robot.step, len(robot.mass)
    stiffness, implicit, explicit = robot.stiffness.copy(), robot.damping.copy(), np.zeros(freedoms)
    for loop in loops:
        stiffness[loop.freedom] += loop.kp
        (implicit if loop.implicit else explicit)[loop.freedom] += loop.kd
    forces = np.hstack([np.diag(stiffness), np.diag(implicit + explicit)])  # per position and velocity
    nothing, one = np.zeros((freedoms, freedoms)), np.eye(freedoms)
    if robot.rk4:
        values, vectors = np.linalg.eig(np.vstack([np.hstack([nothing, one]), -np.linalg.solve(robot.mass, forces)]))
        z = step * values
        growth = np.abs(1.0 + z + z**2 / 2.0 + z**3 / 6.0 + z**4 / 24.0)
    else:
        velocity = np.hstack([nothing, one]) - step * np.linalg.solve(robot.mass + step * np.diag(implicit), forces)
        values, vectors = np.linalg.eig(np.vstack([np.hstack([one, nothing]) + step * velocity, velocity]))
        growth = np.abs(values)
    worst = int(np.argmax(growth))
    if growth[worst] <= 1.0 + _GROWTH:
        return None
    q, v = np.abs(vectors[:freedoms, worst]), np.abs(vectors[freedoms:, worst])
    return max(loops, key=lambda loop: loop.kp * q[loop.freedom] ** 2 + step * loop.kd * v[loop.freedom] ** 2)


def _stable_share(robot: _Robot, stable: list[Loop], bad: Loop) -> float:
    """The share of a loop's gains that is stable beside loops that are; by bisection, to three digits."""
    low, high = 0.0, 1.0
    for _ in range(10):
        middle = 0.5 * (low + high)
        fits = _unstable(robot, [*stable, replace(bad, kp=middle * bad.kp, kd=middle * bad.kd)]) is None
        low, high = (middle, high) if fits else (low, middle)
    return low
