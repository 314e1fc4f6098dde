"""Which joints of a new twin are driven, and by what.

| in the description | in the twin |
|---|---|
| actuators of MJCF | these: inputs of the twin by their names; joints without one are passive |
| a plugin for which we have a law (`JointPositionController`, `DiffDrive`, a motor with its rotor) | its part |
| `<ros2_control>`: a joint with a command, `<transmission>` | a servo |
| `<ros2_control>`: a joint without a command; a joint that follows another (`<mimic>`) | passive |
| neither says anything of a joint that has limits or an effort | a servo |
| others are said to be driven, and this one turns without end and without an effort: a caster | passive |
| nothing is said of any joint | a servo on each, but for those of casters and rollers |

Gains of servos are those of `control/joint_gains.py`, for the posture in which the twin starts; limits of effort and velocity are
the joint's. Where the description gives no effort, the servo has no limit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from didymos.control.joint_gains import joint_gains
from didymos.describe.description import Description, Device, Joint, JointKind
from didymos.describe.names import movable_joints
from didymos.model import RobotModel

__all__ = ["Drives", "choose_drives", "make_servos"]

_DIGITS = 4  # of gains


@dataclass(frozen=True)
class Drives:
    """Which joints are driven, by actuators or plugins of the description or by a servo that is to be made, and which are not."""

    own: tuple[str, ...]
    served: tuple[str, ...]
    passive: tuple[str, ...]
    why: str

    @property
    def joints(self) -> tuple[str, ...]:
        """All that something drives."""
        return (*self.own, *self.served)


def choose_drives(description: Description, idle: Collection[str] = ()) -> Drives:
    """Which joints of a description are driven, by the table above; `idle` are those of casters and rollers."""
    parts = [device.record for device in description.devices if device.role == "parts"]
    spun = {str(record["joint"]) for record in parts if record["kind"] == "rotor" and "joint" in record}
    by_part = {str(record["joint"]) for record in parts if "joint" in record} - spun
    engine = {name: joint.engine_joints[0] for name, joint in description.joints.items() if joint.engine_joints}
    actuators = [actuator.target for actuator in description.spec.actuators]
    movable = tuple(name for name in movable_joints(description) if name not in spun)
    own = tuple(name for name in movable if name in by_part or engine[name] in actuators)
    served: tuple[str, ...] = ()
    if not actuators:
        said = {name for name, drive in description.drives.items() if drive.commands} | by_part
        free = [name for name in movable if name not in by_part and engine[name] not in description.followers]
        served = tuple(name for name in free if _is_driven(description, name, bool(said)))
    if served and not any(drive.commands for drive in description.drives.values()) and not by_part:
        served = tuple(name for name in served if name not in idle)
    passive = tuple(name for name in movable if name not in own and name not in served)
    why = _count(len(actuators), "actuator") + " of the description" if actuators else _why(description, by_part, served)
    return Drives(own, served, passive, why)


def make_servos(
    description: Description,
    model: RobotModel,
    served: Sequence[str],
    posture: Mapping[str, float],
    step: float,
    rolling: Mapping[str, float],
    soft: Collection[str] = (),
) -> tuple[Device, ...]:
    """A servo for each of some joints, at a posture [rad] or [m], for a physics step [s]; `rolling` is the damping [N m s/rad] of
    those that turn wheels, which are held by speed alone; `soft` are joints, those of legs, whose stiffness goes by their inertia
    and not by their effort: an imu on the trunk feels the lent damping of stiff servos."""
    if not served:
        return ()
    gains = joint_gains(model, step, posture=posture, effort=dict.fromkeys(soft, math.inf))
    taken = {device.name for device in description.devices if device.role == "parts"}
    gains |= {name: (0.0, damping) for name, damping in rolling.items()}
    return tuple(_servo(description.joints[name], gains[name], description, taken) for name in served)


def _is_driven(description: Description, name: str, others: bool) -> bool:
    """Whether a joint that no part drives yet gets a servo; `others` says that the description names joints with drives."""
    drive = description.drives.get(name)
    if drive is not None:
        return bool(drive.commands)
    joint = description.joints[name]
    return not others or joint.effort is not None or joint.kind is not JointKind.CONTINUOUS


def _servo(joint: Joint, gains: tuple[float, float], description: Description, taken: set[str]) -> Device:
    clean = re.sub(r"[^A-Za-z0-9_-]+", "_", joint.name).strip("_") or "joint"
    clean = (clean if re.match(r"[A-Za-z_]", clean) else f"_{clean}")[:60]
    name, count = clean, 1
    while name in taken:
        count += 1
        name = f"{clean}_{count}"
    taken.add(name)
    drive = description.drives.get(joint.name)
    kp, kd = (_rounded(value) for value in gains)
    by_speed = not kp or (drive is not None and drive.commands == ("velocity",))
    record: dict[str, object] = {"kind": "servo", "link": joint.parent if joint.parent in description.links else joint.child}
    record |= {"joint": joint.name} | ({} if by_speed else {"kp": kp}) | {"kd": kd}
    record |= {} if joint.effort is None else {"effort_limit": joint.effort}
    record |= {} if joint.velocity is None else {"velocity_limit": joint.velocity}
    return Device("parts", name, record)


def _rounded(value: float) -> float:
    if not value > 0.0:
        return 0.0
    return round(value, _DIGITS - 1 - math.floor(math.log10(value)))


def _why(description: Description, by_part: Collection[str], served: Sequence[str]) -> str:
    if not by_part and not served:
        return "no drives"
    told = [description.drives[name].by for name in served if name in description.drives]
    silent = len(served) - len(told)
    if silent and not told and not by_part:
        return f"{_count(silent, 'servo')}: the description says nothing of drives, so each joint has one"
    texts = [f"{len(by_part)} by plugins"] if by_part else []
    texts += [f"{_count(told.count(by), 'servo')} by {by}" for by in dict.fromkeys(told)]
    texts += [f"{_count(silent, 'servo')} on joints of which it says nothing"] if silent else []
    return ", ".join(texts)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
