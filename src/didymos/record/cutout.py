"""Cut-outs: robots without ground and sky, for pages that have a background of their own."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from didymos.record.canvas import open_canvas

__all__ = ["cutout"]

AZIMUTH, ELEVATION = -140.0, -22.0  # [deg], seen from the front left, a little from above
FINER = 3  # pixels are drawn per pixel of the result, each way: edges become smooth
FILLED = 0.86  # of the picture's width or height
AMBIENT = 0.35  # light from everywhere, so that black robots have a shape


def cutout(model: mujoco.MjModel, data: mujoco.MjData, size: tuple[int, int]) -> Any:
    """All that is not fixed to the world, in the state of `data`, as a picture (PIL) that is transparent around it.

    `data` must be consistent. `size` is width, height [pixel]. The model is left as it was.
    """
    from PIL import Image

    own = [not model.body(i).name.rpartition("/")[2].startswith("didymos:") for i in range(model.nbody)]  # no boxes of a pilot
    shown = (model.geom_bodyid > 0) & np.array(own)[model.geom_bodyid] & (model.geom_group < 3)
    if not shown.any():
        shown = model.geom_bodyid > 0
    groups, light = model.geom_group.copy(), model.vis.headlight.ambient.copy()
    model.geom_group[:] = np.where(shown, 0, mujoco.mjNGROUP - 1)  # the last is not drawn
    model.vis.headlight.ambient[:] = AMBIENT
    try:
        view = _view(model, data, shown)
        reach = 0.05 * view.distance, 20.0 * view.distance
        with open_canvas(model, (FINER * size[0], FINER * size[1]), fine=True) as canvas:
            colours, depth = canvas.draw(data, view, reach), canvas.draw_depth(data, view, reach)
    finally:
        model.geom_group[:], model.vis.headlight.ambient[:] = groups, light
    seen = np.isfinite(depth)
    drawn = Image.fromarray(np.dstack([colours * seen[..., None], 255 * seen]).astype(np.uint8), "RGBA")
    box = drawn.getchannel("A").getbbox()
    result = Image.new("RGBA", size)
    if box is not None:
        scale = FILLED * min(size[0] / (box[2] - box[0]), size[1] / (box[3] - box[1]))
        small = drawn.crop(box).convert("RGBa").resize(  # colours weighed by what is seen: no dark rim
            (max(1, round(scale * (box[2] - box[0]))), max(1, round(scale * (box[3] - box[1])))), Image.Resampling.LANCZOS
        ).convert("RGBA")  # fmt: skip
        result.paste(small, ((size[0] - small.width) // 2, (size[1] - small.height) // 2))
    return result


def _view(model: mujoco.MjModel, data: mujoco.MjData, shown: Any) -> mujoco.MjvCamera:
    """A view that has all shown shapes in it."""
    centres, radii = data.geom_xpos[shown], np.minimum(model.geom_rbound[shown, None], 1e3)
    centre = 0.5 * ((centres - radii).min(axis=0) + (centres + radii).max(axis=0))
    radius = float((np.linalg.norm(centres - centre, axis=1) + radii[:, 0]).max())
    view = mujoco.MjvCamera()
    view.type = mujoco.mjtCamera.mjCAMERA_FREE
    view.lookat[:] = centre
    view.distance = max(radius, 1e-3) / np.sin(np.radians(model.vis.global_.fovy) / 2)
    view.azimuth, view.elevation = AZIMUTH, ELEVATION
    return view
