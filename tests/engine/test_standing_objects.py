"""Objects that stand in the world: where their surfaces are, as rays and lidars find them, and what stands on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import didymos
from didymos.describe.object_spec import TerrainSpec
from didymos.describe.terrain import make_terrain

PROBE = """<mujoco><worldbody><body name="probe" pos="0 0 5"><freejoint name="free"/>
  <geom type="sphere" size=".01" mass=".1"/></body></worldbody></mujoco>"""
SINGLE = 2.0**-23  # the engine keeps heights as fractions of their range in single precision


def height_at(simulation: Any, x: float, y: float) -> float:
    """The height [m] of whatever stands below a point, by a ray from 10 m."""
    mujoco.mj_kinematics(simulation.model, simulation.data)
    mujoco.mj_comPos(simulation.model, simulation.data)
    body = np.array([int(simulation.model.body("probe").id)], dtype=np.int32)
    hit = np.zeros(1, dtype=np.int32)
    down = np.array([0.0, 0.0, -1.0])
    return 10.0 - float(mujoco.mj_ray(
        simulation.model, simulation.data, np.array([x, y, 10.0]), down, None, 1, int(body[0]), hit, None
    ))  # fmt: skip


def with_files(folder: Path, objects: dict[str, Any], **keys: Any) -> Any:
    (folder / "model.xml").write_text(PROBE)
    (folder / "twin.yaml").write_text(json.dumps({"description": {"file": "model.xml"}, "world": {"objects": objects}} | keys))
    return didymos.load(folder)


@pytest.mark.parametrize("suffix", ["npy", "csv"])
def test_a_ray_finds_the_heights_of_a_table(tmp_path: Path, suffix: str) -> None:
    """At every node inside the edge, the first row at the largest y; the position lifts all of it."""
    heights = np.random.default_rng(7).uniform(-0.3, 0.9, (5, 8))
    if suffix == "npy":
        np.save(tmp_path / "hills.npy", heights)
    else:
        np.savetxt(tmp_path / "hills.csv", heights, delimiter=",")
    hills = {"shape": "height_field", "file": f"hills.{suffix}", "size": [7.0, 2.0, 0.0], "position": [1.0, -1.0, 0.25]}
    simulation = with_files(tmp_path, {"hills": hills}).simulate()
    xs, ys = np.linspace(-3.5, 3.5, 8) + 1.0, np.linspace(1.0, -1.0, 5) - 1.0
    found = [[height_at(simulation, x, y) for x in xs[1:-1]] for y in ys[1:-1]]
    np.testing.assert_allclose(found, heights[1:-1, 1:-1] + 0.25, rtol=0, atol=2.0 * 1.2 * SINGLE)


def test_heights_stretch_a_picture_between_two_numbers(tmp_path: Path) -> None:
    from PIL import Image

    grey = np.array([[0, 255, 51], [102, 153, 204], [10, 20, 30]], dtype=np.uint8)
    Image.fromarray(grey).save(tmp_path / "map.png")
    field = {"shape": "height_field", "file": "map.png", "size": [2, 2, 0], "heights": [-1.0, 4.0]}
    simulation = with_files(tmp_path, {"map": field}).simulate()
    assert height_at(simulation, 0.0, 0.0) == pytest.approx(-1.0 + 5.0 * 153 / 255, abs=2 * 5.0 * SINGLE)


def test_a_lidar_sees_the_height_field(tmp_path: Path) -> None:
    """A wall that is a step of a height field, 2 m ahead: its foot and top are nodes, and the ray hits in between."""
    heights = np.zeros((3, 5))
    heights[:, 3:] = 2.0
    np.save(tmp_path / "wall.npy", heights)
    wall = {"shape": "height_field", "file": "wall.npy", "size": [8, 8, 0]}
    fields = {"kind": "lidar", "link": "probe", "rate": 100.0, "rays": 9, "field_of_view": 1.0, "farthest": 10.0}
    twin = with_files(tmp_path, {"wall": wall}, sensors={"scan": fields}, start={"position": [0, 0, 1.0]})
    simulation = twin.simulate()
    ranges = np.asarray(simulation.measured.scan.ranges)
    assert ranges[4] == pytest.approx(1.0, abs=2.0 * SINGLE)  # half-way up the face between x = 0 and 2


@pytest.mark.parametrize(
    ("thing", "top"),
    [
        ({"shape": "box", "size": [1, 1, 0.4]}, 0.2),
        ({"shape": "sphere", "size": [0.6, 0.6, 0.6]}, 0.3),
        ({"shape": "cylinder", "size": [1, 1, 0.5]}, 0.25),
        ({"shape": "capsule", "size": [0.2, 0.2, 1.0]}, 0.5),
        ({"shape": "capsule", "size": [0.2, 0.2, 1.0], "orientation": [0, np.pi / 2, 0]}, 0.1),
        ({"shape": "plane"}, 0.0),
        ({"shape": "plane", "size": [3, 3, 0]}, 0.0),
        ({"shape": "mesh", "file": "wedge.stl", "scale": [2, 2, 2]}, 1.0),
        ({"shape": "terrain", "size": [4, 1, 0], "terrain": {"kind": "stairs", "height": 0.15, "length": 0.5}}, 0.6),
    ],
)  # fmt: skip
def test_the_top_of_every_shape_is_where_its_size_says(tmp_path: Path, thing: dict[str, Any], top: float) -> None:
    import trimesh

    trimesh.creation.box(extents=(1.0, 1.0, 1.0)).export(tmp_path / "wedge.stl")
    simulation = with_files(tmp_path, {"thing": thing | {"position": [0, 0, 0.5]}}).simulate()
    assert height_at(simulation, 0.01, 0.0) == pytest.approx(0.5 + top, abs=6e-4)  # of a ball 0.3 m wide at 1 cm: 1.7e-4


def test_what_falls_on_it_lies_on_it(tmp_path: Path) -> None:
    """A ball of 1 cm on a plate whose top is at 0.2 m, on stairs of 2 x 0.1 m, and on rough ground of no height."""
    shapes = {
        "plate": ({"size": [1, 1, 0.4]}, 0.2),
        "stairs": ({"shape": "terrain", "size": [2, 1, 0], "terrain": {"kind": "stairs", "height": 0.1, "length": 0.5}}, 0.2),
        "rough": ({"shape": "terrain", "size": [2, 2, 0], "terrain": {"kind": "rough", "height": 0.0}}, 0.0),
    }
    for name, (thing, top) in shapes.items():
        twin = with_files(tmp_path, {name: thing}, start={"position": [0, 0, top + 0.05]})
        simulation = twin.simulate()
        log = simulation.run(1.0)
        assert log["truth.position.z"].values[-1] == pytest.approx(top + 0.01, abs=1e-3), name


def test_the_same_seed_and_name_make_the_same_terrain() -> None:
    def made(kind: str, name: str = "field", seed: float = 3.0) -> bytes:
        spec = TerrainSpec(kind=kind, height=0.2, length=0.25, seed=seed)  # type: ignore[arg-type]
        make_terrain.cache_clear()
        terrain = make_terrain(spec, name, 4.0, 3.0)
        return repr(terrain.blocks).encode() + (b"" if terrain.heights is None else terrain.heights.tobytes())

    for kind in ("steps", "slopes", "rough", "stairs"):
        assert made(kind) == made(kind)
    for kind in ("steps", "slopes", "rough"):
        assert len({made(kind), made(kind, seed=4.0), made(kind, name="other")}) == 3


def test_terrain_keeps_its_numbers() -> None:
    rough = make_terrain(TerrainSpec(kind="rough", height=0.2, length=0.5, level=1.0), "a", 6.0, 4.0).heights
    assert rough is not None
    assert rough.shape == (9, 13)
    assert rough.min() >= 0.0
    assert 0.15 < rough.max() <= 0.2  # of 80 uniform numbers
    assert not rough[2:7, 4:9].any()
    slopes = make_terrain(TerrainSpec(kind="slopes", length=0.5, slope=0.3), "a", 6.0, 4.0).heights
    assert slopes is not None
    assert np.abs(np.diff(slopes[0])).max() <= 0.5 * np.tan(0.3)
    assert slopes[0, 6] == 0.0  # the middle
    assert slopes.min() == 0.0
    stairs = make_terrain(TerrainSpec(kind="stairs", length=0.3, height=0.1, level=0.5), "a", 3.0, 1.0).blocks
    assert [round(block.lengths[2], 9) for block in stairs] == [0.1, 0.2, 0.3, 0.2, 0.1]
    assert sum(block.lengths[0] for block in stairs) == pytest.approx(3.0)
    blocks = make_terrain(TerrainSpec(kind="steps", length=0.5, height=0.1, level=0.5), "a", 3.0, 3.0).blocks
    assert len(blocks) == 36 - 4
