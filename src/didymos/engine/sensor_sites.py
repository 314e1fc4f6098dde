"""Sensors and cameras on a model: the engine's own sensors where it has them, and names for every number that is read."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from didymos.contract import Declaration
from didymos.describe.joint_units import of_joint, of_part
from didymos.describe.names import cameras, movable_joints, readings
from didymos.describe.twin import Twin
from didymos.engine.link_frames import LinkFrame, LinkFrames
from didymos.rotations import Pose
from didymos.sensors import SENSORS, Sensor, SensorSpec
from didymos.sensors.camera import Camera, optical_frame
from didymos.sensors.sensor import ACCELERATIONS

__all__ = [
    "MOMENTUM", "TRUTH", "WHOLE_MOMENTUM", "MeasuredQuantity", "add_momentum", "add_sensors", "camera_name", "optical_frames",
    "output_of",
    "site_name",
]  # fmt: skip

TRUTH = "truth"
"""Name of the stream with the true pose and motion of the root link; no sensor may take it."""

MOMENTUM = "momentum"
"""Name of the stream with the momentum and energy of everything together."""

WHOLE_MOMENTUM = "didymos:world:momentum"
"""Names of the engine's sensors of the momentum of a world of several robots begin so."""

_ENGINE_SENSORS = {
    "gyro": mujoco.mjtSensor.mjSENS_GYRO,
    "accelerometer": mujoco.mjtSensor.mjSENS_ACCELEROMETER,
    "jointpos": mujoco.mjtSensor.mjSENS_JOINTPOS,
    "jointvel": mujoco.mjtSensor.mjSENS_JOINTVEL,
    "magnetometer": mujoco.mjtSensor.mjSENS_MAGNETOMETER,
    "rangefinder": mujoco.mjtSensor.mjSENS_RANGEFINDER,
    "contact": mujoco.mjtSensor.mjSENS_CONTACT,
    "force": mujoco.mjtSensor.mjSENS_FORCE,
    "torque": mujoco.mjtSensor.mjSENS_TORQUE,
}
_OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""Axes of an optical frame, as columns, in the frame of the link: right, down, forward."""

_NET_FORCE = [1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE), 3, 1]  # of a contact sensor: force, summed up, one


@dataclass(frozen=True)
class MeasuredQuantity:
    """One quantity of a sensor of a twin: what its numbers are called, and where its true value comes from.

    `engine_name` is the first of the engine's sensors that give it; empty where our state holds it (`ideal:SENSOR.QUANTITY`).
    """

    sensor: str
    quantity: str
    columns: tuple[str, ...]
    units: tuple[str, ...]
    form: int  # one of `Form`
    acceleration: bool
    engine_name: str = ""

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return len(self.columns)


def camera_name(twin: Twin, sensor: str) -> str:
    """The engine's camera of a sensor."""
    return twin.description.own_name(sensor)


def optical_frames(twin: Twin, links: LinkFrames) -> dict[str, LinkFrame]:
    """The optical frames of the cameras that are switched on, but for those that the description has itself."""
    found = {}
    for name, camera in cameras(twin).items():
        frame = optical_frame(name)
        if getattr(camera, "enabled") > 0.5 and frame not in links.links:  # noqa: B009
            mount = links[camera.link]
            found[frame] = LinkFrame(mount.body, mount.pose @ Pose(rotation=_OPTICAL))
    return found


def site_name(twin: Twin, sensor: str, link: str) -> str:
    """The site that a sensor on a link or named frame sits at."""
    return twin.description.frames[link].site if link in twin.description.frames else twin.description.own_name(sensor)


def output_of(twin: Twin, name: str) -> tuple[str, int, str]:
    """Part, index among the numbers of its outputs and unit of an output PART.NAME."""
    part, _, rest = name.partition(".")
    spec = twin.file.parts[part]
    numbers = [(column, item.unit) for item in spec.contract.outputs for column in item.names]
    index = [column for column, _ in numbers].index(rest)
    return part, index, of_part(twin.description, spec, numbers[index][1])


def add_sensors(spec: mujoco.MjSpec, twin: Twin, links: LinkFrames) -> tuple[MeasuredQuantity, ...]:
    """Put all sensors of a twin, and the one that measures the truth, on a model."""
    quantities = _link_sensors(spec, twin, links, TRUTH, SENSORS["odometry"], None, twin.description.root)
    for name, sensor in readings(twin).items():
        kind = sensor.contract
        if kind.per_joint:
            quantities += _joint_sensors(spec, twin, name, kind, getattr(sensor, "joints", ()))
        else:
            quantities += _link_sensors(spec, twin, links, name, kind, sensor, getattr(sensor, "link", twin.description.root))
    for name, camera in cameras(twin).items():
        _add_camera(spec, twin, links, name, camera)
    return tuple(quantities)


def add_momentum(spec: mujoco.MjSpec, name: str, body: str) -> None:
    """The engine's own sensors of the motion of a body with all that it carries, and of the energy of everything.

    The only robot of a model tells that of the body `WORLD`, which carries everything.
    """
    kinds = {"velocity": mujoco.mjtSensor.mjSENS_SUBTREELINVEL, "angular": mujoco.mjtSensor.mjSENS_SUBTREEANGMOM}
    for quantity, kind in kinds.items():
        spec.add_sensor(name=f"{name}:{quantity}", type=kind, objtype=mujoco.mjtObj.mjOBJ_BODY, objname=body)
    spec.add_sensor(name=f"{name}:energy", type=mujoco.mjtSensor.mjSENS_E_KINETIC)


def _add_camera(spec: mujoco.MjSpec, twin: Twin, links: LinkFrames, name: str, camera: SensorSpec) -> None:
    """The engine's camera looks along -z with x to the right; ours along x of its link or frame."""
    frame = links[camera.link]  # type: ignore[attr-defined]
    turn = frame.pose.rotation @ np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, turn.ravel())
    upright = np.degrees(2.0 * np.arctan(0.5 * Camera.drawn_size(camera)[1] / Camera.focal(camera)))
    eye = camera_name(twin, name)
    spec.body(frame.body).add_camera(name=eye, pos=frame.pose.position, quat=quaternion, fovy=float(upright))


def _link_sensors(
    spec: mujoco.MjSpec, twin: Twin, links: LinkFrames, name: str, kind: type[Sensor], sensor: SensorSpec | None, link: str
) -> list[MeasuredQuantity]:
    site = site_name(twin, name, link)
    if any(item.kind == "rangefinder" for item in kind.quantities):
        site = _looking_site(spec, twin, links, name, sensor, link)
    elif link not in twin.description.frames and any(item.kind in (*_ENGINE_SENSORS, "rays") for item in kind.quantities):
        frame = links[link]
        spec.body(frame.body).add_site(name=site, pos=frame.pose.position, quat=frame.pose.quaternion, group=5)
    quantities = []
    for item in kind.quantities:
        engine_name = ""
        if item.kind in _ENGINE_SENSORS:
            engine_name = twin.description.own_name(f"{name}:{item.name}")
            _add(spec, twin, links, item, engine_name, site, link, sensor)
        columns = kind.columns(sensor, item)
        units = (item.unit,) * len(columns)
        if item.kind == "readouts":
            units = tuple(output_of(twin, column)[2] for column in columns)
        quantities.append(
            MeasuredQuantity(name, item.name, columns, units, kind.form(item), item.kind in ACCELERATIONS, engine_name)
        )
    return quantities


def _add(
    spec: mujoco.MjSpec,
    twin: Twin,
    links: LinkFrames,
    item: Declaration,
    name: str,
    site: str,
    link: str,
    sensor: SensorSpec | None,
) -> None:
    """One of the engine's sensors for a quantity."""
    added = spec.add_sensor(name=name, type=_ENGINE_SENSORS[item.kind])
    if item.kind == "contact":
        added.reftype, added.refname = mujoco.mjtObj.mjOBJ_XBODY, links[link].body  # second: what the others do to it
        added.intprm[:3] = _NET_FORCE
    else:
        added.objtype, added.objname = mujoco.mjtObj.mjOBJ_SITE, site
    if item.kind == "rangefinder":
        added.intprm[0] = 1 << int(mujoco.mjtRayDataField.mjRAYDATA_DIST)
        added.cutoff = getattr(sensor, "reach", 0.0)


def _looking_site(
    spec: mujoco.MjSpec, twin: Twin, links: LinkFrames, name: str, sensor: SensorSpec | None, link: str
) -> str:
    """A site at a link or frame whose z, along which the engine measures, is the frame's x pitched as the sensor says."""
    frame = links[link]
    pitch = getattr(sensor, "pitch", 0.0)
    sine, cosine = np.sin(pitch), np.cos(pitch)
    turn = frame.pose.rotation @ np.array([[-sine, 0.0, cosine], [0.0, 1.0, 0.0], [-cosine, 0.0, -sine]])
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, turn.ravel())
    site = twin.description.own_name(f"sensor:{name}")
    spec.body(frame.body).add_site(name=site, pos=frame.pose.position, quat=quaternion, group=5)
    return site


def _joint_sensors(
    spec: mujoco.MjSpec, twin: Twin, name: str, kind: type[Sensor], joints: tuple[str, ...]
) -> list[MeasuredQuantity]:
    about = twin.description.joints
    chosen = joints or movable_joints(twin.description)
    quantities = []
    for item in kind.quantities:
        names = [twin.description.own_name(f"{name}:{item.name}:{joint}") for joint in chosen]
        for joint, engine_name in zip(chosen, names, strict=True):
            spec.add_sensor(
                name=engine_name,
                type=_ENGINE_SENSORS[item.kind],
                objtype=mujoco.mjtObj.mjOBJ_JOINT,
                objname=about[joint].engine_joints[0],
            )
        columns = tuple(f"{joint}.{item.name}" for joint in chosen)
        units = tuple(of_joint(twin.description, joint, item.unit) for joint in chosen)
        quantities.append(MeasuredQuantity(name, item.name, columns, units, kind.form(item), False, names[0]))
    return quantities
