"""The streams of objects that move: `objects.NAME`, as odometry of a body in the world."""

from __future__ import annotations

import mujoco

from didymos.contract import ODOMETRY
from didymos.engine.context import Source
from didymos.engine.objects import OBJECTS, is_object, object_of
from didymos.record.stream import Kind, StreamLayout

__all__ = ["Columns", "object_streams"]

Columns = list[tuple[int, int, float]]
_UNITS = ("m",) * 3 + ("1",) * 4 + ("m/s",) * 3 + ("rad/s",) * 3


def object_streams(model: mujoco.MjModel) -> list[tuple[StreamLayout, Columns]]:
    """Layout and columns (source, index in it, factor) of every object's stream, in the order of the model."""
    streams = []
    for body in range(model.nbody):
        if not is_object(model, body):
            continue
        engine_name = str(model.body(body).name)
        name = str(object_of(engine_name))
        sensor = int(model.sensor(engine_name).adr[0])
        turning = int(model.body_dofadr[body]) + 3
        columns = [(Source.XPOS, 3 * body + i, 1.0) for i in range(3)]
        columns += [(Source.XQUAT, 4 * body + i, 1.0) for i in range(4)]
        columns += [(Source.SENSORDATA, sensor + i, 1.0) for i in range(3)]
        columns += [(Source.QVEL, turning + i, 1.0) for i in range(3)]
        streams.append((StreamLayout(f"{OBJECTS}.{name}", Kind.ODOMETRY, ODOMETRY, _UNITS, "world", name), columns))
    return streams
