"""Views: where the eye of a picture is.

    follow                          the default: the robot fills the picture, and stays in its middle in a clip
    fixed                           all places where the robot will be, from one place
    top, side, front                from above, from the robot's right, from before it
    AZIMUTH,ELEVATION[,DISTANCE]    the way in which the eye looks [deg], and from how far [m]: 45,-20 or 45,-20,6
    NAME                            a camera of the twin

Unless a view says otherwise, it looks from the front left, a little from above, or from another side where more links are seen:
rays from the eye to points of every link say which of them something else hides. The distance is the least from which every shape
is inside the picture, with a margin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest

__all__ = ["VIEWS", "Framing", "View", "read_view"]

Array = NDArray[np.float64]

VIEWS = {"follow": None, "fixed": None, "top": (90.0, -89.9), "side": (90.0, -8.0), "front": (180.0, -10.0)}
"""Names of views, and the azimuth and elevation [deg] of those that have one."""

MARGIN = 1.15  # the shapes fill the picture up to this factor
_FRONT = [(azimuth, elevation) for elevation in (-24.0, -38.0) for azimuth in (-140.0, 140.0)]
_SIDES = _FRONT + [(azimuth, elevation) for elevation in (-24.0, -38.0) for azimuth in (-40.0, 40.0, -105.0, 105.0)]
_BETTER = np.array([1.03] * len(_FRONT) + [1.25] * (len(_SIDES) - len(_FRONT)))  # by how much more has to be seen from there
_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_PLACES = np.concatenate([0.97 * np.eye(3), -0.97 * np.eye(3), 0.95 * _CORNERS])
_AROUND = 1.4  # of the robots' radius: what stands there is looked at with them, unless it is larger than they are


@dataclass(frozen=True)
class View:
    """What was asked for: a camera of the model, or angles [deg] and a distance [m], None where they are to be found."""

    camera: str | None = None
    angles: tuple[float, float] | None = None
    distance: float | None = None
    fixed: bool = False


def read_view(text: str | None) -> View:
    """A view of its name, its numbers, or of a camera."""
    if text is None:
        return View()
    if text in VIEWS:
        return View(angles=VIEWS[text], fixed=text == "fixed")
    if re.match(r"\s*[-+.\d]", text):
        try:
            azimuth, elevation, *rest = (float(part) for part in text.split(","))
        except ValueError:
            azimuth, elevation, rest = np.nan, np.nan, []
        known = bool(np.isfinite([azimuth, elevation, *rest]).all()) and abs(elevation) <= 90.0
        if len(rest) > 1 or not known or any(x <= 0.0 for x in rest):
            raise InputError(f"found {text!r}, expected AZIMUTH,ELEVATION or AZIMUTH,ELEVATION,DISTANCE", option="camera")
        return View(angles=(azimuth, elevation), distance=rest[0] if rest else None)
    return View(camera=text)


class Framing:
    """The views of a model in pictures of a ratio of width to height."""

    def __init__(self, model: mujoco.MjModel, view: View, ratio: float) -> None:
        self._model, self._view, self._ratio = model, view, ratio
        self._angles = view.angles
        if view.camera is not None:
            self._fixed_camera = camera_id(model, view.camera)

    @cached_property
    def _shapes(self) -> NDArray[np.intp]:
        """Numbers of the shapes that belong to a link; neither the ground nor boxes of a pilot."""
        model = self._model
        names = [model.body(i).name.rpartition("/")[2] for i in range(model.nbody)]  # in a world behind the robot's
        ours = np.array([name.startswith("didymos:") for name in names])
        seen = model.geom_rgba[:, 3] > 0.0
        mine = (model.geom_bodyid > 0) & (model.geom_rbound > 0) & ~ours[model.geom_bodyid] & (model.geom_group <= 2) & seen
        return np.flatnonzero(mine)

    def camera(self, data: mujoco.MjData, extra: tuple[Array, Array] | None = None) -> mujoco.MjvCamera:
        """The engine's camera for a state; `extra` are points [m], shape [n, 3], and radii [m], [n], to be seen as well."""
        eye = mujoco.MjvCamera()
        if self._view.camera is not None:
            eye.type = mujoco.mjtCamera.mjCAMERA_FIXED
            eye.fixedcamid = self._fixed_camera
            return eye
        points, radii = self.bounds(data) if extra is None else extra
        if self._angles is None:
            self._angles = self._best(data, points, radii)
        eye.type = mujoco.mjtCamera.mjCAMERA_FREE
        eye.azimuth, eye.elevation = self._angles
        eye.lookat[:], eye.distance = self._fitted(points, radii, self._angles)
        if self._view.distance is not None:
            eye.distance = self._view.distance
        return eye

    def bounds(self, data: mujoco.MjData) -> tuple[Array, Array]:
        """Points [m], shape [n, 3], and radii [m], [n], around all shapes: corners of their boxes, or balls."""
        model, shapes = self._model, self._shapes
        if not len(shapes):
            return np.array([model.stat.center]), np.array([float(model.stat.extent)])
        shapes = np.concatenate([shapes, self._near(data)])
        ball = model.geom_type[shapes] == mujoco.mjtGeom.mjGEOM_SPHERE
        points = [data.geom_xpos[shapes[ball]], self._in_boxes(data, shapes[~ball], _CORNERS).reshape(-1, 3)]
        radii = [model.geom_rbound[shapes[ball]], np.zeros(len(points[1]))]
        return np.concatenate(points), np.concatenate(radii)

    def _near(self, data: mujoco.MjData) -> NDArray[np.intp]:
        """Shapes of what stands around the robots and is no larger than they are: a table, a box."""
        model, mine = self._model, self._shapes
        places, radii = data.geom_xpos[mine], model.geom_rbound[mine, None]
        low, high = (places - radii).min(axis=0), (places + radii).max(axis=0)
        radius = float(np.linalg.norm(high - low)) / 2.0
        drawn = (model.geom_rbound > 0) & (model.geom_group <= 2) & (model.geom_rgba[:, 3] > 0.0)
        others = np.setdiff1d(np.flatnonzero(drawn), mine)
        away = np.linalg.norm(data.geom_xpos[others] - (low + high) / 2.0, axis=1)
        return others[(away < _AROUND * radius) & (model.geom_rbound[others] < radius)]

    def _in_boxes(self, data: mujoco.MjData, shapes: NDArray[np.intp], places: Array) -> Array:
        """Points of the boxes around shapes, by parts of their half widths; shape [shapes, places, 3]."""
        middle, half = self._model.geom_aabb[shapes, None, :3], self._model.geom_aabb[shapes, None, 3:]
        turn = data.geom_xmat[shapes].reshape(-1, 3, 3)
        return np.asarray(data.geom_xpos[shapes, None] + np.einsum("gij,gpj->gpi", turn, middle + half * places))

    def _fitted(self, points: Array, radii: Array, angles: tuple[float, float]) -> tuple[Array, float]:
        """Where to look [m], shape [3], and from how far [m], so that everything is inside."""
        axes = _axes(angles)
        half = np.radians(self._model.vis.global_.fovy) / 2.0
        halves = np.array([np.arctan(self._ratio * np.tan(half)), half])
        centre = (points - radii[:, None]).min(axis=0) / 2.0 + (points + radii[:, None]).max(axis=0) / 2.0
        distance = 0.0
        for _ in range(4):  # the middle of what is seen depends on the distance a little
            across, depth = (points - centre) @ axes[:2].T, (points - centre) @ axes[2]
            needed = (np.abs(across) * np.cos(halves) + radii[:, None]) / np.sin(halves) - depth[:, None]
            distance = max(float(needed.max()), 1e-3)
            scaled = across / np.maximum(distance + depth, 1e-3 * distance)[:, None]
            pad = radii[:, None] / np.maximum(distance + depth, 1e-3 * distance)[:, None]
            shift = ((scaled - pad).min(axis=0) + (scaled + pad).max(axis=0)) / 2.0 * distance
            centre = centre + shift @ axes[:2]
        return centre, MARGIN * distance

    def _best(self, data: mujoco.MjData, points: Array, radii: Array) -> tuple[float, float]:
        """The side from which most is seen; the first, unless another shows clearly more."""
        seen = np.array([self._seen(data, angles, *self._fitted(points, radii, angles)) for angles in _SIDES])
        best = int(np.argmax(seen / _BETTER))
        return _SIDES[best] if seen[best] > _BETTER[best] * seen[0] else _SIDES[0]

    def _seen(self, data: mujoco.MjData, angles: tuple[float, float], centre: Array, distance: float) -> float:
        """How many links are seen from a place: the sum of the parts of their points that nothing else hides."""
        eye = centre - distance * _axes(angles)[2]
        found: dict[int, list[bool]] = {}
        hit = np.zeros(1, np.int32)
        groups = np.array([1, 1, 1, 0, 0, 0], np.uint8)
        for shape, places in zip(self._shapes, self._in_boxes(data, self._shapes, _PLACES), strict=True):
            body = int(self._model.geom_bodyid[shape])
            for place in places:
                mujoco.mj_ray(self._model, data, eye, place - eye, groups, 1, -1, hit)
                found.setdefault(body, []).append(hit[0] >= 0 and int(self._model.geom_bodyid[hit[0]]) == body)
        return sum(min(1.0, 2.0 * float(np.mean(of_link))) for of_link in found.values())  # half of a link is its back


def _axes(angles: tuple[float, float]) -> Array:
    """To the right, upwards and forwards in a picture, shape [3, 3], as the engine has it."""
    azimuth, elevation = np.radians(angles)
    forward = np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    right = np.array([np.sin(azimuth), -np.cos(azimuth), 0.0])
    return np.stack([right, np.cross(right, forward), forward])


def camera_id(model: mujoco.MjModel, name: str) -> int:
    """The number of a camera of the model; the name of its twin's sensor is enough."""
    names = [model.camera(i).name for i in range(model.ncam)]
    short = [full.rpartition(":")[2] for full in names]
    for known in (names, short):
        if name in known:
            return known.index(name)
    own = ", ".join(short) or "none"
    views = f"{', '.join(VIEWS)}, AZIMUTH,ELEVATION[,DISTANCE], or a camera of the twin (it has: {own})"
    raise InputError(f"unknown camera {name!r}{nearest(name, [*short, *VIEWS])}; expected {views}", option="camera")
