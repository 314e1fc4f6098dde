"""An off-screen surface on which the engine draws a model: colours and depth, without a display.

On Linux the engine's EGL context is taken directly, at the moment of drawing: the variable `MUJOCO_GL` is read when the
engine is imported, and a missing library would then cost the user the simulation, not only the picture.
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

__all__ = ["INSTALL", "Canvas", "Pixels", "open_canvas"]

Pixels = NDArray[np.uint8]

INSTALL = "apt-get install libegl1 libgl1-mesa-dri libopengl0"
MAX_GEOMS = 10_000


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
        window, quality = model.vis.global_, model.vis.quality
        before = window.offwidth, window.offheight, quality.offsamples
        # the engine reads the surface's size and quality from the model, which is left as it was
        window.offwidth, window.offheight, quality.offsamples = size[0], size[1], 4 if fine else 0
        try:
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        except mujoco.FatalError as error:  # a context without a surface
            self._gl.free()
            raise _missing() from error
        finally:
            window.offwidth, window.offheight, quality.offsamples = before
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR.value  # a float32 is finer near zero
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)

    def draw(self, data: mujoco.MjData, view: mujoco.MjvCamera, reach: tuple[float, float] | None = None) -> Pixels:
        """What a view sees, shape [height, width, 3]; within a `reach` [m] from near to far, or the model's own."""
        pixels = np.empty((*self._size[::-1], 3), np.uint8)
        with self._within(reach):
            self._render(data, view, sky=True)
            mujoco.mjr_readPixels(pixels, None, self._rectangle, self._context)
        return np.ascontiguousarray(pixels[::-1])  # the engine's first row is the lowest

    def draw_depth(self, data: mujoco.MjData, view: mujoco.MjvCamera, reach: tuple[float, float]) -> NDArray[np.float32]:
        """Distance [m] of each pixel from the eye's plane, infinite where there is nothing within reach; shape [height, width].

        The surface holds 24 bits: at a distance z it is right to z^2 / (near 2^24).
        """
        depth = np.empty(self._size[::-1], np.float32)
        with self._within(reach):
            self._render(data, view, sky=False)  # the engine's sky is a box, which has a depth
            mujoco.mjr_readPixels(None, depth, self._rectangle, self._context)
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
        mujoco.mjr_render(self._rectangle, self._scene, self._context)

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
            from mujoco.egl import GLContext
        else:
            from mujoco.gl_context import GLContext
        context = GLContext(*size)
        context.make_current()
    except Exception as error:  # the libraries of OpenGL raise AttributeError, ImportError, GLError, ... when absent
        raise _missing() from error
    return context


def _missing() -> InputError:
    return InputError(f"pictures need off-screen OpenGL, which is missing here; on Debian: {INSTALL}")
