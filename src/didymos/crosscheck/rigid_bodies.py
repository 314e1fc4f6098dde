"""The second engine for rigid bodies: pinocchio, on the links and joints that the second reader found.

    (M(q) + A) a = f - h(q, v) - D v - K (q - q0)

M and h by pinocchio (composite bodies, Newton-Euler), accelerations by its articulated bodies, from the other reader's masses,
axes and placements. What no description holds comes from the twin: gravity, a joint's own armature, what parts lend to joints
(A and D, also those of a belt over two joints), and numbers that were set by hand. Springs (K) are the engine's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import mujoco
import numpy as np
import pinocchio
from numpy.typing import NDArray

from didymos.crosscheck.coordinates import BALL, FREE, HINGE, SLIDE, Coordinates, SharedJoint
from didymos.crosscheck.our_mechanism import OurMechanism
from didymos.crosscheck.source_reading import NotComparable, SourceJoint, SourceLink, SourceReading
from didymos.describe.names import link_of, link_values
from didymos.describe.twin import Twin
from didymos.errors import nearest
from didymos.rotations import Pose

__all__ = ["RigidBodies"]

Array = NDArray[np.float64]

_WORLD = "world"
_ENGINE_KINDS = {"revolute": HINGE, "prismatic": SLIDE, "ball": BALL, "free": FREE}


class RigidBodies:
    """A twin's mechanism in pinocchio, in the engine's coordinates."""

    def __init__(self, twin: Twin, source: SourceReading, ours: OurMechanism) -> None:
        self.links = _links_now(twin, source)
        self.joints: dict[str, int] = {}  # joint of the description -> pinocchio's joint
        self._twin, self._ours = twin, ours.model
        self._model = pinocchio.Model()
        self._model.gravity.linear = np.array([0.0, 0.0, -twin.file.world.gravity])
        self.carriers: dict[str, tuple[int, Pose]] = {_WORLD: (0, Pose())}  # link -> pinocchio's joint, the link's pose in it
        shared = self._build(source, ours)
        if self._model.nv != ours.model.nv:
            raise NotComparable(f"Drake reads {self._model.nv} degrees of freedom, the engine has {ours.model.nv}")
        self.coordinates = Coordinates(tuple(shared), self._model.nq, self._model.nv)
        self._data = self._model.createData()
        self.armature, self.damping = self._lent(twin, source)
        self._coupled = bool(np.any(self.armature - np.diag(np.diag(self.armature))))
        self._model.armature = self.coordinates.transform(ours.qpos) @ np.diag(self.armature)  # no free joint has any

    def _build(self, source: SourceReading, ours: OurMechanism) -> list[SharedJoint]:
        """Add the joints branch by branch, as pinocchio's composite bodies expect them."""
        waiting, shared = [joint for joint in source.joints.values() if joint.parent == _WORLD][::-1], list[SharedJoint]()
        while waiting:
            joint = waiting.pop()
            if joint.child in self.carriers:
                raise NotComparable(f"joint {joint.name!r} closes a loop")
            item = self._add(joint, self._engine_joint(joint, ours), ours.model)
            shared += [item] if item is not None else []
            waiting += [child for child in source.joints.values() if child.parent == joint.child][::-1]
        return shared

    def _engine_joint(self, joint: SourceJoint, ours: OurMechanism) -> int | None:
        """The engine's joint for one of the description; None where it does not move."""
        if joint.kind == "fixed":
            return None
        if joint.kind == "free":  # a root that nothing holds; a twin may hold it all the same
            body = ours.links.body(ours.model, joint.child) if joint.child in ours.links.links else -1
            first = int(ours.model.body_jntadr[body]) if body >= 0 else -1
            return first if first >= 0 and int(ours.model.jnt_type[first]) == FREE else None
        about = self._twin.description.joints.get(joint.name)
        if about is None or len(about.engine_joints) != 1:
            hint = nearest(joint.name, self._twin.description.joints)
            raise NotComparable(f"joint {joint.name!r} of the description is not one joint of the engine{hint}")
        return int(ours.model.joint(about.engine_joints[0]).id)

    def _add(self, joint: SourceJoint, number: int | None, model: mujoco.MjModel) -> SharedJoint | None:
        parent, pose = self.carriers[joint.parent]
        link = self.links[joint.child]
        if number is None:
            self.carriers[joint.child] = parent, pose @ joint.placement
            self._weigh(joint.child, link)
            return None
        if int(model.jnt_type[number]) != _ENGINE_KINDS[joint.kind]:
            raise NotComparable(f"joint {joint.name!r} is {joint.kind} for Drake and another for the engine")
        kind = {
            "revolute": lambda: pinocchio.JointModelRevoluteUnaligned(joint.axis),
            "prismatic": lambda: pinocchio.JointModelPrismaticUnaligned(joint.axis),
            "ball": pinocchio.JointModelSpherical,
            "free": pinocchio.JointModelFreeFlyer,
        }[joint.kind]()
        free = joint.kind == "free"
        anchored = Pose() if free else joint.placement @ Pose(joint.anchor)  # the frame of the joint is parallel to the child's
        at = pose @ anchored
        index = self._model.addJoint(parent, kind, pinocchio.SE3(at.rotation, at.position), joint.name)
        self.joints[joint.name] = index
        self.carriers[joint.child] = index, Pose() if free else Pose(-joint.anchor)
        self._weigh(joint.child, link)
        made = self._model.joints[index]
        adr, dof = int(model.jnt_qposadr[number]), int(model.jnt_dofadr[number])
        return SharedJoint(int(model.jnt_type[number]), adr, dof, made.idx_q, made.idx_v)

    def _weigh(self, name: str, link: SourceLink) -> None:
        index, pose = self.carriers[name]
        if index and link.mass > 0.0:
            inertia = pinocchio.Inertia(link.mass, link.com, link.inertia)
            self._model.appendBodyToJoint(index, inertia, pinocchio.SE3(pose.rotation, pose.position))

    def _lent(self, twin: Twin, source: SourceReading) -> tuple[Array, Array]:
        """Armature and damping, shape [nv, nv], in the engine's order: of joints, and what parts lend to them."""
        dofs = {}
        for name, about in twin.description.joints.items():
            if len(about.engine_joints) == 1:
                joint = int(self._ours.joint(about.engine_joints[0]).id)
                first = int(self._ours.jnt_dofadr[joint])
                dofs[name] = slice(first, first + (3 if int(self._ours.jnt_type[joint]) == BALL else 1))
        armature, damping = np.zeros((2, self._ours.nv, self._ours.nv))
        for name, dof in dofs.items():
            rubs = source.joints[name].damping if name in source.joints else 0.0
            for matrix, quantity, described in ((armature, "armature", 0.0), (damping, "damping", rubs)):
                path = f"joints.{name}.{quantity}"  # a ball has none
                matrix[dof, dof] += np.eye(dof.stop - dof.start) * (twin.get(path) if path in twin.parameters else described)
        for part in twin.file.parts.values():
            load = part.contract.on_joint(part)
            if load is not None and part.joint in dofs:
                along = np.zeros(self._ours.nv)
                for name in filter(None, (part.joint, part.belt)):
                    along[dofs[name]] = 1.0
                armature += load.armature * np.outer(along, along)
                damping += load.damping * np.outer(along, along)
        return armature, damping

    def body(self, name: str, members: Iterable[str]) -> tuple[float, Array, Array]:
        """Mass, centre of mass and inertia about it of links that move as one, in the frame of the link of a name."""
        own = self.carriers[name][1].inverse()
        total = pinocchio.Inertia.Zero()
        for member in members:
            pose, link = own @ self.carriers[member][1], self.links[member]
            total += pinocchio.Inertia(link.mass, link.com, link.inertia).se3Action(pinocchio.SE3(pose.rotation, pose.position))
        return float(total.mass), np.array(total.lever), np.array(total.inertia)

    def poses(self, qpos: Array) -> Mapping[str, Pose]:
        """Where every link is in the world."""
        pinocchio.forwardKinematics(self._model, self._data, self.coordinates.position(qpos))
        found = {}
        for name, (index, pose) in self.carriers.items():
            placed = self._data.oMi[index]
            found[name] = Pose(np.array(placed.translation), np.array(placed.rotation)) @ pose
        return found

    def mass_matrix(self, qpos: Array) -> Array:
        """M + A, shape [nv, nv]."""
        turn = self.coordinates.transform(qpos)
        return turn.T @ self._crba(qpos) @ turn + self.armature

    def _crba(self, qpos: Array) -> Array:
        """pinocchio's mass matrix; without armature, which is added in the engine's coordinates."""
        matrix = np.triu(pinocchio.crba(self._model, self._data, self.coordinates.position(qpos)))
        return matrix + np.triu(matrix, 1).T - np.diag(self._model.armature)

    def bias(self, qpos: Array, qvel: Array) -> Array:
        """h, gravity included, shape [nv]."""
        turn, q = self.coordinates.transform(qpos), self.coordinates.position(qpos)
        velocity = turn @ qvel
        forces = pinocchio.nonLinearEffects(self._model, self._data, q, velocity).copy()
        return turn.T @ (forces + self._crba(qpos) @ self.coordinates.drift(velocity))

    def passive(self, qpos: Array, qvel: Array) -> Array:
        """- D v - K (q - q0), shape [nv]."""
        forces: Array = -self.damping @ qvel
        for joint in self.coordinates.joints:
            number = int(self._ours.dof_jntid[joint.dof])
            stiffness = float(np.reshape(self._ours.jnt_stiffness, (self._ours.njnt, -1))[number, 0])
            if stiffness and joint.kind in (HINGE, SLIDE):
                forces[joint.dof] -= stiffness * (qpos[joint.qpos] - self._ours.qpos_spring[joint.qpos])
        return forces

    def acceleration(self, qpos: Array, qvel: Array, force: Array) -> Array:
        """Generalized accelerations under generalized forces, shape [nv]."""
        total = force + self.passive(qpos, qvel)
        if self._coupled:  # a belt: articulated bodies know no inertia that two joints share
            return np.asarray(np.linalg.solve(self.mass_matrix(qpos), total - self.bias(qpos, qvel)), dtype=np.float64)
        turn, q = self.coordinates.transform(qpos), self.coordinates.position(qpos)
        velocity = turn @ qvel
        found: Any = pinocchio.aba(self._model, self._data, q, velocity, turn @ total)
        return turn.T @ (found - self.coordinates.drift(velocity))


def _links_now(twin: Twin, source: SourceReading) -> dict[str, SourceLink]:
    """The other reader's links, and those that were set by hand as the twin has them now."""
    changed = {link_of(path) for path in twin.body_values() if path.startswith("links.")}
    return {
        name: SourceLink(*link_values(twin, name)) if name in changed else link for name, link in source.links.items()
    }
