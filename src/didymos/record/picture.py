"""Pictures: what the robot looks like in a state of its model, drawn off-screen, without a display.

`render_picture` draws one still with shadows and smooth edges; `render_clip` draws many pictures as an animated GIF or an MP4,
with both left out, which is an order of magnitude faster on a machine without a graphics card. From where, says `view.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.canvas import Pixels, open_canvas
from didymos.record.film import write_film
from didymos.record.own_file import NAME
from didymos.record.view import Framing, View, read_view

__all__ = ["CLIPS", "PICTURES", "render_clip", "render_picture"]

PICTURES = (".png", ".jpg", ".jpeg", ".webp")
CLIPS = (".gif", ".mp4")
_NEAR, _FAR = 0.02, 500.0  # of the distance of what is looked at: from where to where something is drawn
_OVERALL = 40  # states that a fixed view looks at


def render_picture(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    path: str | Path,
    *,
    camera: str | None = None,
    size: tuple[int, int] = (960, 640),
) -> Path:
    """Draw the state in `data` to a picture file and return its path.

    `data` must be consistent (after `mj_forward` or a step). `camera` is a view (`view.py`): a name of the model's camera, top,
    side, front, or angles. `size` is width, height [pixel]. The suffix gives the kind of file.
    """
    file = _checked(path, PICTURES)
    framing = Framing(model, read_view(camera), size[0] / size[1])
    with open_canvas(model, size, fine=True) as canvas:
        eye = framing.camera(data)
        pixels = canvas.draw(data, eye, _reach(eye))
    _image(pixels).save(file, **_stamp(file))
    return file


def render_clip(
    model: mujoco.MjModel,
    qpos: NDArray[np.float64],
    path: str | Path,
    *,
    fps: float = 25.0,
    camera: str | None = None,
    size: tuple[int, int] | None = None,
) -> Path:
    """Draw an animated GIF that repeats for ever, or an MP4, one picture per row of `qpos`, shape [n, nq]; return its path.

    The view follows the robot at a constant distance unless `camera` says otherwise (`view.py`). `fps` [1/s] is their rate; a GIF
    stores whole hundredths of a second per picture, so that 25, 20 and 10 are exact, and equal ones in a row as one that lasts as
    long. An MP4 needs ffmpeg. `size` is 480 x 320 of a GIF and 960 x 640 of an MP4 by default.
    """
    file = _checked(path, CLIPS)
    states = np.asarray(qpos, dtype=np.float64)
    if states.ndim != 2 or states.shape[1] != model.nq or len(states) == 0:
        raise InputError(f"a clip needs positions of shape [n, {model.nq}] with n > 0, found {list(states.shape)}")
    if not 0.0 < fps <= 50.0:
        raise InputError(f"a clip needs a frame rate above 0 and up to 50 per second, found {fps:g}")
    view = read_view(camera)
    if file.suffix.lower() == ".mp4":
        large = size or (960, 640)
        return write_film(_animate(model, states, view, large), large, fps, file)
    pictures = [_image(pixels) for pixels in _animate(model, states, view, size or (480, 320))]
    # one palette for all of them: a palette each flickers
    palette = pictures[len(pictures) // 2].quantize(128)
    first, *others = [picture.quantize(palette=palette, dither=0) for picture in pictures]
    first.save(file, save_all=True, append_images=others, duration=round(100 / fps) * 10, loop=0, comment=NAME)
    return file


def _animate(model: mujoco.MjModel, states: NDArray[np.float64], view: View, size: tuple[int, int]) -> Iterator[Pixels]:
    data = mujoco.MjData(model)
    framing = Framing(model, view, size[0] / size[1])
    whole = _everywhere(model, data, states, framing) if view.fixed else None
    distance = 0.0
    with open_canvas(model, size, fine=False) as canvas:
        for state in states:
            _place(model, data, state)
            eye = framing.camera(data, whole)
            if eye.type == mujoco.mjtCamera.mjCAMERA_FREE:
                distance = eye.distance = max(distance, eye.distance)
            yield canvas.draw(data, eye, _reach(eye))


def _place(model: mujoco.MjModel, data: mujoco.MjData, state: NDArray[np.float64]) -> None:
    data.qpos[:] = state
    mujoco.mj_kinematics(model, data)
    mujoco.mj_camlight(model, data)


def _everywhere(
    model: mujoco.MjModel, data: mujoco.MjData, states: NDArray[np.float64], framing: Framing
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and radii [m] around all shapes, wherever they will be."""
    points, radii = [], []
    for state in states[:: max(1, len(states) // _OVERALL)]:
        _place(model, data, state)
        more = framing.bounds(data)
        points.append(more[0])
        radii.append(more[1])
    return np.concatenate(points), np.concatenate(radii)


def _reach(eye: mujoco.MjvCamera) -> tuple[float, float] | None:
    """From where to where [m] a free view sees: robots far from each other are far from the eye; a model's camera has its own."""
    return (_NEAR * eye.distance, _FAR * eye.distance) if eye.type == mujoco.mjtCamera.mjCAMERA_FREE else None


def _checked(path: str | Path, suffixes: tuple[str, ...]) -> Path:
    file = Path(path)
    if file.suffix.lower() not in suffixes:
        raise InputError(f"found suffix {file.suffix!r}, expected {' or '.join(suffixes)}", file=file)
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def _stamp(file: Path) -> dict[str, Any]:
    """What says in the metadata of a picture that it is ours."""
    from PIL.ExifTags import Base
    from PIL.Image import Exif
    from PIL.PngImagePlugin import PngInfo

    if file.suffix.lower() == ".png":
        info = PngInfo()
        info.add_text("Software", NAME)
        return {"pnginfo": info}
    exif = Exif()
    exif[Base.Software] = NAME
    return {"exif": exif.tobytes()}


def _image(pixels: Pixels) -> Any:
    from PIL import Image

    return Image.fromarray(pixels)
