"""Cameras: pictures of what the engine's model looks like from a link, drawn off-screen at the sensor's own rate.

A pin-hole at the link's origin looks along its x axis; left in the picture is the link's y, up its z. With the field of view a
across the width w [pixel] and the height h, a point (x, y, z) of the link's frame falls on

    column = (w - 1) / 2 - f y / x,    row = (h - 1) / 2 - f z / x,    f = w / (2 tan(a / 2))

counted from 0 in the middle of the upper left pixel, as OpenCV and CameraInfo do: the axis meets the picture in its middle, which
for an even number of pixels lies between two. In the optical frame of the messages (`NAME_optical_frame`, REP 103: x right, y
down, z forward) the same is column = (w - 1) / 2 + f x / z, row = (h - 1) / 2 + f y / z. A lens bends the picture, see lens.py.

Depth is x [m], infinite beyond `far`. What is to be seen is drawn: shapes for the eye, not those for contact, with neither
shadows nor smooth edges. Errors are white noise of each colour and of the depth. The number of a frame follows from the tick and
its noise from that number, so a restored run sees the same pictures. Pictures are not part of the compiled loop: it stops at the
tick of a frame.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.names import cameras
from didymos.describe.twin import Twin
from didymos.engine.sensor_sites import camera_name
from didymos.engine.shown_model import ShownModel
from didymos.noise import stream_key, uniform
from didymos.record.canvas import Canvas
from didymos.record.image import Picture
from didymos.sensors.camera import Camera

__all__ = ["Cameras", "View"]

_NEVER = 1 << 60


@dataclass
class View:
    """What a camera shows now: `time` [s] of the picture, `colour` [h, w, 3] from 0 to 255, `depth` [h, w] in metres.

    None before the first picture arrived, and where the camera does not measure it.
    """

    time: float | None = None
    colour: NDArray[np.uint8] | None = None
    depth: NDArray[np.float32] | None = None


class Cameras:
    """The cameras of a robot that are switched on; `period` is the time of a tick [s], `streams` stands before names of noise."""

    def __init__(self, twin: Twin, shown: ShownModel, seed: int, period: float, streams: str = "") -> None:
        self._twin, self._shown, self._seed, self._period, self._streams = twin, shown, seed, period, streams
        self.names = tuple(
            name for name, spec in cameras(twin).items() if getattr(spec, "enabled") > 0.5  # noqa: B009
        )
        self.views = {name: View() for name in self.names}
        self._canvases: dict[str, Canvas] = {}
        self._lenses = {name: Camera.lens(self.spec(name)) for name in self.names}
        self._data = mujoco.MjData(shown.model) if self.names else None
        self._on_the_way: dict[str, deque[tuple[int, Picture]]] = {name: deque() for name in self.names}
        self._taken: list[tuple[str, Picture]] = []

    def spec(self, name: str) -> Any:
        """The record of a camera as it is now: some of its numbers may change during a run."""
        return self._twin.file.sensors[name]

    def restart(self, seed: int) -> None:
        """Begin anew with the noise of a seed."""
        self._seed = seed
        self.forget()

    def forget(self) -> None:
        """Begin anew: nothing is on its way, nothing was seen."""
        for name in self.names:
            self._on_the_way[name].clear()
            self.views[name].time = self.views[name].colour = self.views[name].depth = None
        self._taken.clear()

    def look(self, tick: int, state: mujoco.MjData) -> None:
        """Draw the pictures that are due at a tick, and let those arrive whose time has come."""
        for name in self.names:
            spec = self.spec(name)
            if self._frame(spec, tick) > self._frame(spec, tick - 1):
                self._shoot(name, spec, tick, state)
            waiting, view = self._on_the_way[name], self.views[name]
            while waiting and waiting[0][0] <= tick:
                picture = waiting.popleft()[1]
                view.time, view.colour, view.depth = picture.time, picture.colour, picture.depth

    def until(self, tick: int) -> int:
        """Ticks from this one to the next at which a picture is taken or arrives."""
        found = [_NEVER]
        for name in self.names:
            spec = self.spec(name)
            step = max(1, math.floor((self._frame(spec, tick) + 1) / (spec.rate * self._period)) - tick - 1)
            while self._frame(spec, tick + step) == self._frame(spec, tick):
                step += 1
            found += [step, *(due - tick for due, _ in self._on_the_way[name] if due > tick)]
        return min(found)

    def take(self) -> list[tuple[str, Picture]]:
        """The pictures since the last time, by the names of their cameras."""
        found, self._taken = self._taken, []
        return found

    def close(self) -> None:
        """Let go of the drawing surfaces."""
        while self._canvases:
            self._canvases.popitem()[1].close()

    def _frame(self, spec: Any, tick: int) -> int:
        """Number of the last frame until a tick."""
        return math.floor(tick * self._period * spec.rate + 1e-9) if tick >= 0 else -1

    def _shoot(self, name: str, spec: Any, tick: int, state: mujoco.MjData) -> None:
        number, key = self._frame(spec, tick), stream_key(self._seed, f"{self._streams}{name}.drop_out")
        if spec.drop_out > 0.0 and uniform(*key, number) < spec.drop_out:
            return
        self._data = self._shown.pose(state, self._data)
        eye, canvas, reach = self._eye(name), self._canvas(name, spec), (spec.near, spec.far)
        colour = canvas.draw(self._data, eye, reach) if spec.colour else None
        depth = canvas.draw_depth(self._data, eye, reach) if spec.depth else None
        lens = self._lenses[name]
        if lens is not None:
            colour = None if colour is None else lens.bend_colour(colour)
            depth = None if depth is None else lens.bend_depth(depth)
        if spec.errors > 0.0:
            own = [int(half) for half in stream_key(self._seed, self._streams + name)]
            noise = np.random.Generator(np.random.Philox(key=own, counter=number << 64))
            if colour is not None and spec.noise > 0.0:
                colour = _disturbed(colour, spec.noise, noise)
            if depth is not None and spec.depth_noise > 0.0:
                depth = depth + np.float32(spec.depth_noise) * noise.standard_normal(depth.shape, np.float32)
        picture = Picture(tick * self._period, colour, depth)
        self._taken.append((name, picture))
        self._on_the_way[name].append((tick + round(spec.delay / self._period), picture))

    def _canvas(self, name: str, spec: Any) -> Canvas:
        if name not in self._canvases:
            self._canvases[name] = Canvas(self._shown.model, Camera.drawn_size(spec), fine=False)
        return self._canvases[name]

    def _eye(self, name: str) -> mujoco.MjvCamera:
        """The engine's camera of a sensor."""
        eye = mujoco.MjvCamera()
        eye.type, eye.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, self._shown.model.camera(camera_name(self._twin, name)).id
        return eye


def _disturbed(colour: NDArray[np.uint8], deviation: float, noise: np.random.Generator) -> NDArray[np.uint8]:
    """Colours with white noise of a standard deviation, counted from 0 to 1."""
    values = colour + np.float32(255.0 * deviation) * noise.standard_normal(colour.shape, np.float32)
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)
