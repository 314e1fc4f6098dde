"""Pictures: what the robot looks like in a state of its model, drawn off-screen, without a display.

`render_picture` draws one still with shadows and smooth edges; `render_clip` draws many pictures as an animated GIF, with
both left out, which is an order of magnitude faster on a machine without a graphics card.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest
from didymos.record.canvas import Pixels, open_canvas

__all__ = ["render_clip", "render_picture"]

AZIMUTH, ELEVATION = -140.0, -18.0  # [deg] the engine's own unit here: seen from the front left, a little from above
MARGIN = 1.15  # the robot fills the picture's height up to this factor


def render_picture(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    path: str | Path,
    *,
    camera: str | None = None,
    size: tuple[int, int] = (960, 640),
) -> Path:
    """Draw the state in `data` to a picture file and return its path.

    `data` must be consistent (after `mj_forward` or a step). `camera` names a camera of the model; without one, the
    view looks at all links from the front left. `size` is width, height [pixel]. The suffix gives the kind of file.
    """
    file = _checked(path, (".png", ".jpg", ".jpeg", ".webp"))
    with open_canvas(model, size, fine=True) as canvas:
        pixels = canvas.draw(data, _view(model, data, camera))
    _image(pixels).save(file)
    return file


def render_clip(
    model: mujoco.MjModel,
    qpos: NDArray[np.float64],
    path: str | Path,
    *,
    fps: float = 25.0,
    camera: str | None = None,
    size: tuple[int, int] = (480, 320),
) -> Path:
    """Draw an animated GIF that repeats for ever, one picture per row of `qpos`, shape [n, nq], and return its path.

    The automatic view follows the robot at a constant distance. `fps` [1/s] is their rate; the format stores whole
    hundredths of a second per picture, so that 25, 20 and 10 are exact. Equal ones in a row are stored as one that lasts as
    long.
    """
    file = _checked(path, (".gif",))
    states = np.asarray(qpos, dtype=np.float64)
    if states.ndim != 2 or states.shape[1] != model.nq or len(states) == 0:
        raise InputError(f"a clip needs positions of shape [n, {model.nq}] with n > 0, found {list(states.shape)}")
    if not 0.0 < fps <= 50.0:
        raise InputError(f"a clip needs a frame rate above 0 and up to 50 per second, found {fps:g}")
    pictures = [_image(pixels) for pixels in _animate(model, states, camera, size)]
    # one palette for all of them: a palette each flickers
    palette = pictures[len(pictures) // 2].quantize(128)
    first, *others = [picture.quantize(palette=palette, dither=0) for picture in pictures]
    first.save(file, save_all=True, append_images=others, duration=round(100 / fps) * 10, loop=0)
    return file


def _animate(
    model: mujoco.MjModel, states: NDArray[np.float64], camera: str | None, size: tuple[int, int]
) -> Iterator[Pixels]:
    data = mujoco.MjData(model)
    distance = 0.0
    with open_canvas(model, size, fine=False) as canvas:
        for state in states:
            data.qpos[:] = state
            mujoco.mj_kinematics(model, data)
            mujoco.mj_camlight(model, data)
            view = _view(model, data, camera)
            distance = view.distance = max(distance, view.distance)
            yield canvas.draw(data, view)


def _view(model: mujoco.MjModel, data: mujoco.MjData, camera: str | None) -> mujoco.MjvCamera:
    view = mujoco.MjvCamera()
    if camera is not None:
        view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        view.fixedcamid = _camera_id(model, camera)
        return view
    centre, radius = _bounds(model, data)
    half_angle = np.radians(model.vis.global_.fovy) / 2
    view.type = mujoco.mjtCamera.mjCAMERA_FREE
    view.lookat[:] = centre
    view.distance = MARGIN * radius / np.sin(half_angle)
    view.azimuth, view.elevation = AZIMUTH, ELEVATION
    return view


def _camera_id(model: mujoco.MjModel, name: str) -> int:
    names = [model.camera(i).name for i in range(model.ncam)]
    if name not in names:
        known = ", ".join(names) or "none"
        raise InputError(f"unknown camera {name!r}{nearest(name, names)}; the model's cameras: {known}")
    return names.index(name)


def _bounds(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[NDArray[np.float64], float]:
    """Centre [m], shape [3], and radius [m] of a ball around all shapes that belong to a link."""
    names = [model.body(i).name.rpartition("/")[2] for i in range(model.nbody)]  # in a world behind the robot's
    ours = np.array([name.startswith("didymos:") for name in names])  # boxes of a pilot
    mine = (model.geom_bodyid > 0) & (model.geom_rbound > 0) & ~ours[model.geom_bodyid]
    if not mine.any():
        return np.array(model.stat.center), float(model.stat.extent)
    centres, radii = data.geom_xpos[mine], model.geom_rbound[mine, None]
    low, high = (centres - radii).min(axis=0), (centres + radii).max(axis=0)
    centre = (low + high) / 2
    return centre, float((np.linalg.norm(centres - centre, axis=1) + radii[:, 0]).max())


def _checked(path: str | Path, suffixes: tuple[str, ...]) -> Path:
    file = Path(path)
    if file.suffix.lower() not in suffixes:
        raise InputError(f"found suffix {file.suffix!r}, expected {' or '.join(suffixes)}", file=file)
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def _image(pixels: Pixels) -> Any:
    from PIL import Image

    return Image.fromarray(pixels)
