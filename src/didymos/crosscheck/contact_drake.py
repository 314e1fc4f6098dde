"""A case of contact in Drake: its own reading of the description, shapes included, its own search for contacts, its own solver.

Point contacts, in steps of at most 1 ms, by the `lagged` approximation (convex, Hunt and Crossley's dissipation), the friction
of the ground as the twin has it. Drake touches a box in one point, a robot on several shapes in as many.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.crosscheck.contact_case import ContactStart
from didymos.crosscheck.contact_ours import ContactRun
from didymos.crosscheck.coordinates import HINGE, SLIDE
from didymos.crosscheck.source_reading import NotComparable, load_into
from didymos.describe.twin import Twin
from didymos.rotations import quaternion_to_matrix

__all__ = ["run_drake"]

_STEP = 0.001  # [s]
_ALLOWANCE = 0.0005  # [m], how deep Drake's contacts may go under the robot's weight


def run_drake(twin: Twin, start: ContactStart) -> ContactRun:
    """The case in Drake."""
    from pydrake.systems.analysis import Simulator

    diagram, plant = _world(twin, start)
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    root = plant.GetBodyByName(twin.description.root)
    joints = _joints(twin, start, plant)
    _place(start, plant, context, root, joints)
    forces = np.zeros(plant.num_velocities())
    port = plant.get_applied_generalized_force_input_port()
    port.FixValue(context, forces)
    simulator.Initialize()
    samples = round(start.seconds / start.sample)
    position, tilt, depth, support = np.zeros((samples, 3)), np.zeros(samples), np.zeros(samples), np.zeros(samples)
    qpos, qvel, before = start.qpos.copy(), np.zeros(start.model.nv), start.settling
    for i in range(-before, samples):
        if i == 0:
            _kick(start, plant, context, root)
        for q, v, joint in joints:
            qpos[q], qvel[v] = joint.GetOnePosition(context), joint.GetOneVelocity(context)
        held = start.hold(qpos, qvel)
        for _, v, joint in joints:
            forces[joint.velocity_start()] = held[v]
        port.FixValue(context, forces)
        simulator.AdvanceTo(start.sample * (i + 1 + before))
        if i < 0:
            continue
        pose = root.EvalPoseInWorld(context)
        position[i] = pose.translation()
        tilt[i] = np.arccos(np.clip(pose.rotation().matrix()[2, 2], -1.0, 1.0))
        depth[i], support[i] = _contacts(plant, context)
    return ContactRun(start.times, position, tilt, depth, support)


def _world(twin: Twin, start: ContactStart) -> tuple[Any, Any]:
    """Robot and ground, with the friction of the ground on both, which is what Drake then uses."""
    from pydrake.geometry import (
        AddContactMaterial,
        CollisionFilterDeclaration,
        GeometrySet,
        HalfSpace,
        ProximityProperties,
        Role,
        RoleAssign,
    )
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction, DiscreteContactApproximation
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    step = start.sample / np.ceil(start.sample / _STEP - 1e-9)  # a sample is a whole number of steps
    plant, scene = AddMultibodyPlantSceneGraph(builder, float(step))
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kLagged)
    plant.set_contact_model(ContactModel.kPoint)
    load_into(plant, twin.description_file, shapes=True)
    friction, rubber = CoulombFriction(start.friction, start.friction), ProximityProperties()
    AddContactMaterial(friction=friction, properties=rubber)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform([0.0, 0.0, start.ground]), HalfSpace(), "ground", rubber)
    plant.mutable_gravity_field().set_gravity_vector(start.gravity)
    plant.set_penetration_allowance(_ALLOWANCE)
    plant.Finalize()
    inspector, own = scene.model_inspector(), GeometrySet()
    for shape in inspector.GetAllGeometryIds(Role.kProximity):
        properties = ProximityProperties(inspector.GetProximityProperties(shape))
        properties.UpdateProperty("material", "coulomb_friction", friction)
        scene.AssignRole(plant.get_source_id(), shape, properties, RoleAssign.kReplace)
        if inspector.GetFrameId(shape) != scene.world_frame_id():
            own.Add(shape)
    scene.collision_filter_manager().Apply(CollisionFilterDeclaration().ExcludeWithin(own))
    return builder.Build(), plant


def _joints(twin: Twin, start: ContactStart, plant: Any) -> list[tuple[int, int, Any]]:
    """Position and velocity of each joint in our engine, and Drake's joint."""
    found = []
    for name, about in twin.description.joints.items():
        if len(about.engine_joints) == 1 and not (twin.description.floating and about.child == twin.description.root):
            joint = int(start.model.joint(about.engine_joints[0]).id)
            if int(start.model.jnt_type[joint]) not in (HINGE, SLIDE) or not plant.HasJointNamed(name):
                raise NotComparable(f"joint {name!r} has other coordinates in Drake")
            found.append((int(start.model.jnt_qposadr[joint]), int(start.model.jnt_dofadr[joint]), plant.GetJointByName(name)))
    return found


def _place(start: ContactStart, plant: Any, context: Any, root: Any, joints: list[tuple[int, int, Any]]) -> None:
    from pydrake.math import RigidTransform, RotationMatrix

    for q, _, joint in joints:
        value = start.qpos[q]
        joint.set_angle(context, value) if joint.type_name() == "revolute" else joint.set_translation(context, value)
    q = int(start.model.jnt_qposadr[start.model.body_jntadr[start.root]])
    turn = quaternion_to_matrix(start.qpos[q + 3 : q + 7])
    place: Any = start.qpos[q : q + 3]
    plant.SetFreeBodyPose(context, root, RigidTransform(RotationMatrix(turn), place))


def _kick(start: ContactStart, plant: Any, context: Any, root: Any) -> None:
    from pydrake.multibody.math import SpatialVelocity

    now = root.EvalSpatialVelocityInWorld(context)
    kicked = SpatialVelocity(now.rotational(), now.translational() + start.kick)
    plant.SetFreeBodySpatialVelocity(context=context, body=root, V_JpJc=kicked)


def _contacts(plant: Any, context: Any) -> tuple[float, float]:
    results = plant.get_contact_results_output_port().Eval(context)
    depth, total = 0.0, 0.0
    for i in range(int(results.num_point_pair_contacts())):
        info = results.point_pair_contact_info(i)
        if plant.world_body().index() in (info.bodyA_index(), info.bodyB_index()):
            depth = max(depth, float(info.point_pair().depth))
            total += abs(float(info.contact_force()[2]))
    return depth, total
