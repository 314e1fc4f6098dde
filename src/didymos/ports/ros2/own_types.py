"""Message types of the robot's own, from text in the twin's folder.

`my_msgs/msg/JointCommand` is `msg/my_msgs/JointCommand.msg`, or `msg/JointCommand.msg`, of the folder; so is every message that
it needs and ROS 2 does not have. Nothing of the folder is run.
"""

from __future__ import annotations

import re
from pathlib import Path

from didymos.errors import InputError, nearest
from didymos.ports.ros2.interfaces import register
from didymos.record.message_types import ros2_types

__all__ = ["know_type"]

_NAME = re.compile(r"([A-Za-z]\w*)/msg/([A-Za-z]\w*)")
_MOST = 100_000  # characters of a definition
_DEEP = 16  # messages within messages


def know_type(folder: Path, type_name: str, deep: int = 0) -> None:
    """Make a type of ROS 2, or of the files in a twin's folder, known; anything else is an `InputError`."""
    match = _NAME.fullmatch(type_name)
    if match is None:
        raise InputError(f"found {type_name!r}, expected the name of a message such as my_msgs/msg/JointCommand")
    file = _file(folder, *match.groups())
    store = ros2_types()
    if file is None:
        if type_name not in store.fielddefs:
            known = [*store.fielddefs, *(f"{match[1]}/msg/{item.stem}" for item in sorted((folder / "msg").glob("*.msg")))]
            what = f"there is no message {type_name}{nearest(type_name, known)}: ROS 2 has none, nor is there a file"
            raise InputError(f"{what} msg/{match[2]}.msg in the twin's folder")
        return
    if deep > _DEEP:
        raise InputError(f"{type_name} is within itself")
    text = _text(file)
    for needed in _needed(text, match[1]):
        if needed not in store.fielddefs or _file(folder, *needed.split("/")[::2]) is not None:
            know_type(folder, needed, deep + 1)
    before = store.fielddefs.get(type_name)
    register({type_name: text})
    if before is not None and _fields(text, type_name) != before[1]:
        raise InputError(f"{file.name} defines {type_name} otherwise than another twin of this run, or ROS 2, does")


def _file(folder: Path, package: str, name: str) -> Path | None:
    for file in (folder / "msg" / package / f"{name}.msg", folder / "msg" / f"{name}.msg"):
        if file.is_file() and file.resolve().is_relative_to(folder.resolve()):
            return file
    return None


def _text(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=file) from None
    if len(text) > _MOST:
        raise InputError(f"has {len(text)} characters, expected at most {_MOST}", file=file)
    return text


def _needed(text: str, package: str) -> list[str]:
    """The messages that a definition names: `geometry_msgs/Pose pose`, `Motor[4] motors`, `Header header`."""
    found = []
    for line in text.splitlines():
        kind = line.partition("#")[0].split()[:1]
        base = re.sub(r"(\[.*)|(<=.*)", "", kind[0]) if kind else ""
        if "/" in base:
            parts = base.split("/")
            found.append(f"{parts[0]}/msg/{parts[-1]}")
        elif base == "Header":
            found.append("std_msgs/msg/Header")
        elif base[:1].isupper():
            found.append(f"{package}/msg/{base}")
    return found


def _fields(text: str, type_name: str) -> object:
    from rosbags.typesys import get_types_from_msg

    return get_types_from_msg(text, type_name)[type_name][1]
