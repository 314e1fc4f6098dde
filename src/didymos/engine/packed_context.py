"""The loop context as one record of addresses and counts, so that a call of the compiled loop hands over one number.

Handing numba seventy arrays costs more than a tick. `pack` therefore writes their addresses into a record once per run, and
`unpack` makes the same named tables of it inside compiled code, at no cost. Fields are found by the names of `context.py`:
a number is a field of its own, an array is two, its address and `NAME_count`, the length of its first axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray
from numpy.typing import NDArray

from didymos.compiled import inlined
from didymos.control.compiled_controller import CLOCK
from didymos.control.stimulus import STIMULUS
from didymos.engine import context as c
from didymos.native import pointer, records_at
from didymos.sensors.error import ErrorSpec
from didymos.sensors.reading import QUANTITY, SENSOR, SensorTables
from didymos.spec import record_type

__all__ = ["CONTEXT", "pack", "unpack"]

_NUMBERS = {"int": np.int64, "float": np.float64, "bool": np.int64}
_ERROR = record_type(ErrorSpec)
_FLOAT, _INT, _INT32 = np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.int32)


def _layout(table: type) -> np.dtype[Any]:
    fields: list[Any] = []
    for name, kind in table.__annotations__.items():
        text = kind if isinstance(kind, str) else getattr(kind, "__forward_arg__", getattr(kind, "__name__", ""))
        if text in _NUMBERS:
            fields.append((name, _NUMBERS[text]))
        else:
            fields += [(name, np.int64), (f"{name}_count", np.int64)]
    return np.dtype(fields)


_GROUPS = {
    "engine": c.EngineViews, "timing": c.Timing, "sensors": SensorTables, "lidars": c.LidarTables, "stimuli": c.StimulusTables,
    "inputs": c.InputTables, "program": c.ProgramTables, "links": c.LinkTables, "record": c.RecordTables,
}  # fmt: skip

CONTEXT = np.dtype([(name, _layout(table)) for name, table in _GROUPS.items()])
"""Memory layout of a packed context."""


def pack(context: c.LoopContext) -> NDArray[Any]:
    """The context as a record [1]; it holds as long as the context does."""
    packed = np.zeros(1, dtype=CONTEXT)
    for group, tables in zip(_GROUPS, context, strict=True):
        row = packed[group][0]
        for name, value in tables._asdict().items():
            if isinstance(value, np.ndarray):
                if not value.flags.c_contiguous:
                    raise RuntimeError(f"{group}.{name} does not lie in one piece")
                row[name], row[f"{name}_count"] = value.ctypes.data, len(value)
            else:
                row[name] = value
    return packed


@inlined
def unpack(address: int) -> Any:
    """The tables of a packed context, in compiled code."""
    packed = records_at(address, 1, CONTEXT)[0]
    e, t, s, l, m, i, p, k, r = (
        packed.engine, packed.timing, packed.sensors, packed.lidars, packed.stimuli, packed.inputs, packed.program, packed.links,
        packed.record,
    )  # fmt: skip
    return c.LoopContext(
        c.EngineViews(
            e.model,
            e.data,
            e.table,
            e.state_address,
            records_at(e.state, e.state_count, _FLOAT),
            records_at(e.qpos, e.qpos_count, _FLOAT),
            records_at(e.qvel, e.qvel_count, _FLOAT),
            records_at(e.qacc, e.qacc_count, _FLOAT),
            records_at(e.ctrl, e.ctrl_count, _FLOAT),
            records_at(e.sensordata, e.sensordata_count, _FLOAT),
            records_at(e.xpos, e.xpos_count, _FLOAT),
            records_at(e.xquat, e.xquat_count, _FLOAT),
            records_at(e.actuator_force, e.actuator_force_count, _FLOAT),
            records_at(e.numeric, e.numeric_count, _FLOAT),
        ),
        c.Timing(
            t.period,
            t.substeps,
            t.control_every,
            t.rk4 != 0,
            t.boundary,
            records_at(t.free_joints, t.free_joints_count, _INT),
            t.loop,
            records_at(t.clock, 1, CLOCK),
        ),
        SensorTables(
            records_at(s.sensors, s.sensors_count, SENSOR),
            records_at(s.quantities, s.quantities_count, QUANTITY),
            records_at(s.errors, s.errors_count, _ERROR),
            records_at(s.fresh, s.fresh_count, _FLOAT),
        ),
        c.LidarTables(
            records_at(l.lidars, l.lidars_count, c.LIDAR),
            carray(pointer(l.rays), (l.rays_count, 3), _FLOAT),
            carray(pointer(l.rays_world), (l.rays_world_count, 3), _FLOAT),
            carray(pointer(l.site_xpos), (l.site_xpos_count, 3), _FLOAT),
            carray(pointer(l.site_xmat), (l.site_xmat_count, 9), _FLOAT),
            records_at(l.geom_type, l.geom_type_count, _INT32),
            records_at(l.geom_group, l.geom_group_count, _INT32),
            records_at(l.geom_link, l.geom_link_count, _INT),
            carray(pointer(l.geom_size), (l.geom_size_count, 3), _FLOAT),
            records_at(l.geom_rbound, l.geom_rbound_count, _FLOAT),
            carray(pointer(l.geom_xpos), (l.geom_xpos_count, 3), _FLOAT),
            carray(pointer(l.geom_xmat), (l.geom_xmat_count, 9), _FLOAT),
        ),
        c.StimulusTables(
            records_at(m.stimuli, m.stimuli_count, STIMULUS),
            records_at(m.targets, m.targets_count, c.TARGET),
            carray(pointer(m.tables), (m.tables_count, 2), _FLOAT),
            m.setpoints,
            m.setpoint_count,
            m.override,
            m.pushes,
            carray(pointer(m.outputs), (m.outputs_count, 2), _INT),
        ),
        c.InputTables(records_at(i.inputs, i.inputs_count, c.INPUT), records_at(i.offsets, i.offsets_count, _FLOAT)),
        c.ProgramTables(
            p.function,
            p.settings,
            p.gains,
            p.memory,
            records_at(p.measured, p.measured_count, _FLOAT),
            records_at(p.setpoints, p.setpoints_count, _FLOAT),
            records_at(p.commands, p.commands_count, _FLOAT),
            records_at(p.reads, p.reads_count, c.READ),
            records_at(p.asked, p.asked_count, c.ASKED),
            records_at(p.writes, p.writes_count, c.WRITE),
        ),
        c.LinkTables(
            records_at(k.bodies, k.bodies_count, _INT),
            carray(pointer(k.frames), (k.frames_count, 7), _FLOAT),
            records_at(k.poses, k.poses_count, _FLOAT),
            k.stream,
        ),
        c.RecordTables(
            records_at(r.streams, r.streams_count, c.STREAM),
            records_at(r.columns, r.columns_count, c.COLUMN),
            r.capacity,
            records_at(r.cells, r.cells_count, _FLOAT),
            records_at(r.stamps, r.stamps_count, _FLOAT),
            records_at(r.counts, r.counts_count, _INT),
            records_at(r.on, 1, _INT),
        ),
    )
