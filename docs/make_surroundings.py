"""Draw the pictures of docs/surroundings.md: `python docs/make_surroundings.py`. Needs OpenGL (EGL will do)."""

from __future__ import annotations

import json
import runpy
import tempfile
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import didymos
from didymos.record.canvas import open_canvas

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
TERRAINS = {
    "steps": {"kind": "steps", "height": 0.15, "length": 0.4, "level": 0.4},
    "stairs": {"kind": "stairs", "height": 0.12, "length": 0.3, "level": 0.4},
    "slopes": {"kind": "slopes", "length": 0.8, "slope": 0.35, "level": 0.4},
    "rough": {"kind": "rough", "height": 0.15, "length": 0.25, "level": 0.4},
}
PROBE = '<mujoco><worldbody><body name="probe" pos="0 0 -9"><geom type="sphere" size=".01"/></body></worldbody></mujoco>'


def look(
    model: Any, data: Any, at: tuple[float, float, float], distance: float, size: tuple[int, int], azimuth: float
) -> Any:
    """A picture of a model, uint8 [height, width, 3], seen from a distance [m] and an angle [deg] on a point [m]."""
    model.light_castshadow[:] = False
    model.mat_reflectance[:] = 0.0
    view = mujoco.MjvCamera()
    view.lookat[:], view.distance, view.azimuth, view.elevation = at, distance, azimuth, -25.0
    mujoco.mj_forward(model, data)
    with open_canvas(model, size, fine=True) as canvas:
        return canvas.draw(data, view).copy()


def save(pixels: Any, name: str) -> None:
    """A small PNG."""
    from PIL import Image

    Image.fromarray(pixels).quantize(96, dither=Image.Dither.NONE).save(PICTURES / name, optimize=True)


def terrains() -> None:
    """The four kinds of terrain, 4 x 3 m each."""
    views = []
    for name, terrain in TERRAINS.items():
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "probe.xml").write_text(PROBE)
            thing = {"shape": "terrain", "size": [4, 3, 0], "terrain": terrain, "colour": [0.72, 0.66, 0.55]}
            world = {"ground": {"height": -0.002}, "objects": {name: thing}}  # below level places, which would flicker
            (Path(folder) / "twin.yaml").write_text(json.dumps({"description": {"file": "probe.xml"}, "world": world}))
            model = didymos.load(folder).simulate().shown.model
            views.append(look(model, mujoco.MjData(model), (0, 0, 0.1), 4.4, (360, 230), 120.0))
    save(np.vstack([np.hstack(views[:2]), np.hstack(views[2:])]), "terrain.png")


def lift() -> None:
    """The example: the parcel on the lift at three times."""
    example = runpy.run_path(str(HERE.parent / "examples" / "14_surroundings.py"))
    with tempfile.TemporaryDirectory() as folder:
        simulation = example["make_twin"](Path(folder)).simulate()
        log = simulation.run(4.0)
        poses, times = simulation.poses(log), log["truth.position.x"].time
        model, views = simulation.shown.model, []
        for time in (0.45, 1.5, 3.5):
            data = mujoco.MjData(model)
            data.qpos[:] = poses[np.searchsorted(times, time)]
            views.append(look(model, data, (0.8, 0.6, 0.6), 4.2, (300, 230), 60.0))
    save(np.hstack(views), "lift.png")


if __name__ == "__main__":
    terrains()
    lift()
