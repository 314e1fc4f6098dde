"""Change a parameter of a running simulation by its path."""

from __future__ import annotations

from typing import Any

import mujoco

from didymos.control import Controller
from didymos.describe.names import link_of
from didymos.describe.twin import Twin
from didymos.engine.assemble import Assembly, apply_joint, apply_link
from didymos.engine.grip import set_grip
from didymos.engine.scenery import floors
from didymos.errors import InputError
from didymos.sensors import reading

__all__ = ["set_live"]

_SENSOR_NUMBERS = {"drop_out": reading.DROP_OUT, "errors": reading.ERRORS}


def set_live(
    twin: Twin, assembly: Assembly, wiring: Any, program: Controller | None, path: str, value: float
) -> None:
    """Write a value that the twin has already accepted to where the run reads it."""
    kind, rest = path.split(".", 1)
    model = assembly.model
    if path in assembly.numbers:
        model.numeric_data[assembly.numbers[path]] = value
    elif kind == "links":
        apply_link(model, twin, link_of(path))
        mujoco.mj_setConst(model, mujoco.MjData(model))
    elif kind == "joints":
        apply_joint(model, twin, rest, value)
        mujoco.mj_setConst(model, mujoco.MjData(model))
    elif path.startswith("control.gains."):
        if program is not None:
            program.set_gain(path.removeprefix("control.gains."), value)
    elif kind == "sensors":
        _set_sensor(twin, assembly, wiring, rest, value)
    elif path == "world.gravity":
        model.opt.gravity[2] = -value
    elif path in floors(twin.file.world):
        model.geom(floors(twin.file.world)[path][0]).friction[0] = value
        set_grip(model, twin)
    elif kind == "contacts":
        set_grip(model, twin)
    else:
        raise InputError("cannot change during a run", path=path)


def _set_sensor(twin: Twin, assembly: Assembly, wiring: Any, rest: str, value: float) -> None:
    name, *further = rest.split(".")
    if len(further) == 1:
        wiring.sensor_numbers[list(twin.file.sensors).index(name), _SENSOR_NUMBERS[further[0]]] = value
        return
    own = [place for place in assembly.places if place.sensor in twin.file.sensors]
    index = next(i for i, place in enumerate(own) if (place.sensor, place.quantity) == (name, further[0]))
    wiring.errors[further[1]][index] = value
