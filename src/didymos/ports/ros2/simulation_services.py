"""The services of `simulation_interfaces` at the node of a twin alone or of the world: `/quadcopter/get_entities`, ...

Gazebo has them below its node as well (`/gzserver/get_entities`). What changes the run is an intervention, kept in a recording.
Entities cannot be added to a model while it runs, nor other worlds be loaded: those services answer FEATURE_UNSUPPORTED, and
`GetSimulatorFeatures` leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest
from didymos.ports.ros2.entities import Entities, Entity
from didymos.ports.ros2.entity_filter import Unsupported, matching
from didymos.ports.ros2.interfaces import register
from didymos.ports.ros2.services import Reply, Request, Service
from didymos.ports.ros2.simulation_types import DEFINITIONS, Features, Results, simulation_services, snake
from didymos.ports.ros2.step_action import StepAction
from didymos.ports.ros2.time_control import Refused, Steps, TimeControl
from didymos.ports.ros2.types import blank_fields, message_type

if TYPE_CHECKING:
    from didymos.engine.run import Run
    from didymos.ports.ros2.outlets import Owner

__all__ = ["SimulationServices"]

_TIME, _STATE, _SPAWNED, _ALL = 1, 2, 4, 255  # of ResetSimulation
_WORLD = ("", "world")
_INFO = (
    "didymos: a step is a tick of the run; time is reset together with the state only "
    "(SCOPE_ALL, or SCOPE_TIME and SCOPE_STATE); see docs/ros2.md"
)
_NOT_HERE = {
    "SpawnEntity": "a model gets no further bodies while it runs; describe them in the world file",
    "SpawnEntities": "a model gets no further bodies while it runs; describe them in the world file",
    "DeleteEntity": "no body can be taken out of a model while it runs",
    "GetSpawnables": "nothing can be spawned while a run goes on",
    "GetNamedPoses": "a twin has no named poses in its world",
    "GetNamedPoseBounds": "a twin has no named poses in its world",
    "GetAvailableWorlds": "a served run keeps its world",
    "LoadWorld": "a served run keeps its world; serve another one",
    "UnloadWorld": "a served run keeps its world",
}
"""Why a service is not supported."""


class SimulationServices:
    """All services and the action of the standard."""

    def __init__(self, owner: Owner, run: Run, control: TimeControl) -> None:
        register(DEFINITIONS)
        self._control, self._entities = control, Entities(run.simulation)
        self._action = StepAction(owner, control)
        self._waiting: dict[int, Request] = {}  # for steps, by who they are
        answers = {snake(name): partial(self._safely, getattr(self, f"_{snake(name)}", None), name) for name in _names()}
        offered = simulation_services(owner.name)
        self.services = [
            *(Service(name, kind, answers[name.rpartition("/")[2]]) for name, kind in offered.items()),
            *self._action.services,
        ]

    def tend(self, run: Run) -> Iterable[Reply]:
        """Take the steps that are on their way."""
        if self._control.steps is None:
            return ()
        steps = self._control.go_on()
        if steps is None:
            return ()
        request = self._waiting.pop(id(steps), None)
        if request is None:
            return self._action.finish(steps)
        if steps.left:
            return [request.reply(_failed(Results.OPERATION_FAILED, f"the run ended after {steps.done} steps"))]
        return [request.reply(_ok())]

    def _safely(self, answer: Callable[..., Any] | None, name: str, run: Run, request: Request) -> dict[str, Any] | None:
        """An answer; whatever does not fit becomes its result."""
        empty = blank_fields(f"simulation_interfaces/srv/{name}_Response")
        try:
            if answer is None:
                raise Refused(Results.FEATURE_UNSUPPORTED, _NOT_HERE[name])
            found = answer(run, request)
            return None if found is None else {**empty, **found}
        except Refused as refusal:
            return {**empty, **_failed(refusal.code, refusal.text)}
        except Unsupported as error:
            return {**empty, **_failed(Results.FEATURE_UNSUPPORTED, str(error))}
        except InputError as error:
            return {**empty, **_failed(Results.OPERATION_FAILED, str(error))}

    # time

    def _get_simulator_features(self, run: Run, request: Request) -> dict[str, Any]:
        features = message_type("simulation_interfaces/msg/SimulatorFeatures")
        return {"features": features(features=[int(one) for one in Features], spawn_formats=[], custom_info=_INFO)}

    def _get_simulation_state(self, run: Run, request: Request) -> dict[str, Any]:
        return {"state": message_type("simulation_interfaces/msg/SimulationState")(state=int(self._control.state)), **_ok()}

    def _set_simulation_state(self, run: Run, request: Request) -> dict[str, Any]:
        self._control.set_state(request.message.state.state)
        return _ok()

    def _step_simulation(self, run: Run, request: Request) -> dict[str, Any] | None:
        steps = Steps(request.message.steps)
        self._control.begin_steps(steps)
        self._waiting[id(steps)] = request
        return None

    def _reset_simulation(self, run: Run, request: Request) -> dict[str, Any]:
        scope = request.message.scope or _ALL
        if scope not in (_STATE, _STATE | _SPAWNED, _TIME | _STATE, _TIME | _STATE | _SPAWNED, _ALL):
            text = f"found the scope {scope}, expected SCOPE_ALL (0 or 255), SCOPE_STATE (2), or SCOPE_TIME and SCOPE_STATE (3)"
            raise Refused(Results.FEATURE_UNSUPPORTED, text)
        self._control.reset(time=bool(scope & _TIME))
        return _ok()

    # entities

    def _find(self, name: str) -> Entity:
        known = self._entities.all
        if name not in known:
            raise Refused(Results.NOT_FOUND, f"there is no entity {name[:40]!r}{nearest(name, known)}")
        return known[name]

    def _get_entities(self, run: Run, request: Request) -> dict[str, Any]:
        self._entities.look()
        return {"entities": [entity.name for entity in matching(self._entities, request.message.filters)], **_ok()}

    def _get_entities_states(self, run: Run, request: Request) -> dict[str, Any]:
        self._entities.look()
        found = matching(self._entities, request.message.filters)
        states = [self._state(run, entity) for entity in found]
        return {"entities": [entity.name for entity in found], "states": states, **_ok()}

    def _get_entity_state(self, run: Run, request: Request) -> dict[str, Any]:
        entity = self._find(request.message.entity)
        self._entities.look()
        return {"state": self._state(run, entity), **_ok()}

    def _set_entity_state(self, run: Run, request: Request) -> dict[str, Any]:
        message = request.message
        entity, given = self._find(message.entity), message.state
        if given.header.frame_id not in _WORLD:
            text = f"found the frame {given.header.frame_id[:40]!r}, expected world"
            raise Refused(Results.FEATURE_UNSUPPORTED, text)
        if not (message.set_pose or message.set_twist):
            if message.set_acceleration:
                raise Refused(Results.FEATURE_UNSUPPORTED, "accelerations follow from forces and cannot be set")
            raise Refused(Results.OPERATION_FAILED, "no flag says what to set: set_pose, set_twist")
        if not entity.path:
            raise Refused(Results.OPERATION_FAILED, f"{entity.name} is not free, so it cannot be put elsewhere")
        self._entities.look()
        state = self._entities.state(entity)
        if message.set_pose:
            state[:7] = _numbers(given.pose.position, "xyz") + _numbers(given.pose.orientation, "wxyz")
        if message.set_twist:
            state[7:] = _numbers(given.twist.linear, "xyz") + _numbers(given.twist.angular, "xyz")
        if not np.isfinite(state).all():
            raise Refused(Results.INVALID_POSE, "found a number that is not finite")
        try:
            run.intervene("put", entity.path, *state)
        except InputError as error:
            raise Refused(Results.INVALID_POSE, error.message) from None
        return _ok()

    def _get_entity_info(self, run: Run, request: Request) -> dict[str, Any]:
        entity = self._find(request.message.entity)
        info, category = (message_type(f"simulation_interfaces/msg/{name}") for name in ("EntityInfo", "EntityCategory"))
        made = info(category=category(category=int(entity.category)), description=entity.description, tags=list(entity.tags))
        return {"info": made, **_ok()}

    def _set_entity_info(self, run: Run, request: Request) -> dict[str, Any]:
        entity, info = self._find(request.message.entity), request.message.info
        entity.category, entity.description, entity.tags = info.category.category, info.description, list(info.tags)
        return _ok()

    def _get_entity_bounds(self, run: Run, request: Request) -> dict[str, Any]:
        entity = self._find(request.message.entity)
        self._entities.look()
        box = self._entities.box(entity, self._entities.pose(entity))
        vector, bounds = message_type("geometry_msgs/msg/Vector3"), message_type("simulation_interfaces/msg/Bounds")
        points = [] if box is None else [vector(*map(float, corner)) for corner in (box[1], box[0])]  # the upper one first
        return {"bounds": bounds(type=1 if points else 0, points=points), **_ok()}

    def _get_current_world(self, run: Run, request: Request) -> dict[str, Any]:
        what = run.simulation.twin
        world, resource = (message_type(f"simulation_interfaces/msg/{name}") for name in ("WorldResource", "Resource"))
        source = resource(uri=what.source.resolve().as_uri(), resource_string="")
        return {"world": world(name=what.name, world_resource=source, description=what.title, tags=[]), **_ok()}

    def _state(self, run: Run, entity: Entity) -> Any:
        state, motion = self._entities.state(entity), self._entities.acceleration(entity)
        seconds, rest = divmod(round(run.simulation.time * 1e9), 1_000_000_000)
        header = message_type("std_msgs/msg/Header")(message_type("builtin_interfaces/msg/Time")(seconds, rest), "world")
        point, quaternion = message_type("geometry_msgs/msg/Point"), message_type("geometry_msgs/msg/Quaternion")
        x, y, z, qw, qx, qy, qz = (float(value) for value in state[:7])
        return message_type("simulation_interfaces/msg/EntityState")(
            header=header,
            pose=message_type("geometry_msgs/msg/Pose")(point(x, y, z), quaternion(qx, qy, qz, qw)),
            twist=message_type("geometry_msgs/msg/Twist")(*_vectors(state[7:])),
            acceleration=message_type("geometry_msgs/msg/Accel")(*_vectors(motion)),
        )


def _names() -> list[str]:
    return [kind.rpartition("/")[2] for kind in simulation_services("").values()]


def _vectors(values: NDArray[np.float64]) -> tuple[Any, Any]:
    vector = message_type("geometry_msgs/msg/Vector3")
    return vector(*map(float, values[:3])), vector(*map(float, values[3:]))


def _numbers(message: Any, names: str) -> list[float]:
    return [float(getattr(message, name)) for name in names]


def _ok() -> dict[str, Any]:
    return _failed(Results.OK, "")


def _failed(code: int, text: str) -> dict[str, Any]:
    return {"result": message_type("simulation_interfaces/msg/Result")(result=int(code), error_message=text)}
