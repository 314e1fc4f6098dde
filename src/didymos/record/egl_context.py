"""A current OpenGL context without a display or a window, by EGL on a device (EGL_EXT_platform_device).

The engine draws into a surface of its own, so the context has none. `libEGL` is called directly: the wrappers of all of OpenGL
that the engine's own context needs take 30 MB and half a second of import for these dozen functions.

`MUJOCO_EGL_DEVICE_ID` chooses a device by its number; otherwise the first one that starts is taken.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import threading
from ctypes import POINTER, c_int32, c_uint, c_void_p
from functools import cache
from typing import Any

__all__ = ["EglContext", "EglError"]

_PLATFORM_DEVICE, _OPENGL_API, _MOST_DEVICES = 0x313F, 0x30A2, 16
_NONE = 0x3038
_ATTRIBUTES = {
    0x3024: 8, 0x3023: 8, 0x3022: 8, 0x3021: 8,  # red, green, blue, alpha [bit]
    0x3025: 24, 0x3026: 8,  # depth, stencil [bit]
    0x303F: 0x308E,  # kind of colours: RGB
    0x3033: 0x0001,  # kind of surface: a buffer, not a window
    0x3040: 0x0008,  # for OpenGL
}  # fmt: skip
_lock = threading.Lock()


class EglError(RuntimeError):
    """This machine has no EGL, or none that draws off-screen."""


class EglContext:
    """A context of its own; it belongs to the thread that made it current last."""

    _context: Any = None

    def __init__(self) -> None:
        egl, display = _egl(), _display()
        config, count = c_void_p(), c_int32()
        pairs = [number for pair in _ATTRIBUTES.items() for number in pair]
        attributes = (c_int32 * (len(pairs) + 1))(*pairs, _NONE)
        if not egl.eglChooseConfig(display, attributes, ctypes.byref(config), 1, ctypes.byref(count)) or count.value < 1:
            raise EglError("EGL has no surface of 8 bits a colour and 24 bits of depth")
        egl.eglBindAPI(_OPENGL_API)
        self._context = egl.eglCreateContext(display, config, None, None)
        if not self._context:
            raise EglError(f"EGL makes no context: error 0x{egl.eglGetError():x}")

    def make_current(self) -> None:
        """Draw with it from now on, in this thread."""
        egl = _egl()
        if not egl.eglMakeCurrent(_display(), None, None, self._context):
            raise EglError(f"EGL does not switch to the context: error 0x{egl.eglGetError():x}")

    def free(self) -> None:
        """Let go of it; a second call does nothing."""
        if self._context is None:
            return
        egl = _egl()
        if egl.eglGetCurrentContext() == self._context:
            egl.eglMakeCurrent(_display(), None, None, None)
            egl.eglReleaseThread()
        egl.eglDestroyContext(_display(), self._context)
        self._context = None

    def __del__(self) -> None:
        self.free()


@cache
def _egl() -> Any:
    """The library, with the types of what is called."""
    with contextlib.suppress(OSError):  # a driver of Nvidia draws in several threads only where this one is loaded first
        ctypes.CDLL("libOpenGL.so.0", mode=ctypes.RTLD_GLOBAL)
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError as error:
        raise EglError(str(error)) from error
    for name, result, arguments in (
        ("eglGetProcAddress", c_void_p, [ctypes.c_char_p]),
        ("eglInitialize", c_uint, [c_void_p, c_void_p, c_void_p]),
        ("eglTerminate", c_uint, [c_void_p]),
        ("eglChooseConfig", c_uint, [c_void_p, POINTER(c_int32), POINTER(c_void_p), c_int32, POINTER(c_int32)]),
        ("eglBindAPI", c_uint, [c_uint]),
        ("eglCreateContext", c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p]),
        ("eglDestroyContext", c_uint, [c_void_p, c_void_p]),
        ("eglMakeCurrent", c_uint, [c_void_p, c_void_p, c_void_p, c_void_p]),
        ("eglGetCurrentContext", c_void_p, []),
        ("eglReleaseThread", c_uint, []),
        ("eglGetError", c_int32, []),
    ):
        function = getattr(egl, name)
        function.restype, function.argtypes = result, arguments
    return egl


def _extension(name: str, result: Any, *arguments: Any) -> Any:
    address = _egl().eglGetProcAddress(name.encode())
    if not address:
        raise EglError(f"EGL has no {name}")
    return ctypes.CFUNCTYPE(result, *arguments)(address)


def _display() -> Any:
    """The device on which this process draws; opened once, given back at its end."""
    with _lock:
        return _opened_display()


@cache
def _opened_display() -> Any:
    egl = _egl()
    query = _extension("eglQueryDevicesEXT", c_uint, c_int32, POINTER(c_void_p), POINTER(c_int32))
    display_of = _extension("eglGetPlatformDisplayEXT", c_void_p, c_uint, c_void_p, POINTER(c_int32))
    devices, count = (c_void_p * _MOST_DEVICES)(), c_int32()
    if not query(_MOST_DEVICES, devices, ctypes.byref(count)):
        raise EglError("EGL lists no devices")
    candidates = list(devices[: count.value])
    chosen = os.environ.get("MUJOCO_EGL_DEVICE_ID", "")
    if chosen:
        if not chosen.isdigit() or int(chosen) >= len(candidates):
            raise EglError(f"MUJOCO_EGL_DEVICE_ID is {chosen!r}, expected a number below {len(candidates)}")
        candidates = [candidates[int(chosen)]]
    for device in candidates:
        display = display_of(_PLATFORM_DEVICE, device, None)
        if display and egl.eglInitialize(display, None, None):
            atexit.register(egl.eglTerminate, display)
            return display
    raise EglError("EGL starts on no device")
