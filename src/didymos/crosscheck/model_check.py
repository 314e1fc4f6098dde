"""Whether our model is what the second reader found: masses, centres, inertias, placements, anchors, axes, damping.

Errors are relative: of a mass to itself, of a centre or a placement to the body's size, of an inertia to its largest entry. The
size of a body is sqrt(tr I / m) plus the distance of its centre. A hinge may be anchored anywhere along its axis.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.crosscheck.findings import MODEL, Difference
from didymos.crosscheck.our_mechanism import OurMechanism
from didymos.crosscheck.rigid_bodies import RigidBodies
from didymos.crosscheck.source_reading import SourceJoint, SourceReading
from didymos.describe.names import link_values
from didymos.describe.twin import Twin
from didymos.rotations import Pose, quaternion_to_matrix

__all__ = ["compare_models"]

Array = NDArray[np.float64]
_Error = tuple[float, Difference]

_WORLD = "world"


def compare_models(
    twin: Twin, ours: OurMechanism, source: SourceReading, theirs: RigidBodies
) -> tuple[float, tuple[Difference, ...]]:
    """The largest relative error, and what is beyond rounding."""
    errors = [
        *_missing(twin, source),
        *_links(twin, theirs),
        *_joints(twin, ours, source),
        *_placements(ours, source, theirs),
    ]
    named = {difference.subject for error, difference in errors if error > MODEL}
    errors += [item for item in _bodies(ours, theirs) if not named & set(_members(ours, item[1]))]
    beyond = tuple(difference for error, difference in errors if not error <= MODEL)
    return max((error for error, _ in errors), default=0.0), beyond


def _members(ours: OurMechanism, difference: Difference) -> list[str]:
    """The links of a body, as subjects: a body is not named again where one of its links was."""
    body = difference.subject.removeprefix("link ")
    return [f"link {name}" for name in ours.links.bodies.get(ours.links.links[body].body, ())]


def _missing(twin: Twin, source: SourceReading) -> Iterator[_Error]:
    for name in twin.description.links:
        if name not in source.links and name != _WORLD:
            yield np.inf, Difference(f"link {name}", "presence", "read", "not found")
    for name, link in source.links.items():
        if name not in twin.description.links and link.mass > 0.0:
            yield np.inf, Difference(f"link {name}", "presence", "not found", f"{link.mass:.6g} kg")


def _links(twin: Twin, theirs: RigidBodies) -> Iterator[_Error]:
    """Link by link: the description as we read it, with what was set by hand."""
    for name in twin.description.links:
        if name in theirs.links:
            link = theirs.links[name]
            yield from _weights(f"link {name}", link_values(twin, name), (link.mass, link.com, link.inertia))


def _bodies(ours: OurMechanism, theirs: RigidBodies) -> Iterator[_Error]:
    """Body by body: what the engine moves, links behind fixed joints included."""
    model = ours.model
    for name, members in ours.links.bodies.items():
        body = int(model.body(name).id)
        if not model.body_jntnum[body] or not set(members) <= set(theirs.carriers):
            continue
        link = next(member for member in members if _is_identity(ours.links.links[member].pose))
        turn = quaternion_to_matrix(model.body_iquat[body])
        inertia = turn @ np.diag(model.body_inertia[body]) @ turn.T
        own = float(model.body_mass[body]), model.body_ipos[body], inertia
        yield from _weights(f"link {link}", own, theirs.body(link, members))


def _is_identity(pose: Pose) -> bool:
    return not pose.position.any() and np.array_equal(pose.rotation, np.eye(3))


def _weights(subject: str, ours: tuple[float, Array, Array], theirs: tuple[float, Array, Array]) -> Iterator[_Error]:
    size = _size(*theirs)
    heaviest = max(abs(theirs[0]), abs(ours[0]))
    yield _relative(abs(ours[0] - theirs[0]), heaviest), Difference(subject, "mass", f"{ours[0]:.9g} kg", f"{theirs[0]:.9g} kg")
    if heaviest > 0.0:
        away = float(np.abs(ours[1] - theirs[1]).max())
        yield _relative(away, size), Difference(subject, "centre of mass", _words(ours[1], "m"), _words(theirs[1], "m"))
        off, largest = float(np.abs(ours[2] - theirs[2]).max()), float(np.abs(theirs[2]).max())
        inertias = (_words(item[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], "kg m^2") for item in (ours[2], theirs[2]))
        yield _relative(off, max(largest, heaviest * size**2 * MODEL)), Difference(subject, "inertia", *inertias)


def _joints(twin: Twin, ours: OurMechanism, source: SourceReading) -> Iterator[_Error]:
    """Axes, anchors and damping."""
    model = ours.model
    for name, about in twin.description.joints.items():
        joint = source.joints.get(name)
        if joint is None or len(about.engine_joints) != 1 or joint.kind not in ("revolute", "prismatic"):
            continue
        number = int(model.joint(about.engine_joints[0]).id)
        axis, anchor = model.jnt_axis[number], model.jnt_pos[number]
        yield float(np.abs(axis - joint.axis).max()), Difference(f"joint {name}", "axis", _words(axis), _words(joint.axis))
        if joint.kind == "revolute":
            away = anchor - joint.anchor
            away = away - axis * (axis @ away)
            reach = max(float(np.linalg.norm(joint.anchor)), float(np.linalg.norm(joint.placement.position)), 1e-3)
            where = (_words(point, "m") for point in (anchor, joint.anchor))
            yield float(np.abs(away).max()) / reach, Difference(f"joint {name}", "anchor", *where)
        error = _relative(abs(about.damping - joint.damping), max(about.damping, joint.damping))
        yield error, Difference(f"joint {name}", "damping", f"{about.damping:.9g}", f"{joint.damping:.9g}")


def _placements(ours: OurMechanism, source: SourceReading, theirs: RigidBodies) -> Iterator[_Error]:
    """Where a child stands in its parent with all joints at their zero."""
    model, data = ours.model, mujoco.MjData(ours.model)
    mujoco.mj_kinematics(model, data)
    here, there = {_WORLD: Pose()}, theirs.poses(model.qpos0)
    for name, frame in ours.links.links.items():
        body = model.body(frame.body).id
        here[name] = Pose(data.xpos[body].copy(), data.xmat[body].reshape(3, 3).copy()) @ frame.pose
    for joint in source.joints.values():
        parent, child = _known_parent(joint, source, here), joint.child
        if child not in here or parent is None:
            continue
        own, other = (poses[parent].inverse() @ poses[child] for poses in (here, there))
        reach = max(float(np.linalg.norm(other.position)), 1e-3)
        away = float(np.abs(own.position - other.position).max()) / reach
        yield away, Difference(f"link {child}", f"place in {parent}", _words(own.position, "m"), _words(other.position, "m"))
        turned = float(np.abs(own.rotation - other.rotation).max())
        turns = (_words(pose.quaternion) for pose in (own, other))
        yield turned, Difference(f"link {child}", f"orientation in {parent}", *turns)


def _known_parent(joint: SourceJoint, source: SourceReading, known: dict[str, Pose]) -> str | None:
    """The nearest carrier that we know too: an MJCF body of several joints is several bodies to Drake."""
    parent = joint.parent
    while parent not in known:
        above = next((item for item in source.joints.values() if item.child == parent), None)
        if above is None:
            return None
        parent = above.parent
    return parent


def _size(mass: float, com: Array, inertia: Array) -> float:
    return float(np.linalg.norm(com) + np.sqrt(np.trace(inertia) / mass)) if mass > 0.0 else 0.0


def _relative(error: float, scale: float) -> float:
    return error / scale if scale > 0.0 else (0.0 if error == 0.0 else np.inf)


def _words(values: Array, unit: str = "") -> str:
    return f"({' '.join(f'{value:.9g}' for value in values)}) {unit}".strip()
