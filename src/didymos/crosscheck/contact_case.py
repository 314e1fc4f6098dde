"""Cases of contact that two engines are put into: where a robot begins, how its joints are held, what a closed form says.

| case | begins | closed form |
|---|---|---|
| drop | 0.1 m above the ground, at rest | touches after sqrt(2 h / g); rests where its lowest point is on the ground |
| stand | on the ground, at rest | rests as above; the ground bears m g |
| slide | settled on the ground, at 1 m/s along x | stops within v^2 / (2 mu g), a tenth as fast after 0.9 v / (mu g) |
| ramp | on a slope s of atan(mu) + 0.2 rad, at rest | accelerates by g (sin s - mu cos s) |
| roll | settled on the ground, at 0.5 m/s across the axles, wheels at rest | v m / (m + sum I / r^2) once all wheels roll |

Joints with limits are held where they begin by the same law in both engines, f = kp (q0 - q) - kd v, taken every 2 ms; joints
without limits (wheels, axles of propellers) turn freely. Parts do not act and lend nothing: no armature, no dry friction. The
robot does not touch itself.
A slope is a gravity that leans; closed forms are of hard contacts with Coulomb's friction.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.crosscheck.coordinates import HINGE
from didymos.crosscheck.our_mechanism import OurMechanism
from didymos.crosscheck.source_reading import NotComparable
from didymos.crosscheck.trajectory import mass_matrix
from didymos.describe.twin import Twin
from didymos.engine.scenery import GROUND
from didymos.errors import InputError, nearest

__all__ = ["CASES", "ContactStart", "begin_contact", "known_case"]

Array = NDArray[np.float64]

CASES = ("drop", "stand", "slide", "ramp", "roll")
_SECONDS = {"drop": 2.0, "stand": 3.0, "slide": 2.0, "ramp": 1.0, "roll": 3.0}
_HEIGHT, _SPEED, _ROLLING, _STEEPER = 0.1, 1.0, 0.5, 0.2  # [m], [m/s], [m/s], [rad]
_SAMPLE = 0.002  # [s]
_SETTLE = 0.5  # [s]
_FAR = 10.0  # [m]


@dataclass(frozen=True, eq=False)
class ContactStart:
    """A case for both engines. `qpos`: the engine's; `kp`, `kd`: of each degree of freedom, shape [nv]."""

    case: str
    model: mujoco.MjModel  # ours, with contacts and without parts
    qpos: Array
    kick: Array  # [m/s], shape [3]: what the root link's velocity is after it has settled
    settle: float  # [s]
    kp: Array
    kd: Array
    root: int  # our root body
    mass: float  # [kg]
    gravity: Array  # [m/s^2], shape [3]
    friction: float
    ground: float  # [m]
    rest: float  # [m]: height of the root link when the lowest point just touches
    forward: Array  # unit vector in the world, shape [3]
    wheels: tuple[int, ...]  # degrees of freedom of wheels that roll forward
    seconds: float
    sample: float  # [s]

    @property
    def times(self) -> Array:
        """When [s] samples are taken, from the kick on."""
        return np.asarray(self.sample * np.arange(1, round(self.seconds / self.sample) + 1), dtype=np.float64)

    @property
    def settling(self) -> int:
        """Samples before the kick."""
        return round(self.settle / self.sample)

    def hold(self, qpos: Array, qvel: Array) -> Array:
        """The forces that hold the joints, shape [nv], in our engine's order."""
        away = np.zeros(len(self.kp))
        mujoco.mj_differentiatePos(self.model, away, 1.0, self.qpos, qpos)
        forces: Array = -self.kp * away - self.kd * qvel
        return forces


def known_case(case: str) -> None:
    """Refuse a word that is no case."""
    if case not in CASES:
        raise InputError(f"there is no case {case!r}{nearest(case, CASES)} (there is: {', '.join(CASES)})", option="contact")


def begin_contact(twin: Twin, ours: OurMechanism, case: str) -> ContactStart:
    """Put a twin into a case; `NotComparable` where it cannot be."""
    known_case(case)
    world = twin.file.world
    if not twin.description.floating or world.ground is None:
        raise NotComparable("it touches no ground: its root is held, or its world has none")
    if twin.file.contacts:
        raise NotComparable("its contacts grip along an axis, which Drake's do not")
    model = _touching(ours.model)
    root = ours.links.root_body(model)
    joint = int(model.body_jntadr[root])
    q = int(model.jnt_qposadr[joint])
    qpos = ours.qpos.copy()
    qpos[q : q + 7] = 0.0, 0.0, _FAR / 2, 1.0, 0.0, 0.0, 0.0
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    rest = float(qpos[q + 2] - _clearance(model, data))
    qpos[q + 2] = rest + (_HEIGHT if case == "drop" else 0.0)
    forward, wheels = _rolling(twin, model, data)
    if case == "roll" and not wheels:
        raise NotComparable("it has no wheels with level axles")
    friction = world.ground.friction * world.friction_scale
    slope = np.arctan(friction) + _STEEPER if case == "ramp" else 0.0
    forward = forward if case == "roll" else np.array([1.0, 0.0, 0.0])
    kick = {"slide": _SPEED, "roll": _ROLLING}.get(case, 0.0) * forward
    mass = float(model.body_subtreemass[root])
    step = float(model.opt.timestep)
    sample = max(1, round(_SAMPLE / step)) * step
    above = float(data.subtree_com[root][2]) - _FAR / 2 + rest - world.ground.height  # the centre of mass over the ground
    kp, kd = _gains(twin, model, data, mass * world.gravity * above, sample)
    down = world.gravity * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    return ContactStart(
        case, model, qpos, kick, _SETTLE if kick.any() else 0.0, kp, kd, root, mass, down, friction, world.ground.height, rest,
        forward, wheels, _SECONDS[case], sample,
    )  # fmt: skip


def _touching(model: mujoco.MjModel) -> mujoco.MjModel:
    """A copy of our mechanism in which contacts with the world and limits act, and parts lend nothing to joints."""
    made = copy.copy(model)
    for name in ("CONSTRAINT", "EQUALITY", "LIMIT", "CONTACT"):
        made.opt.disableflags = int(made.opt.disableflags) & ~int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    solid = (made.geom_contype != 0) | (made.geom_conaffinity != 0)
    own = made.geom_bodyid != 0
    made.geom_contype[:], made.geom_conaffinity[:] = solid & own, solid & ~own
    made.dof_armature[:] = 0.0
    made.tendon_armature[:] = 0.0
    mujoco.mj_setConst(made, mujoco.MjData(made))
    return made


def _clearance(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """How far [m] the lowest point of the robot is above the ground."""
    ground = int(model.geom(GROUND).id)
    solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    own = [geom for geom in range(model.ngeom) if solid[geom] and model.geom_bodyid[geom] != 0]
    if not own:
        raise NotComparable("it has no shapes that touch anything")
    return min(float(mujoco.mj_geomDistance(model, data, ground, geom, 2 * _FAR, None)) for geom in own)


def _rolling(twin: Twin, model: mujoco.MjModel, data: mujoco.MjData) -> tuple[Array, tuple[int, ...]]:
    """Which way wheels roll, and their degrees of freedom: joints without limits on level axles that carry the lowest shapes."""
    forward, wheels = np.array([1.0, 0.0, 0.0]), list[int]()
    for about in twin.description.joints.values():
        if len(about.engine_joints) != 1 or about.lower is not None or about.upper is not None:
            continue
        joint = int(model.joint(about.engine_joints[0]).id)
        axis, body = data.xaxis[joint], int(model.jnt_bodyid[joint])
        ahead = np.cross(axis, [0.0, 0.0, 1.0])
        carried = int(model.body_jntnum[model.body_parentid[body]]) and model.body_parentid[body] in _bodies_of(wheels, model)
        if int(model.jnt_type[joint]) != HINGE or abs(axis[2]) > 1e-6 or carried:
            continue
        if not wheels:
            forward = ahead / np.linalg.norm(ahead)
        if abs(abs(float(ahead @ forward)) - 1.0) < 1e-6:
            wheels.append(int(model.jnt_dofadr[joint]))
    return forward, tuple(wheels)


def _bodies_of(dofs: list[int], model: mujoco.MjModel) -> set[int]:
    return {int(model.dof_bodyid[dof]) for dof in dofs}


def _gains(twin: Twin, model: mujoco.MjModel, data: mujoco.MjData, torque: float, sample: float) -> tuple[Array, Array]:
    """Stiffness and damping of held joints: stiff enough to bear the robot, as damped as samples of this length allow."""
    weights = np.diag(mass_matrix(model, data))
    kp, kd = np.zeros(model.nv), np.zeros(model.nv)
    for about in twin.description.joints.values():
        if len(about.engine_joints) == 1 and (about.lower is not None or about.upper is not None):
            dof = int(model.joint(about.engine_joints[0]).dofadr[0])
            kp[dof] = min(torque / 0.2, 0.2 * weights[dof] / sample**2)  # bears the robot at 0.2 rad
            kd[dof] = min(1.4 * np.sqrt(kp[dof] * weights[dof]), 0.5 * weights[dof] / sample)
    return kp, kd
