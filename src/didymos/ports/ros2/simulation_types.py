"""`simulation_interfaces`, the standard of ROS 2's simulation working group: its definitions and their names.

The fields are those of the releases since April 2026 (1.4 for Humble to 2.1 for Rolling). What differs from earlier ones on the
wire is `SetEntityState`, which had no flags that say what is set. Nothing here needs DDS, so whoever lists what a twin offers
can ask here.
"""

from __future__ import annotations

import re
from enum import IntEnum

__all__ = ["ACTION", "DEFINITIONS", "Category", "Features", "Results", "States", "simulation_services", "snake"]

_PACKAGE = "simulation_interfaces"
_RESULT = "\n---\nResult result\n"
_MESSAGES = {
    "Result": "uint8 result\nstring error_message",
    "Resource": "string uri\nstring resource_string",
    "SimulationState": "uint8 state",
    "SimulatorFeatures": "uint16[] features\nstring[] spawn_formats\nstring custom_info",
    "EntityCategory": "uint8 category",
    "EntityInfo": "EntityCategory category\nstring description\nstring[] tags",
    "EntityState": "std_msgs/Header header\ngeometry_msgs/Pose pose\ngeometry_msgs/Twist twist\ngeometry_msgs/Accel acceleration",
    "TagsFilter": "string[] tags\nuint8 filter_mode",
    "Bounds": "uint8 type\ngeometry_msgs/Vector3[] points",
    "EntityFilters": "string filter\nEntityCategory[] categories\nTagsFilter tags\nBounds bounds",
    "NamedPose": "string name\nstring description\nstring[] tags\ngeometry_msgs/Pose pose",
    "Spawnable": "Resource entity_resource\nstring description\nBounds spawn_bounds",
    "SpawnEntity": "string name\nbool allow_renaming\nResource entity_resource\nstring entity_namespace\n"
    "geometry_msgs/PoseStamped initial_pose",
    "SpawnResult": "Result result\nstring entity_name",
    "WorldResource": "string name\nResource world_resource\nstring description\nstring[] tags",
}  # fmt: skip
_SERVICES = {
    "GetSimulatorFeatures": "---\nSimulatorFeatures features",
    "GetSimulationState": "---\nSimulationState state\nResult result",
    "SetSimulationState": "SimulationState state" + _RESULT,
    "StepSimulation": "uint64 steps" + _RESULT,
    "ResetSimulation": "uint8 scope" + _RESULT,
    "GetEntities": "EntityFilters filters" + _RESULT + "string[] entities",
    "GetEntitiesStates": "EntityFilters filters" + _RESULT + "string[] entities\nEntityState[] states",
    "GetEntityState": "string entity" + _RESULT + "EntityState state",
    "SetEntityState": "string entity\nEntityState state\nbool set_pose\nbool set_twist\nbool set_acceleration" + _RESULT,
    "GetEntityInfo": "string entity" + _RESULT + "EntityInfo info",
    "SetEntityInfo": "string entity\nEntityInfo info" + _RESULT,
    "GetEntityBounds": "string entity" + _RESULT + "Bounds bounds",
    "GetCurrentWorld": "---\nResult result\nWorldResource world",
    "SpawnEntity": _MESSAGES["SpawnEntity"] + _RESULT + "string entity_name",
    "SpawnEntities": "SpawnEntity[] spawn_requests" + _RESULT + "SpawnResult[] results",
    "DeleteEntity": "string entity" + _RESULT,
    "GetSpawnables": "string[] sources" + _RESULT + "Spawnable[] spawnables",
    "GetNamedPoses": "TagsFilter tags" + _RESULT + "NamedPose[] poses",
    "GetNamedPoseBounds": "string name" + _RESULT + "Bounds bounds",
    "GetAvailableWorlds": "string[] additional_sources\nTagsFilter filter\nbool offline_only\nbool continue_on_error"
    + _RESULT + "WorldResource[] worlds",
    "LoadWorld": "Resource world_resource\nbool fail_on_unsupported_element\nbool ignore_missing_or_unsupported_assets"
    + _RESULT + "WorldResource world",
    "UnloadWorld": _RESULT.lstrip(),
}  # fmt: skip

ACTION = "SimulateSteps"
"""The one action."""

DEFINITIONS = {
    **{f"{_PACKAGE}/msg/{name}": text for name, text in _MESSAGES.items()},
    **{f"{_PACKAGE}/srv/{name}": text for name, text in _SERVICES.items()},
    f"{_PACKAGE}/action/{ACTION}": "uint64 steps\n---\nResult result\n---\nuint64 completed_steps\nuint64 remaining_steps",
}
"""All interfaces by name, as `interfaces.register` takes them."""


class Results(IntEnum):
    """Codes of `Result`; above 100 those of single services."""

    FEATURE_UNSUPPORTED = 0
    OK = 1
    NOT_FOUND = 2
    INCORRECT_STATE = 3
    OPERATION_FAILED = 4
    INVALID_POSE = 101  # SetEntityState
    ALREADY_IN_TARGET_STATE = 101  # SetSimulationState, as the next two
    STATE_TRANSITION_ERROR = 102
    INCORRECT_TRANSITION = 103


class States(IntEnum):
    """Of `SimulationState`."""

    STOPPED = 0
    PLAYING = 1
    PAUSED = 2
    QUITTING = 3


class Category(IntEnum):
    """Of `EntityCategory`."""

    OBJECT = 1
    ROBOT = 2
    DYNAMIC_OBJECT = 4
    STATIC_OBJECT = 5


class Features(IntEnum):
    """Of `SimulatorFeatures`: those that a twin has."""

    ENTITY_TAGS = 4
    ENTITY_BOUNDS = 5
    ENTITY_BOUNDS_BOX = 6
    ENTITY_CATEGORIES = 8
    ENTITY_STATE_GETTING = 10
    ENTITY_STATE_SETTING = 11
    ENTITY_INFO_GETTING = 12
    ENTITY_INFO_SETTING = 13
    SIMULATION_RESET = 20
    SIMULATION_RESET_STATE = 22
    SIMULATION_STATE_GETTING = 24
    SIMULATION_STATE_SETTING = 25
    SIMULATION_STATE_PAUSE = 26
    STEP_SIMULATION_SINGLE = 31
    STEP_SIMULATION_MULTIPLE = 32
    STEP_SIMULATION_ACTION = 33
    WORLD_INFO_GETTING = 44


def simulation_services(node: str) -> dict[str, str]:
    """The types of all services of the standard by the names that they have at a node (`/quadcopter/get_entities`)."""
    return {f"{node}/{snake(name)}": f"{_PACKAGE}/srv/{name}" for name in _SERVICES}


def snake(name: str) -> str:
    """`GetEntities` -> `get_entities`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
