"""Sensors of MJCF as sensors of a twin.

| MJCF | ours |
|---|---|
| gyro and accelerometer of one site, or one of them | imu |
| jointpos, jointvel | joints, all in one |
| framepos, framequat of one body or site | pose |
| velocities of it, too | odometry |
| force, torque of one site | force_torque |
| touch | contact_force of the link that carries the site |
| rangefinder of a site | rangefinder: ours looks along x, so that a pitch of -90 deg turns it to z of the site |
| magnetometer | magnetometer |

`noise` is the standard deviation of each reading, as MJCF means it. Everything else (clocks, tendons, energies, limits, ...) is
noted, once for each type. Readings come at every physics step, as in the engine.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco

from didymos.describe.description import Description, Device, Note

__all__ = ["mjcf_sensors"]

_S = mujoco.mjtSensor
_ONE_JOINT = {_S.mjSENS_JOINTPOS: "position", _S.mjSENS_JOINTVEL: "velocity"}
_POSE = {
    _S.mjSENS_FRAMEPOS: "position", _S.mjSENS_FRAMEQUAT: "orientation",
    _S.mjSENS_FRAMELINVEL: "velocity", _S.mjSENS_FRAMEANGVEL: "angular_velocity", _S.mjSENS_VELOCIMETER: "velocity",
}  # fmt: skip
_AT_SITE = {
    _S.mjSENS_GYRO: ("imu", "gyro"), _S.mjSENS_ACCELEROMETER: ("imu", "accel"),
    _S.mjSENS_FORCE: ("force_torque", "force"), _S.mjSENS_TORQUE: ("force_torque", "torque"),
    _S.mjSENS_MAGNETOMETER: ("magnetometer", "field"),
}  # fmt: skip


def mjcf_sensors(description: Description) -> tuple[tuple[Device, ...], tuple[Note, ...]]:
    """The sensors of a spec as devices, in the order of the file, and notes on those that have no counterpart."""
    made: dict[tuple[str, str], Device] = {}
    left: dict[str, list[str]] = {}
    names: set[str] = set()
    for sensor in description.spec.sensors:
        record = _record(description, sensor)
        kind = mujoco.mjtSensor(sensor.type).name.removeprefix("mjSENS_").lower()
        if record is None:
            left.setdefault(kind, []).append(sensor.name or sensor.objname)
            continue
        own, errors = record
        key = ("pose" if own["kind"] == "odometry" else own["kind"], str(own.get("link", "")))
        if key not in made:
            base = {"imu": "imu", "joints": "encoders", "pose": f"{own.get('link')}_pose", "odometry": f"{own.get('link')}_pose"}
            name = _free(base.get(own["kind"], sensor.name or f"{own.get('link')}_{kind}"), names)
            made[key] = Device("sensors", name, own)
        _join(made[key].record, own, errors)
    notes = [
        Note(str(description.source), None, f"<{kind}> is not used: there is no such sensor here ({_some(which)})")
        for kind, which in left.items()
    ]
    return tuple(made.values()), tuple(notes)


def _record(description: Description, sensor: mujoco.MjsSensor) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """What a sensor of a twin has of this one: its record, and errors by quantity; None where it has no counterpart."""
    kind, target = mujoco.mjtSensor(sensor.type), sensor.objname
    noise = {"noise": float(sensor.noise)} if sensor.noise > 0.0 else {}
    if kind in _ONE_JOINT and target in description.joints:
        return {"kind": "joints", "joints": [target]}, {_ONE_JOINT[kind]: noise} if noise else {}
    place = _place(description, sensor)
    if place is None:
        return None
    if kind in _POSE and not sensor.refname:
        quantity = _POSE[kind]
        return {"kind": "odometry" if "velocity" in quantity else "pose", "link": place}, {quantity: noise} if noise else {}
    if kind in _AT_SITE and place in description.frames:
        name, quantity = _AT_SITE[kind]
        return {"kind": name, "link": place}, {quantity: noise} if noise else {}
    if kind == _S.mjSENS_TOUCH and place in description.frames and description.frames[place].link in description.links:
        return {"kind": "contact_force", "link": description.frames[place].link}, {}
    if kind == _S.mjSENS_RANGEFINDER and place in description.frames:
        reach = {"reach": float(sensor.cutoff)} if sensor.cutoff > 0.0 else {}
        return {"kind": "rangefinder", "link": place, "pitch": -0.5 * math.pi, **reach}, {"range": noise} if noise else {}
    return None


def _place(description: Description, sensor: mujoco.MjsSensor) -> str | None:
    """The link or frame that a sensor sits on."""
    name = sensor.objname
    if sensor.objtype == mujoco.mjtObj.mjOBJ_SITE:
        frame = description.frames.get(name)
        return name if frame is not None and frame.link in description.links else None
    body = sensor.objtype in (mujoco.mjtObj.mjOBJ_BODY, mujoco.mjtObj.mjOBJ_XBODY)
    return name if body and name in description.links else None


def _join(record: dict[str, Any], own: dict[str, Any], errors: dict[str, Any]) -> None:
    """Take what a further sensor of the same place adds."""
    if own["kind"] == "odometry":
        record["kind"] = "odometry"
    if own["kind"] == "joints":
        record["joints"] = list(dict.fromkeys([*record["joints"], *own["joints"]]))
    for quantity, error in errors.items():
        record[quantity] = error


def _free(name: str, taken: set[str]) -> str:
    clean = "".join(sign if sign.isalnum() or sign in "_-" else "_" for sign in name) or "sensor"
    clean = clean if clean[0].isalpha() or clean[0] == "_" else f"_{clean}"
    clean, free, count = clean[:56], clean[:56], 1
    while free in taken:
        count += 1
        free = f"{clean}_{count}"
    taken.add(free)
    return free


def _some(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:3]) + (", ..." if len(names) > 3 else "")
    return shown if len(names) == 1 else f"{len(names)} of these: {shown}"
