"""What is dropped on the home page: bounded, never outside of its folder, never run; what is wrong with it is one sentence."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from didymos.cli.home_models import load_entry
from didymos.cockpit import drop as bounds
from didymos.cockpit.catalogue import entries_in
from didymos.cockpit.drop import Drop
from didymos.errors import InputError

URDF = """<robot name="stick"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial><visual><geometry><mesh filename="{mesh}"/></geometry></visual></link></robot>"""
TETRAHEDRON = "\n".join(
    ["solid t"]
    + [
        f"facet normal 0 0 0\nouter loop\n{''.join(f'vertex {x} {y} {z}{chr(10)}' for x, y, z in face)}endloop\nendfacet"
        for face in (
            [(0, 0, 0), (0, 1, 0), (1, 0, 0)], [(0, 0, 0), (1, 0, 0), (0, 0, 1)],
            [(0, 0, 0), (0, 0, 1), (0, 1, 0)], [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
        )
    ]
    + ["endsolid t"]
)  # fmt: skip


LAW = """
from didymos.contract import Part, law, output
class Glow(Part):
    '''Glows.'''
    light = output(unit="1")
    @law
    def act(part, here, inputs, state, rate, wrench, output):
        output.light = 1.0
"""


@pytest.fixture
def drop() -> Iterator[Drop]:
    made = Drop()
    yield made
    made.close()


def put(drop: Drop, name: str, content: str | bytes) -> None:
    raw = content.encode() if isinstance(content, str) else content
    drop.write(drop.begin(name, len(raw)), raw)


def packed(**files: str | bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return buffer.getvalue()


def contents(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(
    "name", ["../a.urdf", "/etc/a.urdf", "a/../../b", "..\\..\\a", "", ".", "C:\\a", "a\x00b", "a\nb", "x" * 200, "d/" * 40 + "a"]
)
def test_a_name_that_leads_out_of_the_folder_is_refused_alone_and_in_a_zip(drop: Drop, name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be taken"):
        drop.begin(name, 1)
    if "\x00" in name or not name:
        return  # no zip can hold these names
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, "x")
    put(drop, "a.zip", buffer.getvalue())
    with pytest.raises(InputError, match="cannot be taken"):
        drop.finish()
    assert contents(drop.folder) == {"a.zip"}


def test_a_bomb_ends_at_the_bound_whatever_it_says_of_its_size(drop: Drop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_BYTES", 2**22)
    raw = packed(a=bytes(2**24))
    put(drop, "bomb.zip", raw.replace((2**24).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(InputError, match=r"too much|no zip"):
        drop.finish()
    put_size = sum(file.stat().st_size for file in drop.folder.rglob("*") if file.is_file())
    assert put_size <= 2**22 + 2**20
    with pytest.raises(InputError, match="too large"):
        drop.begin("next", 2**23)


def test_too_many_files_are_refused(drop: Drop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_FILES", 3)
    put(drop, "many.zip", packed(a="1", b="2", c="3"))
    with pytest.raises(InputError, match="too many"):
        drop.finish()


def test_links_and_broken_or_encrypted_archives_are_refused(drop: Drop) -> None:
    link = zipfile.ZipInfo("twin.yaml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    good = packed(a="some text that can be deflated " * 20)
    locked = bytearray(good)
    locked[6] |= 1
    locked[good.index(b"PK\x01\x02") + 8] |= 1
    for name, raw, why in (
        ("link.zip", buffer.getvalue(), "holds a link"), ("cut.zip", good[:60], "no zip"), ("text.zip", b"hello", "no zip"),
        ("locked.zip", bytes(locked), "encrypted"), ("rot.zip", good[:40] + b"\xff" * 8 + good[48:], "no zip"),
    ):  # fmt: skip
        put(drop, name, raw)
        with pytest.raises(InputError, match=why):
            drop.finish()
        (drop.folder / name).unlink()


def test_an_archive_that_lists_more_than_anybody_reads_is_refused_before_its_list_is_read(
    drop: Drop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "_MOST_MARKS", 10)
    put(drop, "many.zip", packed(**{f"a{i}": "" for i in range(11)}))
    monkeypatch.setattr(bounds.zipfile, "ZipFile", lambda *_: pytest.fail("its list was read"))
    with pytest.raises(InputError, match="lists too many files"):
        drop.finish()


def test_an_archive_that_is_packed_in_an_uncommon_way_is_refused(drop: Drop) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.urdf", "some text " * 20)
    put(drop, "a.zip", buffer.getvalue()[:60] + b"\xff" + buffer.getvalue()[61:])  # used to end without a word
    with pytest.raises(InputError, match="uncommon"):
        drop.finish()


def test_a_mesh_that_is_named_in_many_places_takes_no_more_room_than_one(drop: Drop) -> None:
    places = "".join(f'<uri>a{i}/t.stl</uri><mesh filename="b{i}/t.stl"/>' for i in range(20))
    put(drop, "stick.urdf", places)
    put(drop, "t.stl", TETRAHEDRON)
    drop.gather(drop.folder / "stick.urdf")
    meshes = list(drop.folder.rglob("t.stl"))
    assert len(meshes) == 41
    assert len({file.stat().st_ino for file in meshes}) == 1


def test_lines_of_a_megabyte_of_blanks_are_read_like_others(drop: Drop) -> None:
    """With patterns that try every part of them this would take hours, in which nothing else of the cockpit moves."""
    blanks = " " * 1_000_000
    put(drop, "stick.urdf", f"<robot name='x'><uri>{blanks}")
    assert drop.gather(drop.folder / "stick.urdf") == {}
    put(drop, "a/twin.yaml", f"title: Mine{blanks}indeed")
    (entry,) = drop.choices()
    assert entry.title == f"Mine{blanks}indeed"[:200]


@pytest.mark.parametrize(
    ("written", "title"),
    [("Mine  # of mine", "Mine"), ("C# thing", "C# thing"), ("'it''s # mine' # yes", "it's # mine"),
     (r'"the \"best\"" # "of all"', 'the "best"'), ("", "")],
)  # fmt: skip
def test_a_title_is_read_as_yaml_means_it(drop: Drop, written: str, title: str) -> None:
    put(drop, "a/twin.yaml", f"title: {written}\n")
    assert drop.choices()[0].title == title


def test_a_world_takes_no_twin_from_elsewhere_on_the_machine(drop: Drop, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "stick.urdf").write_text(URDF.format(mesh="t.stl"))
    (tmp_path / "mine" / "t.stl").write_text(TETRAHEDRON)
    (tmp_path / "mine" / "twin.yaml").write_text("description: {file: stick.urdf}\n")
    put(drop, "w/world.yaml", f"robots:\n  a: {{twin: quadcopter}}\n  b: {{twin: {tmp_path / 'mine'}}}\n")
    (entry,) = drop.choices()
    with pytest.raises(InputError, match="twin of b from elsewhere"):
        load_entry(entry, None, drop)


def test_a_file_is_not_written_twice(drop: Drop) -> None:
    put(drop, "robot.urdf", "<robot/>")
    with pytest.raises(InputError, match="cannot be kept"):
        drop.begin("robot.urdf", 3)
    with pytest.raises(InputError, match="cannot be kept"):
        drop.begin("robot.urdf/mesh.stl", 3)


def test_what_is_meant_is_the_outermost_twin_before_descriptions_before_logs(drop: Drop) -> None:
    put(drop, "notes.txt", "hello")
    with pytest.raises(InputError, match="there is no twin"):
        drop.choices()
    put(drop, "flight.mcap", b"\x89MCAP")
    assert [(entry.kind, entry.name) for entry in drop.choices()] == [("log", "flight.mcap")]
    put(drop, "wing.ulg", b"ULog")
    assert [entry.name for entry in drop.choices()] == ["flight.mcap", "wing.ulg"]
    put(drop, "plan.xml", "<flightplan/>")
    put(drop, "b/arm.xml", "<mujoco/>")
    put(drop, "b/leg.urdf", "<?xml version='1.0'?><robot name='x'/>")
    assert [entry.name for entry in drop.choices()] == ["arm.xml", "leg.urdf"]
    put(drop, "b/c/twin.yaml", "title: Mine\nvariants:\n  fast: {}\n")
    (only,) = drop.choices()
    assert (only.kind, only.name, only.title, only.variants) == ("twin", "c", "Mine", ("fast",))


@pytest.mark.parametrize("mesh", ["package://my_robot/meshes/t.stl", "meshes/t.stl", "t.stl"])
def test_a_urdf_and_its_mesh_dropped_side_by_side_become_a_twin(drop: Drop, mesh: str) -> None:
    put(drop, "stick.urdf", URDF.format(mesh=mesh))
    put(drop, "t.stl", TETRAHEDRON)
    drop.finish()
    (entry,) = drop.choices()
    twin = load_entry(entry, None, drop)
    assert list(twin.description.links) == ["base"]  # type: ignore[union-attr]
    assert not [note for note in twin.notes if "t.stl" in note.what]


def test_a_description_reads_nothing_outside_of_what_was_dropped(drop: Drop, tmp_path: Path) -> None:
    (tmp_path / "t.stl").write_text(TETRAHEDRON)
    put(drop, "stick.urdf", URDF.format(mesh=tmp_path / "t.stl"))
    (entry,) = drop.choices()
    with pytest.raises(InputError, match="outside"):
        load_entry(entry, None, drop)


def test_code_of_a_dropped_twin_never_runs_and_the_sentence_says_so(drop: Drop, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    files = {
        "robot__twin_dot_yaml": "description: {file: stick.urdf}\nparts:\n  glow: {kind: 'law.py:Glow', link: base}\n",
        "robot__stick_dot_urdf": URDF.format(mesh="t.stl"),
        "robot__t_dot_stl": TETRAHEDRON,
        "robot__law_dot_py": f"open({json.dumps(str(ran))}, 'w')\n{LAW}",
    }
    put(drop, "robot.zip", packed(**files))
    drop.finish()
    (entry,) = drop.choices()
    with pytest.raises(InputError, match=r"law\.py:Glow.*never runs"):
        load_entry(entry, None, drop)
    assert not ran.exists()


def test_a_folder_offers_its_twins_descriptions_and_logs(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "twin.yaml").write_text('title: "My robot"   # of mine\n')
    (tmp_path / "arm.urdf").write_text("<robot name='arm'/>")
    (tmp_path / "plan.xml").write_text("<flightplan/>")
    (tmp_path / "recordings").mkdir()
    (tmp_path / "recordings" / "a.mcap").write_bytes(b"")
    found = {entry.key: (entry.kind, entry.name, entry.title) for entry in entries_in(tmp_path, tmp_path / "recordings")}
    assert found == {
        "./mine/twin": ("twin", "mine", "My robot"),
        "./arm.urdf": ("description", "arm.urdf", ""),
        "log:recordings/a.mcap": ("log", "a.mcap", ""),
    }
