"""Change parameters of a running simulation by their paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco

from didymos.control import Controller
from didymos.describe.names import cameras, joint_of, link_of, readings
from didymos.describe.twin import Twin
from didymos.engine.assemble import Assembly, apply_link
from didymos.engine.friction import set_friction
from didymos.engine.joint_values import apply_belt, apply_joint, belted_parts, loaded_joints
from didymos.engine.scenery import floors
from didymos.errors import InputError
from didymos.sensors import reading

__all__ = ["set_live"]

_SENSOR_NUMBERS = {
    "drop_out": reading.DROP_OUT, "errors": reading.ERRORS, "outage_rate": reading.OUTAGE_RATE,
    "outage_time": reading.OUTAGE_TIME,
}  # fmt: skip


def set_live(
    twin: Twin, assembly: Assembly, wiring: Any, program: Controller | None, values: Mapping[str, float]
) -> None:
    """Write values that the twin has already accepted to where the run reads them."""
    loaded = loaded_joints(twin)
    moved: dict[str, None] = {}  # links and joints whose constants the engine has to derive anew
    for path, value in values.items():
        kind, rest = path.split(".", 1)
        if path in assembly.numbers:
            assembly.model.numeric_data[assembly.numbers[path]] = float(value)
            part = rest.split(".")[0] if kind == "parts" else ""
            if part in belted_parts(twin):
                moved[f"belts.{part}"] = None
            elif part and twin.file.parts[part].joint in loaded:
                moved[f"joints.{twin.file.parts[part].joint}"] = None
        elif kind in ("links", "joints"):
            moved[f"{kind}.{link_of(path) if kind == 'links' else joint_of(path)}"] = None
        else:
            _set_other(twin, assembly, wiring, program, path, float(value))
    for item in moved:
        kind, name = item.split(".", 1)
        if kind == "links":
            apply_link(assembly.model, twin, assembly.links, assembly.inertias, name)
        elif kind == "belts":
            apply_belt(assembly.model, twin, name)
        else:
            apply_joint(assembly.model, twin, name, loaded)
    if moved:
        mujoco.mj_setConst(assembly.model, mujoco.MjData(assembly.model))


def _set_other(
    twin: Twin, assembly: Assembly, wiring: Any, program: Controller | None, path: str, value: float
) -> None:
    if path.startswith("control.gains."):
        if program is not None:
            program.set_gain(path.removeprefix("control.gains."), value)
    elif path.startswith("sensors."):
        _set_sensor(twin, assembly, wiring, path.removeprefix("sensors."), value)
    elif path == "world.gravity":
        assembly.model.opt.gravity[2] = -value
    elif path == "world.friction_scale" or path in floors(twin.file.world):
        for shape, friction in floors(twin.file.world).values():
            assembly.model.geom(shape).friction[0] = friction
        set_friction(assembly.model, twin)
    elif path.startswith("contacts."):
        set_friction(assembly.model, twin)
    else:
        raise InputError("cannot change during a run", path=path)


def _set_sensor(twin: Twin, assembly: Assembly, wiring: Any, rest: str, value: float) -> None:
    name, *further = rest.split(".")
    if name in cameras(twin):
        return  # they look their numbers up themselves
    if len(further) == 1:
        wiring.sensor_numbers[list(readings(twin)).index(name), _SENSOR_NUMBERS[further[0]]] = value
        return
    own = [place for place in assembly.places if place.sensor in twin.file.sensors]
    index = next(i for i, place in enumerate(own) if (place.sensor, place.quantity) == (name, further[0]))
    wiring.errors[further[1]][index] = value
