"""The sensors of a new twin: pose, encoders, an imu of what floats, and all that the description brings.

What floats has to know how it moves by its sensors, so those that the description does not bring have errors: the imu the
densities of a small MEMS unit, encoders a tenth of a milliradian. Those of a fixed base are exact.
"""

from __future__ import annotations

from collections.abc import Iterable

from didymos.describe.description import Description, Device
from didymos.describe.names import RESERVED, movable_joints

__all__ = ["choose_sensors"]

_RATE = 100.0  # [Hz] of what only serves to be looked at
_IMU = {"gyro": {"noise_density": 2.0e-4, "bias": 0.003}, "accel": {"noise_density": 2.0e-3, "bias": 0.05}}  # a small MEMS unit
_ENCODERS = {"position": {"noise": 1.0e-4}, "velocity": {"noise": 0.02}}


def choose_sensors(
    description: Description, *, floating: bool, movable: bool, rate: float, efforts: Iterable[str]
) -> list[Device]:
    """Sensors under names that no run takes itself; `rate` [Hz] of those that a program reads, `efforts` are readouts for it."""
    own = [device for device in description.devices if device.role == "sensors"]
    names = {device.name for device in own}
    made = [Device("sensors", _free("state", names), {"kind": "odometry", "link": description.root, "rate": _RATE})]
    for device in own:
        name = device.name if device.name not in RESERVED else _free(f"{device.name}_sensor", names)
        made.append(Device("sensors", name, dict(device.record)))
    kinds = {device.record["kind"] for device in own}
    if floating and "imu" not in kinds:
        made.append(Device("sensors", _free("imu", names), {"kind": "imu", "link": description.root, "rate": rate, **_IMU}))
    if movable and not any(_reads_all_joints(device, description) for device in own):
        errors = _ENCODERS if floating else {}
        made.append(Device("sensors", _free("encoders", names), {"kind": "joints", "rate": rate, **errors}))
    if readouts := list(efforts):
        made.append(Device("sensors", _free("efforts", names), {"kind": "readout", "rate": rate, "readouts": readouts}))
    return made


def _reads_all_joints(device: Device, description: Description) -> bool:
    joints = movable_joints(description)
    return device.record["kind"] == "joints" and set(joints) <= set(device.record.get("joints", joints))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name
