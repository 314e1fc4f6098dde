"""Sensors of distance: a single beam, and a fan of rays."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from didymos.contract import Declaration, option, parameter, quantity
from didymos.sensors.sensor import Sensor

__all__ = ["Lidar", "Rangefinder"]


class Rangefinder(Sensor):
    """Distance to what lies ahead along x of its link, pitched down by `pitch`; -1 where there is nothing within `reach`."""

    message = "range"
    pitch = parameter(0.0, unit="rad", low=-3.1416, high=3.1416, live=False, doc="positive looks down; pi/2 straight down")
    reach = parameter(100.0, unit="m", above=0, live=False)
    range = quantity("rangefinder", unit="m")


class Lidar(Sensor):
    """Scanning range finder: distances along rays that fan out in the x-y plane of its link, x in the middle.

    Infinite where nothing is within reach, minus infinite where it is too near (REP 117). Shapes that only serve to be
    seen do not stop a ray; collision shapes, the ground and objects do.

    With a `scan_time` every ray is cast at its own time, from the first, which is the stamp's, to the last, so that a moving
    lidar sees a bent world. Where the lidar is at the time t of a ray follows from its velocity v and rate w at the stamp,

        x + v t,    exp([w] t) R

    which leaves out accelerations, a t^2 / 2, and the motion of what it sees. A scan arrives when it is complete: `delay` has to
    be at least as long.
    """

    message = "laser_scan"
    rays = option(Annotated[int, Field(ge=2, le=100_000)], doc="per scan")
    field_of_view = parameter(unit="rad", above=0, high=2 * math.pi, live=False, doc="from the first ray to the last")
    nearest = parameter(0.0, unit="m", low=0, live=False, doc="what is nearer is not measured")
    farthest = parameter(unit="m", above=0, live=False, doc="what is further is not seen")
    scan_time = parameter(0.0, unit="s", low=0, live=False, doc="from the first ray to the last; 0 is all at once")
    ranges = quantity("rays", columns=(), unit="m")

    @classmethod
    def check(cls, spec: Any) -> None:
        """A scan ends before the next one begins, and cannot arrive before."""
        if spec.scan_time * spec.rate > 1.0:
            raise ValueError(f"found scan_time {spec.scan_time:g} s, expected at most {1.0 / spec.rate:g} s at {spec.rate:g} Hz")
        if spec.delay < spec.scan_time:
            raise ValueError(f"a scan that takes {spec.scan_time:g} s arrives after it: expected a delay of at least that")

    @staticmethod
    def times(spec: Any) -> tuple[tuple[str, tuple[float, ...]], ...]:
        """What a message says about the times of its rays, where they differ."""
        if spec.scan_time == 0.0:
            return ()
        return ("time_increment", (spec.scan_time / (spec.rays - 1),)), ("scan_time", (1.0 / spec.rate,))

    @classmethod
    def columns(cls, spec: Any, item: Declaration) -> tuple[str, ...]:
        """One per ray."""
        return tuple(f"{item.name}.{i}" for i in range(spec.rays))

    @staticmethod
    def angles(spec: Any) -> tuple[float, float, float]:
        """Angles of the first and the last ray and the step between two [rad]."""
        return -spec.field_of_view / 2, spec.field_of_view / 2, spec.field_of_view / (spec.rays - 1)

    @staticmethod
    def directions(spec: Any) -> NDArray[np.float64]:
        """Unit vectors along the rays in the link's frame, shape [rays, 3]."""
        first, _, step = Lidar.angles(spec)
        angles = first + step * np.arange(spec.rays)
        return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(spec.rays)])
