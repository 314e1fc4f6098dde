"""An off-screen surface on which the engine draws a model: colours and depth, without a display.

On Linux a context of EGL is taken (`egl_context.py`), at the moment of drawing: a missing library costs the user the picture, not
the simulation. `MUJOCO_GL` chooses another of the engine's contexts, which need its extra: pip install 'mujoco-core[rendering]'.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.egl_context import EglContext

__all__ = ["INSTALL", "Canvas", "Pixels", "open_canvas"]

Pixels = NDArray[np.uint8]

INSTALL = "apt-get install libegl1 libgl1-mesa-dri libopengl0"
MAX_GEOMS = 10_000
_SHADOWED = 1.2  # of the distance of what is looked at: how far around it shadows fall; more makes them coarse


class Canvas:
    """The engine's drawing surface for one model, of `size` width, height [pixel]; `fine` adds shadows and smooth edges.

    A canvas belongs to the thread that draws on it first.
    """

    def __init__(self, model: mujoco.MjModel, size: tuple[int, int], *, fine: bool) -> None:
        if min(size) < 1:
            raise InputError(f"a picture needs a positive width and height, found {size[0]} x {size[1]}")
        self._model, self._size, self._fine = model, size, fine
        self._rectangle = mujoco.MjrRect(0, 0, *size)
        self._option = mujoco.MjvOption()
        self._option.sitegroup[:] = 0
        self._scene = mujoco.MjvScene(model, maxgeom=MAX_GEOMS)
        self._gl = _gl_context(size)
        self._context: mujoco.MjrContext | None = None
        self._ground = model.vis.map.zfar  # how far the ground goes in the context, over the model's extent

    def draw(self, data: mujoco.MjData, view: mujoco.MjvCamera, reach: tuple[float, float] | None = None) -> Pixels:
        """What a view sees, shape [height, width, 3]; within a `reach` [m] from near to far, or the model's own."""
        pixels = np.empty((*self._size[::-1], 3), np.uint8)
        with self._within(reach):
            self._render(data, view, sky=True)
            mujoco.mjr_readPixels(pixels, None, self._rectangle, self._surface())
        return np.ascontiguousarray(pixels[::-1])  # the engine's first row is the lowest

    def draw_depth(self, data: mujoco.MjData, view: mujoco.MjvCamera, reach: tuple[float, float]) -> NDArray[np.float32]:
        """Distance [m] of each pixel from the eye's plane, infinite where there is nothing within reach; shape [height, width].

        The surface holds 24 bits: at a distance z it is right to z^2 / (near 2^24).
        """
        depth = np.empty(self._size[::-1], np.float32)
        with self._within(reach):
            self._render(data, view, sky=False)  # the engine's sky is a box, which has a depth
            mujoco.mjr_readPixels(None, depth, self._rectangle, self._surface())
        near, far = reach
        metres = (near * far) / (near + depth[::-1].astype(np.float64) * (far - near))
        metres[depth[::-1] <= 0.0] = np.inf
        return metres.astype(np.float32)

    def _render(self, data: mujoco.MjData, view: mujoco.MjvCamera, *, sky: bool) -> None:
        self._gl.make_current()
        everything = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self._model, data, self._option, None, view, everything, self._scene)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = self._fine
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = self._fine
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = sky
        context = self._surface()
        if self._fine:
            self._bring_sun(view, context)
        mujoco.mjr_render(self._rectangle, self._scene, context)

    def _surface(self) -> mujoco.MjrContext:
        """The engine's context. It holds the ground, as far as was seen when it was made: who sees farther gets another one."""
        seen = self._model.vis.map.zfar
        if self._context is None:
            self._ground = max(self._ground, seen)
        elif seen > self._ground:
            self._context.free()
            self._context, self._ground = None, 2.0 * seen  # for an eye that goes away from what it looks at
        if self._context is None:
            self._context = self._new_context()
        return self._context

    def _new_context(self) -> mujoco.MjrContext:
        window, quality, bounds = self._model.vis.global_, self._model.vis.quality, self._model.vis.map
        before = window.offwidth, window.offheight, quality.offsamples, bounds.zfar
        # the engine reads sizes and the quality from the model, which is left as it was
        window.offwidth, window.offheight = self._size
        quality.offsamples, bounds.zfar = 4 if self._fine else 0, self._ground
        try:
            context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        except mujoco.FatalError as error:  # a context without a surface
            raise _missing() from error
        finally:
            window.offwidth, window.offheight, quality.offsamples, bounds.zfar = before
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR.value  # a float32 is finer near zero
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, context)
        return context

    def _bring_sun(self, view: mujoco.MjvCamera, context: mujoco.MjrContext) -> None:
        """Let directional lights cast their shadows where one looks.

        The engine has a map of them around the place of a light, as if a directional one had a place. Planes cast none: the map
        is not fine enough to tell an endless one from itself, and it would get specks.
        """
        if view.type == mujoco.mjtCamera.mjCAMERA_FREE:
            middle, width = np.array(view.lookat), _SHADOWED * view.distance
        else:  # a camera of the model, which looks at something about as far away as the model is large
            eye, width = self._scene.camera[0], self._model.stat.extent
            middle = np.array(eye.pos) + width * np.array(eye.forward)
        for light in self._scene.lights[: self._scene.nlight]:
            if light.castshadow and light.type == mujoco.mjtLightType.mjLIGHT_DIRECTIONAL:
                light.pos = middle - width * np.array(light.dir)
                context.shadowClip = width
        for shape in self._scene.geoms[: self._scene.ngeom]:
            if shape.type == mujoco.mjtGeom.mjGEOM_PLANE:
                shape.category = mujoco.mjtCatBit.mjCAT_DECOR.value

    @contextmanager
    def _within(self, reach: tuple[float, float] | None) -> Iterator[None]:
        """Let the engine see from near to far [m] for a while."""
        bounds, extent = self._model.vis.map, self._model.stat.extent
        before = bounds.znear, bounds.zfar
        if reach is not None:
            bounds.znear, bounds.zfar = reach[0] / extent, reach[1] / extent
        try:
            yield
        finally:
            bounds.znear, bounds.zfar = before

    def close(self) -> None:
        """Let go of the surface."""
        self._gl.make_current()
        if self._context is not None:
            self._context.free()
        self._gl.free()


@contextmanager
def open_canvas(model: mujoco.MjModel, size: tuple[int, int], *, fine: bool) -> Iterator[Canvas]:
    """A canvas for a while."""
    canvas = Canvas(model, size, fine=fine)
    try:
        yield canvas
    finally:
        canvas.close()


def _gl_context(size: tuple[int, int]) -> Any:
    """A current OpenGL context; where the machine has none, the error holds the command that brings it."""
    try:
        if sys.platform == "linux" and os.environ.get("MUJOCO_GL", "").lower() in ("", "egl"):
            context: Any = EglContext()
        else:
            from mujoco.gl_context import GLContext

            context = GLContext(*size)
        context.make_current()
    except Exception as error:  # other contexts' libraries raise AttributeError, ImportError, GLError, ... when absent
        raise _missing() from error
    return context


def _missing() -> InputError:
    return InputError(f"pictures need off-screen OpenGL, which is missing here; on Debian: {INSTALL}")
