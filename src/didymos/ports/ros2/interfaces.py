"""ROS 2's interface definitions as text -> types: messages, and the halves of services and actions.

A service `package/srv/Name` is `request --- reply`, and becomes the messages `package/srv/Name_Request` and `_Response`. An
action `package/action/Name` is `goal --- result --- feedback`, and becomes, as in ROS 2, the services and messages by which it
is spoken:

    Name_Goal, Name_Result, Name_Feedback
    Name_SendGoal_Request     goal_id, goal        Name_SendGoal_Response    accepted, stamp
    Name_GetResult_Request    goal_id              Name_GetResult_Response   status, result
    Name_FeedbackMessage      goal_id, feedback

What is registered here is known to the log's own tables as well (`record/cdr.py`), and to `types.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from didymos.errors import InputError
from didymos.record.message_types import ros2_types

__all__ = ["register"]

_NAME = re.compile(r"[A-Za-z]\w*/(msg|srv|action)/[A-Za-z]\w*")
_PARTS = {"msg": ("",), "srv": ("_Request", "_Response"), "action": ("_Goal", "_Result", "_Feedback")}
_BETWEEN = re.compile(r"^---[ \t]*$", re.MULTILINE)
_FILLER = ("structure_needs_at_least_one_member", (1, ("uint8", 0)))  # ROS 2's way to have a message without fields
_UUID = "unique_identifier_msgs/UUID goal_id\n"


def register(definitions: Mapping[str, str]) -> None:
    """Make interfaces known by their text: `{"control_msgs/srv/Name": "string a\\n---\\nbool ok"}`.

    What is known already is left as it is. Any text that does not define an interface is an `InputError`.
    """
    for name, text in definitions.items():
        if not _NAME.fullmatch(name):
            raise InputError(f"found {name!r}, expected a name such as my_msgs/msg/JointCommand")
        kind = name.split("/")[1]
        parts = _BETWEEN.split(text)
        if len(parts) != len(_PARTS[kind]):
            raise InputError(f"{name} has {len(parts)} parts, expected {len(_PARTS[kind])}, with lines '---' between")
        for ending, part in zip(_PARTS[kind], parts, strict=True):
            _add(name + ending, part)
        if kind == "action":
            package, _, action = name.split("/")
            _add(f"{name}_SendGoal_Request", f"{_UUID}{package}/{action}_Goal goal", of_action=package)
            _add(f"{name}_SendGoal_Response", "bool accepted\nbuiltin_interfaces/Time stamp")
            _add(f"{name}_GetResult_Request", _UUID)
            _add(f"{name}_GetResult_Response", f"int8 status\n{package}/{action}_Result result", of_action=package)
            _add(f"{name}_FeedbackMessage", f"{_UUID}{package}/{action}_Feedback feedback", of_action=package)


def _add(name: str, text: str, of_action: str = "") -> None:
    """One message; in those of an action, names of the same package with an underscore are parts of the action."""
    from rosbags.typesys import get_types_from_msg

    store = ros2_types()
    if name in store.fielddefs:
        return
    package, _, own = name.split("/")
    try:
        parsed = get_types_from_msg(text, f"{package}/msg/{own}")
    except Exception as error:  # whatever the library's parser raises for a text that is none
        raise InputError(f"{name} is no definition of a message: {' '.join(str(error).split())[:200]}") from None
    constants, fields = parsed[f"{package}/msg/{own}"]
    if of_action:
        fields = [(field, _in_action(node, of_action)) for field, node in fields]
    missing = sorted({what for _, node in fields for what in _named(node) if what not in store.fielddefs})
    if missing:
        raise InputError(f"{name} needs {', '.join(missing)}, which is not known")
    store.register({name: (constants, fields or [_FILLER])})


def _in_action(node: tuple[int, str], package: str) -> tuple[int, str]:
    kind, what = node
    return (kind, what.replace(f"{package}/msg/", f"{package}/action/", 1)) if isinstance(what, str) else node


def _named(node: tuple[int, object]) -> list[str]:
    """The messages that a field needs."""
    _, what = node
    if isinstance(what, str):
        return [what]
    return _named(what[0]) if isinstance(what, tuple) and isinstance(what[0], tuple) else []
