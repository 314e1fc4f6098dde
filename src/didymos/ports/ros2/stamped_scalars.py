"""Streams of scalars as one stamped message: what actuators get, what parts tell, a sensor without a message of its own.

    control_msgs/DynamicJointState      header, joint_names[], interface_values[]: interface_names[], values[]

is what the `joint_state_broadcaster` of ros2_control sends on /dynamic_joint_states: any named values of any named things, with a
stamp. A signal `inputs.drive.position` is the interface `position` of `drive` on /inputs; what has one value alone, such as
`inputs.motor1`, is the interface `value` of `motor1`. The stamp is the time of the tick at which the values were taken; inputs
act from then on until the next message. The topics of single numbers beside them (/inputs/motor1) have no stamp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from didymos.ports.ros2.encode import NOTHING, Array, Batch
from didymos.ports.ros2.form import MessageForm
from didymos.ports.ros2.interfaces import register
from didymos.record.stream import StreamLayout

__all__ = ["DYNAMIC_JOINT_STATE", "VALUE", "StampedScalars", "know_dynamic_joint_state", "split_column"]

DYNAMIC_JOINT_STATE = "control_msgs/msg/DynamicJointState"
VALUE = "value"
"""The interface of what has one value alone."""

_DEFINITIONS = {  # as control_msgs has them
    "control_msgs/msg/InterfaceValue": "string[] interface_names\nfloat64[] values",
    DYNAMIC_JOINT_STATE: "std_msgs/Header header\nstring[] joint_names\nInterfaceValue[] interface_values",
}


def know_dynamic_joint_state() -> None:
    """Make the type known to the tables of messages."""
    register(_DEFINITIONS)


def split_column(column: str) -> tuple[str, str]:
    """Thing and interface of a column: `drive.position` -> drive, position; `motor1` -> motor1, value."""
    thing, _, interface = column.rpartition(".")
    return (thing, interface) if thing else (column, VALUE)


class StampedScalars:
    """Rows of a stream of scalars as messages, in a frame or in none."""

    def __init__(self, layout: StreamLayout, frame: str = "") -> None:
        know_dynamic_joint_state()
        things: dict[str, list[tuple[str, int]]] = {}
        for i, column in enumerate(layout.columns):
            thing, interface = split_column(column)
            things.setdefault(thing, []).append((interface, i))
        self._order = [i for own in things.values() for _, i in own]
        constants, numbers = _places({thing: [name for name, _ in own] for thing, own in things.items()})
        self._form = MessageForm(DYNAMIC_JOINT_STATE, constants | {"header.frame_id": frame}, numbers=numbers)
        self.type_name, self.size = DYNAMIC_JOINT_STATE, self._form.size

    def encode(self, times: Array, values: Array, batch: Batch = NOTHING) -> list[list[bytes]]:
        """A message per row."""
        return [self._form.fill(times, values[:, self._order])]


def _places(things: Mapping[str, Sequence[str]]) -> tuple[dict[str, str | int], list[str]]:
    """What is the same in all messages, and the paths of the numbers, thing by thing."""
    constants: dict[str, str | int] = {"joint_names": len(things), "interface_values": len(things)}
    numbers = []
    for i, (thing, interfaces) in enumerate(things.items()):
        own = f"interface_values.{i}"
        constants |= {f"joint_names.{i}": thing, f"{own}.interface_names": len(interfaces), f"{own}.values": len(interfaces)}
        constants |= {f"{own}.interface_names.{j}": name for j, name in enumerate(interfaces)}
        numbers += [f"{own}.values.{j}" for j in range(len(interfaces))]
    return constants, numbers
