"""Robots of one world in one log: the names of their streams and frames, and which signals an expectation looks at."""

from __future__ import annotations

from dataclasses import replace

from didymos.describe.schema import ExpectationSpec
from didymos.describe.world_file import WorldExpectationSpec
from didymos.record.stream import Kind, StreamLayout

__all__ = ["placed_layout", "signals_of"]

_OF_WORLD = ("", "world")


def placed_layout(layout: StreamLayout, robot: str) -> StreamLayout:
    """A stream of a robot in the log of a world: `drone.imu`, its frames `drone/imu_link`; poses of links are all in `tf`."""

    def frame(name: str) -> str:
        if name.startswith("/"):  # of another robot
            return name.removeprefix("/")
        return name if name in _OF_WORLD else f"{robot}/{name}"

    if layout.kind is Kind.CLOCK or layout.name.startswith(("world.", "objects.")):
        return layout
    if layout.kind is Kind.TF and layout.name == "tf":
        columns = tuple(f"{robot}/{column}" for column in layout.columns)
        return replace(layout, columns=columns, labels=tuple(f"{robot}/{label}" for label in layout.labels))
    return replace(
        layout,
        name=f"{robot}.{layout.name}",
        frame=frame(layout.frame),
        child_frame=frame(layout.child_frame),
        namespace=robot,
    )


def signals_of(item: ExpectationSpec) -> tuple[str, ...]:
    """The signals, or beginnings of signals, that an expectation looks at: one, or where robots and their links are."""
    if isinstance(item, WorldExpectationSpec) and (item.distance is not None or item.relative is not None):
        ends = item.distance if item.relative is None else (item.relative.of, item.relative.to)
        return ("tf.", "objects.", *(f"{end.partition('.')[0]}.truth." for end in ends or ()))
    return item.signals
