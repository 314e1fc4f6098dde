"""ros2_control's controller_manager: its services over the controllers of a robot, answered between two ticks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from didymos.describe.ros2_file import CONTROLLER_TYPES
from didymos.engine.run import Run
from didymos.ports.ros2.control_types import MANAGER_SERVICES
from didymos.ports.ros2.controllers import BROADCASTER, Controllers, Switch
from didymos.ports.ros2.hardware import Hardware
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.services import Request, Service
from didymos.ports.ros2.types import blank, message_type

__all__ = ["ControllerManager"]

_ACTIVE = 3  # of lifecycle_msgs/msg/State
_BASE = "controller_interface::ControllerInterface"
_PLUGIN = "didymos/TwinSystem"


class ControllerManager:
    """The services of one robot's controllers; `switched` is told what a switch did."""

    def __init__(
        self,
        owner: Owner,
        hardware: Hardware,
        controllers: Controllers,
        rate: float,
        switched: Callable[[Run, Switch], None],
    ) -> None:
        self._name, self._hardware, self._controllers = owner.name.rpartition("/")[2], hardware, controllers
        self._rate, self._switched = min(round(rate), 65_535), switched
        answers = {
            "list_controllers": self._list_controllers,
            "list_controller_types": self._list_types,
            "list_hardware_interfaces": self._list_interfaces,
            "list_hardware_components": self._list_components,
            "load_controller": lambda _run, request: {"ok": controllers.load(request.message.name)},
            "configure_controller": lambda _run, request: {"ok": controllers.configure(request.message.name)},
            "cleanup_controller": lambda _run, request: {"ok": controllers.clean_up(request.message.name)},
            "unload_controller": lambda _run, request: {"ok": controllers.unload(request.message.name)},
            "switch_controller": self._switch,
            "set_hardware_component_state": self._set_component,
        }
        below = f"{owner.namespace}/controller_manager"
        self.services = [
            Service(f"{below}/{name}", f"controller_manager_msgs/srv/{MANAGER_SERVICES[name]}", answer)
            for name, answer in answers.items()
        ]

    def _list_controllers(self, _run: Run, _request: Request) -> Mapping[str, Any]:
        found = []
        for name, state in self._controllers.states.items():
            plan = self._controllers.plans[name]
            made = blank("controller_manager_msgs/msg/ControllerState")
            made.name, made.state, made.type, made.update_rate = name, state, plan.type_name, self._rate
            made.claimed_interfaces = plan.interfaces if state == "active" else []
            made.required_command_interfaces = plan.interfaces
            joints = plan.joints or self._hardware.joints
            made.required_state_interfaces = _state_interfaces(joints)
            found.append(made)
        return {"controller": found}

    def _list_types(self, _run: Run, _request: Request) -> Mapping[str, Any]:
        types = [BROADCASTER, *CONTROLLER_TYPES]
        return {"types": types, "base_classes": [_BASE] * len(types)}

    def _list_interfaces(self, _run: Run, _request: Request) -> Mapping[str, Any]:
        claimed = self._controllers.claimed()
        lines = self._hardware.lines
        commands = [f"{joint}/{kind}" for joint, line in lines.items() for kind in line.kinds]
        return {
            "command_interfaces": [_interface(name, name in claimed) for name in commands],
            "state_interfaces": [_interface(name, False) for name in _state_interfaces(lines)],
        }

    def _list_components(self, run: Run, request: Request) -> Mapping[str, Any]:
        made = blank("controller_manager_msgs/msg/HardwareComponentState")
        made.name, made.type, made.plugin_name, made.rw_rate = self._name, "system", _PLUGIN, self._rate
        made.class_type, made.state = _PLUGIN, _state()
        interfaces = self._list_interfaces(run, request)
        made.command_interfaces, made.state_interfaces = interfaces["command_interfaces"], interfaces["state_interfaces"]
        return {"component": [made]}

    def _switch(self, run: Run, request: Request) -> Mapping[str, Any]:
        asked = request.message
        done = self._controllers.switch(asked.activate_controllers, asked.deactivate_controllers, asked.strictness)
        self._switched(run, done)
        return {"ok": done.ok, "message": done.message or "Successfully switched controllers!"}

    def _set_component(self, _run: Run, request: Request) -> Mapping[str, Any]:
        """A twin's joints are always there."""
        asked = request.message
        wanted = asked.target_state.id == _ACTIVE or asked.target_state.label == "active"
        return {"ok": asked.name == self._name and wanted, "state": _state()}


def _state() -> Any:
    return message_type("lifecycle_msgs/msg/State")(id=_ACTIVE, label="active")


def _state_interfaces(joints: Iterable[str]) -> list[str]:
    return [f"{joint}/{what}" for joint in joints for what in ("position", "velocity")]


def _interface(name: str, claimed: bool) -> Any:
    kind = message_type("controller_manager_msgs/msg/HardwareInterface")
    return kind(name=name, data_type="double", is_available=True, is_claimed=claimed)
