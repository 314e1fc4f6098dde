"""Meshes: found where a URI means them, read whatever their format, scaled, never mixed up."""

from __future__ import annotations

import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest

from didymos.describe.description import Description
from didymos.describe.formats.importer import read_description
from didymos.errors import InputError

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def stl(scale: float = 1.0) -> bytes:
    triangles = b"".join(struct.pack("<12fH", 0, 0, 0, *(scale * CORNERS[face]).ravel(), 0) for face in FACES)
    return bytes(80) + struct.pack("<I", len(FACES)) + triangles


def ascii_stl() -> str:
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*CORNERS[i]) for i in face)
        + "endloop\nendfacet\n"
        for face in FACES
    )
    return f"solid t\n{facets}endsolid t\n"


def obj() -> str:
    return "".join("v {} {} {}\n".format(*corner) for corner in CORNERS) + "".join(
        "f {} {} {}\n".format(*(face + 1)) for face in FACES
    )


def dae(unit: str = "0.5") -> str:
    positions = " ".join(map(str, CORNERS.ravel()))
    indices = " ".join(map(str, FACES.ravel()))
    params = "".join(f'<param name="{axis}" type="float"/>' for axis in "XYZ")
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><created>2020-01-01</created><modified>2020-01-01</modified><unit name="u" meter="{unit}"/>
<up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="12">{positions}</float_array>
<technique_common><accessor source="#pa" count="4" stride="3">{params}</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{indices}</p></triangles></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def read(folder: Path, *meshes: str, tag: str = "visual") -> Description:
    file = folder / "robot.urdf"
    shapes = "".join(f"<{tag}><geometry><mesh {mesh}/></geometry></{tag}>" for mesh in meshes)
    file.write_text(f'<robot name="r"><link name="a">{shapes}</link></robot>')
    return read_description(file)


def bounds(description: Description, name: str = "a:visual0") -> np.ndarray:
    """Lowest and highest corner of a geom's mesh in the world [m], shape [2, 3]."""
    model = description.spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mesh = model.mesh(model.geom(name).dataid[0])
    vertices = model.mesh_vert[mesh.vertadr[0] : mesh.vertadr[0] + mesh.vertnum[0]]
    placed = vertices @ data.geom(name).xmat.reshape(3, 3).T + data.geom(name).xpos
    return np.array([placed.min(axis=0), placed.max(axis=0)])


@pytest.mark.parametrize(
    ("name", "content", "unit"),
    [
        ("t.stl", stl(), 1),
        ("t.STL", ascii_stl().encode(), 1),
        ("t.obj", obj().encode(), 1),
        ("t.dae", dae().encode(), 0.5),
    ],
)
def test_every_format_gives_the_same_corners(tmp_path: Path, name: str, content: bytes, unit: float) -> None:
    (tmp_path / name).write_bytes(content)
    description = read(tmp_path, f'filename="{name}"')
    np.testing.assert_allclose(bounds(description), [[0, 0, 0], [unit, 2 * unit, 3 * unit]], atol=1e-6)
    assert any("Y_UP" in note.what for note in description.notes) == name.endswith("dae")


def test_a_negative_scale_mirrors(tmp_path: Path) -> None:
    (tmp_path / "t.stl").write_bytes(stl())
    found = bounds(read(tmp_path, 'filename="t.stl" scale="-1 0.5 2"'))
    np.testing.assert_allclose(found, [[-1, 0, 0], [0, 1, 6]], atol=1e-6)


def test_files_of_one_name_in_two_folders_do_not_clash(tmp_path: Path) -> None:
    for folder, scale in (("one", 1.0), ("two", 2.0)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "t.stl").write_bytes(stl(scale))
    description = read(tmp_path, 'filename="one/t.stl"', 'filename="two/t.stl"', 'filename="one/t.stl"')
    assert description.spec.compile().nmesh == 2
    np.testing.assert_allclose(bounds(description, "a:visual1")[1], [2, 4, 6], atol=1e-6)
    np.testing.assert_allclose(bounds(description, "a:visual2")[1], [1, 2, 3], atol=1e-6)


@pytest.mark.parametrize(
    "uri",
    [
        "package://bots/meshes/t.stl",
        "package:///bots/meshes/t.stl",
        "model://bots/meshes/t.stl",
        "../meshes/t.stl",
        "file://{folder}/meshes/t.stl",
        "{folder}/meshes/t.stl",
    ],
)
def test_a_uri_is_resolved_from_where_the_description_stands(tmp_path: Path, uri: str) -> None:
    package = tmp_path / "checkout"
    (package / "meshes").mkdir(parents=True)
    (package / "urdf").mkdir()
    (package / "package.xml").write_text("<package><name>bots</name></package>")
    (package / "meshes" / "t.stl").write_bytes(stl())
    description = read(package / "urdf", f'filename="{uri.format(folder=package)}"')
    assert description.spec.compile().nmesh == 1


def test_a_package_is_found_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ros" / "bots").mkdir(parents=True)
    (tmp_path / "ros" / "bots" / "t.stl").write_bytes(stl())
    (tmp_path / "mine").mkdir()
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "ros"))
    assert read(tmp_path / "mine", 'filename="package://bots/t.stl"').spec.compile().nmesh == 1


def test_a_broken_visual_mesh_is_noted_and_a_broken_collision_mesh_refused(tmp_path: Path) -> None:
    (tmp_path / "t.stl").write_bytes(stl()[:100])
    description = read(tmp_path, 'filename="t.stl"')
    assert any("t.stl' breaks off: it says that it has" in note.what for note in description.notes)
    with pytest.raises(InputError, match=r"the collision mesh .*t\.stl' breaks off: .* and holds 0"):
        read(tmp_path, 'filename="t.stl"', tag="collision")


def test_a_flat_mesh_is_shown_but_cannot_collide(tmp_path: Path) -> None:
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    np.testing.assert_allclose(bounds(read(tmp_path, 'filename="t.obj"'))[1], [1, 1, 0], atol=1e-6)
    with pytest.raises(InputError, match="is flat, expected a volume"):
        read(tmp_path, 'filename="t.obj"', tag="collision")


def test_collision_meshes_become_hulls_with_one_note(tmp_path: Path) -> None:
    (tmp_path / "t.stl").write_bytes(stl())
    description = read(tmp_path, 'filename="t.stl"', 'filename="t.stl" scale="2 2 2"', tag="collision")
    assert [note.what for note in description.notes] == ["collision meshes collide as their convex hulls"]


def test_corners_of_two_numbers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.obj").write_text("v 0 0\nv 1 0\nv 0 1\nv 1 1\nf 1 2 3\nf 2 3 4\n")
    with pytest.raises(InputError, match="corners that are not three numbers each"):
        read(tmp_path, 'filename="t.obj"', tag="collision")


def test_missing_meshes_are_noted_where_they_are_seen_and_refused_all_at_once_where_they_collide(tmp_path: Path) -> None:
    seen = read(tmp_path, 'filename="gone.stl"', 'filename="package://nowhere/lost.stl"')
    said = [note.what for note in seen.notes]
    assert any("gone.stl" in what and what.endswith("; it is not shown") for what in said)
    assert any("lost.stl" in what and what.endswith("; it is not shown") for what in said)
    with pytest.raises(InputError, match="gone") as caught:
        read(tmp_path, 'filename="gone.stl"', 'filename="lost.stl"', tag="collision")
    assert [("lost.stl" in other.message) for other in caught.value.others] == [True]


def test_a_package_that_nobody_has_may_be_a_folder_beside_the_file(tmp_path: Path) -> None:
    """As Bullet reads it; a name that leads out of the folder is refused as before."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "solid.obj").write_text(obj())
    assert read(tmp_path, 'filename="package://parts/solid.obj"').spec.meshes
    (tmp_path.parent / "solid.obj").write_text(obj())
    with pytest.raises(InputError, match="outside of the description's folder"):
        read(tmp_path, 'filename="package://parts/../../solid.obj"')
