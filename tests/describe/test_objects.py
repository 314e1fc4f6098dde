"""Mistakes in the objects of a world, each one sentence that points at its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.errors import InputError

TWIN = """description: {{file: model.xml}}
world:
  objects:
    thing: {thing}
"""
MODEL = '<mujoco><worldbody><body name="b"><geom type="sphere" size=".1"/></body></worldbody></mujoco>'


def load(folder: Path, thing: str) -> Any:
    (folder / "model.xml").write_text(MODEL)
    (folder / "twin.yaml").write_text(TWIN.format(thing=thing))
    return didymos.load(folder)


@pytest.mark.parametrize(
    ("thing", "sentence"),
    [
        ("{shape: shpere, size: [1, 1, 1]}", "twin.yaml:4: world.objects.thing.shape: found 'shpere'.*did you mean 'sphere'"),
        ("{shape: box}", "world.objects.thing: the key 'size' is missing, which a box needs"),
        ("{shape: box, size: [1, 0, 1]}", r"thing.size: found 1, 0, 1 m, expected lengths above 0"),
        ("{shape: capsule, size: [1, 1, 0.5]}", "thing.size: found a length of 0.5 m, expected more than its diameter of 1 m"),
        ("{shape: plane, mass: 1}", "a plane does not use the key 'mass' and stands still"),
        ("{shape: mesh}", "the key 'file' is missing, which a mesh needs"),
        ("{shape: mesh, file: rock.stl}", "thing.file: the file 'rock.stl' is not there"),
        ("{shape: mesh, file: ../rock.stl}", "thing.file: '../rock.stl' is outside of the twin's folder"),
        ("{shape: mesh, file: broken.stl}", "thing.file: the file 'broken.stl' has no triangles"),
        ("{shape: mesh, file: flat.obj}", "thing.file: the file 'flat.obj' is flat, expected a volume"),
        ("{shape: height_field, file: line.csv, size: [1, 1, 0]}", "holds 1 x 3 numbers, expected a table of at least 2 x 2"),
        ("{shape: height_field, file: words.csv, size: [1, 1, 0]}", "the file 'words.csv' cannot be read: could not convert"),
        ("{shape: height_field, file: cube.npy, size: [1, 1, 0]}", "holds 2 x 2 x 2 numbers, expected a table"),
        ("{shape: height_field, file: nan.npy, size: [1, 1, 0]}", "holds a height that is not a finite number"),
        ("{shape: height_field, file: short.npy, size: [1, 1, 0]}", "the file 'short.npy' cannot be read"),
        ("{shape: height_field, file: pickled.npy, size: [1, 1, 0]}", "the file 'pickled.npy' cannot be read"),
        ("{shape: height_field, file: huge.png, size: [1, 1, 0]}", "holds 100000 x 100000 heights, expected at most"),
        ("{shape: height_field, file: good.npy}", "the key 'size' is missing, which a height field needs"),
        ("{shape: height_field, file: good.npy, size: [1, 1, 0], heights: [1, 0]}", "thing.heights: .*expected the lower one"),
        ("{shape: terrain, size: [9, 9, 0], terrain: {kind: stepps}}", "terrain.kind: found 'stepps'.*did you mean 'steps'"),
        ("{shape: terrain, size: [99, 99, 0], terrain: {kind: steps, length: 0.1}}", "terrain.length: .* makes 980100 blocks"),
        ("{shape: terrain, size: [1, 1, 0], terrain: {kind: stairs, length: 0.6}}", "terrain.length: .* no stair fits"),
        ("{shape: terrain, size: [1, 1, 0], terrain: {kind: rough, seed: 0.5}}", "terrain.seed: .* expected a whole number"),
        ("{size: [1, 1, 1], mass: 0}", "thing.mass: found 0, expected a number above 0"),
        ("{size: [1, 1, 1], velocity: [1, 0, 0]}", "the key 'velocity' needs a mass: only a free body has it"),
        ("{size: [1, 1, 1], mass: 1, inertia: [1, 1, 3]}", "thing.inertia: .* which belong to no body"),
        ("{size: [1, 1, 1], mass: 1, motion: {kind: sine}}", "found a mass and a motion, expected one of them"),
        ("{size: [1, 1, 1], motion: {kind: sine, radius: 1}}", "motion: a motion of kind 'sine' does not use the key 'radius'"),
        ("{size: [1, 1, 1], motion: {kind: path, poses: [{time: 0}]}}", "found 1 poses, expected a path of at least two"),
        ("{size: [1, 1, 1], motion: {kind: path, poses: [{time: 1}, {time: 1}]}}", "the times of the poses do not grow"),
        ("{shape: sphere, size: [1, 1, 1], colur: [1, 0, 0]}", "thing.colur: unknown key.*did you mean 'colour'"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence_at_its_place(tmp_path: Path, thing: str, sentence: str) -> None:
    (tmp_path / "broken.stl").write_text("solid nothing")
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "line.csv").write_text("1,2,3\n")
    (tmp_path / "words.csv").write_text("here,be\nno,numbers\n")
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    np.save(tmp_path / "nan.npy", np.array([[0.0, np.nan], [0.0, 0.0]]))
    np.save(tmp_path / "good.npy", np.eye(3))
    np.save(tmp_path / "pickled.npy", np.array([[{}, {}]], dtype=object), allow_pickle=True)
    (tmp_path / "short.npy").write_bytes((tmp_path / "good.npy").read_bytes()[:-8])
    (tmp_path / "huge.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + 2 * (100_000).to_bytes(4, "big") + b"\0" * 32)
    with pytest.raises(InputError, match=sentence):
        load(tmp_path, thing)


def test_a_size_that_was_set_is_checked_before_the_run(tmp_path: Path) -> None:
    twin = load(tmp_path, "{size: [1, 1, 1]}")
    twin.set("world.objects.thing.size.x", -1.0)
    with pytest.raises(InputError, match=r"world.objects.thing.size: found -1, 1, 1 m, expected lengths above 0"):
        twin.simulate()


def test_a_mesh_is_noted_to_collide_as_its_hull(tmp_path: Path) -> None:
    import trimesh

    trimesh.creation.box(extents=(1, 1, 1)).export(tmp_path / "rock.stl")
    notes = load(tmp_path, "{shape: mesh, file: rock.stl}").notes
    assert any("'thing': a mesh collides as its convex hull" in note.what for note in notes)
