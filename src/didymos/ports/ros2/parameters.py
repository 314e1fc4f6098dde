"""ROS 2's parameter services over the twin's own parameter tree, and /parameter_events.

    NODE/set_parameters, set_parameters_atomically      live paths only, one by one, or all or none
    NODE/get_parameters, get_parameter_types            any path
    NODE/list_parameters, describe_parameters           what there is, with units, bounds, and what can change

In a world the node of a robot has the robot's parameters by the robot's own paths, that of the world has all. Whoever of them is
asked, all nodes that know a number that has changed say so on /parameter_events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from didymos.describe.path_patterns import tied_paths, unknown_path
from didymos.engine.run import Run
from didymos.errors import InputError
from didymos.ports.ros2 import descriptors
from didymos.ports.ros2.descriptors import USE_SIM_TIME, descriptor, number_of, parameter_value, sim_time_descriptor
from didymos.ports.ros2.interfaces import register
from didymos.ports.ros2.names import dds_topic
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.parameter_names import EVENTS, PARAMETER_TYPES, parameter_services
from didymos.ports.ros2.services import Reply, Request, Service
from didymos.ports.ros2.types import message_type, type_hash

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["Parameters", "connect"]

_DEPTH = 1000  # as rmw_qos_profile_parameter_events


class Parameters:
    """The parameter services of a node. `others` are those of all nodes of the run, this one among them."""

    def __init__(self, owner: Owner) -> None:
        register(PARAMETER_TYPES)
        self._owner, self.others = owner, [self]
        answers = {
            "set_parameters": self._set, "set_parameters_atomically": self._set_atomically, "get_parameters": self._get,
            "get_parameter_types": self._get_types, "list_parameters": self._list, "describe_parameters": self._describe,
        }  # fmt: skip
        offered = parameter_services(owner.name)
        self.services = [Service(name, kind, answers[name.rpartition("/")[2]]) for name, kind in offered.items()]
        self._event = message_type(EVENTS[1])
        about = f"typehash={type_hash(EVENTS[1])};"
        self._writer = owner.node.writer(dds_topic(EVENTS[0]), self._event, depth=_DEPTH, about=about)

    def tend(self, run: Run) -> Iterable[Reply]:
        """Nothing: all is answered at once."""
        return ()

    # set

    def _set(self, run: Run, request: Request) -> dict[str, Any]:
        results: list[Any] = []
        changed: dict[str, float] = {}
        for parameter in request.message.parameters:
            try:
                values = self._values(run, [parameter])
                for path, value in values.items():
                    run.intervene("set", self._owner.prefix + path, value)
                changed |= values
                results.append(_result())
            except InputError as error:
                results.append(_result(self._reason(error)))
        self._tell_all(run, changed)
        return {"results": results}

    def _set_atomically(self, run: Run, request: Request) -> dict[str, Any]:
        try:
            values = self._values(run, request.message.parameters)
            if values:
                paths = "\n".join(self._owner.prefix + path for path in values)
                run.intervene("set_all", paths, *values.values())
        except InputError as error:
            return {"result": _result(self._reason(error))}
        self._tell_all(run, values)
        return {"result": _result()}

    def _values(self, run: Run, parameters: Iterable[Any]) -> dict[str, float]:
        """Numbers by path or pattern; what no robot of this node has, and what is no number, is an `InputError`."""
        known, owner, values = self._owner.parameters(run.simulation), self._owner, {}
        for parameter in parameters:
            name = parameter.name
            if name == USE_SIM_TIME:
                if parameter.value.type != descriptors.BOOL or not parameter.value.bool_value:
                    raise InputError("stays true: this node is the clock", path=name)
                continue
            if "\n" in name or (owner.prefix and not tied_paths(name, known)):
                whole = "is of the world; set it through the world's node"
                raise InputError(whole if name.startswith("world.") else unknown_path(name, known), path=name)
            values[name] = number_of(parameter.value)
        return values

    def _reason(self, error: InputError) -> str:
        path = error.path and error.path.removeprefix(self._owner.prefix)
        return str(InputError(error.message, file=error.file, line=error.line, path=path, option=error.option))

    # ask

    def _get(self, run: Run, request: Request) -> dict[str, Any]:
        known = self._owner.parameters(run.simulation)
        return {"values": [self._value(known, name) for name in request.message.names]}

    def _get_types(self, run: Run, request: Request) -> dict[str, Any]:
        known = self._owner.parameters(run.simulation)
        return {"types": [self._value(known, name).type for name in request.message.names]}

    def _describe(self, run: Run, request: Request) -> dict[str, Any]:
        known = self._owner.parameters(run.simulation)
        return {"descriptors": [self._descriptor(run.simulation, known, name) for name in request.message.names]}

    def _descriptor(self, simulation: Simulation, known: Mapping[str, Any], name: str) -> Any:
        if name == USE_SIM_TIME:
            return sim_time_descriptor()
        return descriptor(name, known.get(name), self._source(simulation, name))

    def _list(self, run: Run, request: Request) -> dict[str, Any]:
        """Paths at or below any of the prefixes, not deeper below it than `depth` names; 0 is without limit."""
        prefixes, depth = request.message.prefixes, request.message.depth
        known = [*self._owner.parameters(run.simulation), USE_SIM_TIME]
        paths = [path for path in known if _is_listed(path, prefixes, depth)]
        below = sorted({path.rpartition(".")[0] for path in paths} - {""})
        return {"result": message_type("rcl_interfaces/msg/ListParametersResult")(names=paths, prefixes=below)}

    def _value(self, known: Mapping[str, Any], name: str) -> Any:
        if name == USE_SIM_TIME:
            return parameter_value(True)
        return parameter_value(known[name].value if name in known else None)

    def _source(self, simulation: Simulation, name: str) -> str:
        """Where a number comes from: the description of a robot, or the file that is served."""
        robot, path = self._owner.robot, name
        if robot is None and not name.startswith("world."):
            first, _, path = name.partition(".")
            robot = simulation.robots.get(first)
        if robot is None:
            return str(simulation.twin.source.name)
        described = path.startswith(("links.", "joints.", "description."))
        return f"{robot.twin.name}, {robot.twin.description_file.path.name if described else robot.twin.source.name}"

    # tell

    def _tell_all(self, run: Run, changed: Mapping[str, float]) -> None:
        """Let every node that knows what has changed say so; `changed` by the paths and patterns of this one."""
        whole = [self._owner.prefix + path for path in changed]
        for other in self.others:
            other.tell(run, whole)

    def tell(self, run: Run, paths: Sequence[str]) -> None:
        """Say that numbers have changed, by their paths in the run; those that this node does not know are left out."""
        if not paths:
            return
        known, prefix = self._owner.parameters(run.simulation), self._owner.prefix
        mine = dict.fromkeys(
            own for path in paths if path.startswith(prefix) for own in tied_paths(path.removeprefix(prefix), known)
        )
        if mine:
            seconds, rest = divmod(round(run.simulation.time * 1e9), 1_000_000_000)
            parameter = message_type("rcl_interfaces/msg/Parameter")
            event = self._event(
                stamp=message_type("builtin_interfaces/msg/Time")(sec=seconds, nanosec=rest),
                node=self._owner.name,
                new_parameters=[],
                changed_parameters=[parameter(name=own, value=parameter_value(known[own].value)) for own in mine],
                deleted_parameters=[],
            )
            self._writer.write(event)


def connect(features: Iterable[object]) -> list[Parameters]:
    """Let the parameter services of all nodes of a run know each other."""
    found = [feature for feature in features if isinstance(feature, Parameters)]
    for one in found:
        one.others = found
    return found


def _result(reason: str = "") -> Any:
    return message_type("rcl_interfaces/msg/SetParametersResult")(successful=not reason, reason=reason)


def _is_listed(path: str, prefixes: Sequence[str], depth: int) -> bool:
    for prefix in prefixes or [""]:
        rest = path if not prefix else path.removeprefix(prefix + ".")
        if path == prefix or ((not prefix or rest != path) and (depth == 0 or rest.count(".") < depth)):
            return True
    return False
