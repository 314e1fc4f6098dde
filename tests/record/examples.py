"""A stream of every kind, filled with numbers that have no short form."""

from __future__ import annotations

import numpy as np

from didymos.record import Kind, StreamLayout
from didymos.record.messages import TABLE, fields_of

LABELS = {
    Kind.JOINT_STATES: ("motor1_to_axle1", "knee"),
    Kind.TF: ("body", "motor1", "propeller_4"),
    Kind.TF_STATIC: ("imu_link",),
    Kind.LASER_SCAN: ("0", "1", "2", "3", "4"),
}
NAMES = {Kind.JOINT_STATES: "joints", Kind.TF: "tf", Kind.TF_STATIC: "tf_static", Kind.CLOCK: "clock"}


def layout_of(kind: Kind) -> StreamLayout:
    """All columns of a kind; for scalars, four of different depth."""
    labels = LABELS.get(kind, ())
    name = NAMES.get(kind, f"some.{kind.value}")
    if kind is Kind.SCALARS:
        return StreamLayout("setpoints", kind, ("x", "z", "motor1.thrust", "yaw"), ("m", "m", "N", "rad"))
    fields = list(fields_of(kind, labels))
    child = "body" if TABLE[kind].child_frame else ""
    columns, units = tuple(field[0] for field in fields), tuple(field[2] for field in fields)
    return StreamLayout(name, kind, columns, units, "map", child, labels)


ALL_LAYOUTS = tuple(layout_of(kind) for kind in Kind)


def rows_of(layout: StreamLayout, count: int, rate: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, len(layout.columns)])
    times = np.cumsum(np.full(count, 1.0 / rate)) - 1.0 / rate  # as a simulation counts: with its rounding errors
    return times, rng.normal(size=(count, len(layout.columns))) * 10.0 ** rng.integers(-6, 6, len(layout.columns))
