"""Files that a description may not read, by every trick to name them: refused in one sentence, in every format.

What stands outside are whole, readable files, meshes, models, YAML, so that a hole would show as a description that loads. The
number 4711 stands in all of them, and in no answer.
"""

from __future__ import annotations

import io
import json
import os
import struct
import time
import zipfile
import zlib
from pathlib import Path

import pytest

from didymos.cli.main import main
from didymos.describe.formats.importer import read_description
from didymos.errors import InputError

TRIANGLES = [(0, 0, 0), (1, 0, 0), (0, 4711, 0)], [(0, 0, 0), (0, 4711, 0), (0, 0, 1)], [(0, 0, 0), (0, 0, 1), (1, 0, 0)]
STL = bytes(80) + struct.pack("<I", 3) + b"".join(struct.pack("<12fH", 0, 0, 0, *sum(t, ()), 0) for t in TRIANGLES)
BALL = '<inertial><mass value="4711"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
FILES = {
    "a.stl": STL,
    "a.xacro": f'<robot {XACRO}><link name="a4711">{BALL}</link></robot>'.encode(),
    "model.sdf": b'<sdf version="1.9"><model name="m4711"><link name="a"/></model></sdf>',
    "a.xml": b'<mujoco><worldbody><body name="a4711"><geom size="1"/></body></worldbody></mujoco>',
    "a.yaml": b"canary: 4711",
}
WAYS = {
    "up": "../outside/NAME",
    "up and up": "../../TOP/outside/NAME",
    "through a folder": "below/../../outside/NAME",
    "a thousand up": "../" * 1000 + "FULL",
    "absolute": "/FULL",
    "absolute with dots": "/FULLDOTS",
    "file": "file:///FULL",
    "file without slashes": "file://../outside/NAME",
    "file percent": "file://%2e%2e/outside/NAME",
    "file percent slash": "file://..%2Foutside%2FNAME",
    "a link to the file": "link_to_file_NAME",
    "a link to the folder": "link_to_folder/NAME",
    "a link to the root": "link_to_root/FULL",
    "a chain of links": "chain/NAME",
    "a package beside": "package://outside/NAME",
    "a package above": "package://TOP/outside/NAME",
    "a package with dots": "package://../outside/NAME",
    "out of a package": "package://mine/../../outside/NAME",
    "a hidden folder of home": "package://.ssh/NAME",
    "home as a package": "package://home/.ssh/NAME",
    "the disk as a package": "package://tmp/FULL",
    "a model of home": "model://.ssh/NAME",
}
"""How a file is named: FULL is its whole path, NAME its own, TOP the folder around all."""
NOT_FILES = {
    "zeros": "/dev/zero",
    "noise": "/dev/urandom",
    "the terminal": "/dev/tty",
    "standard input": "/dev/stdin",
    "a process": "/proc/self/environ",
    "an open file": "/proc/self/fd/0",
    "memory": "/proc/self/mem",
    "system": "/sys/kernel/uevent_seqnum",
    "a pipe": "pipe",
    "a link to a pipe": "link_to_pipe",
    "a link to zeros": "link_to_zeros",
    "a link to itself": "loop",
    "a folder": ".",
    "a NUL": "a%00b",
    "a long name": "n" * 5000,
    "nothing": "",
    "a web page": "http://localhost/a.stl",
    "a share": "//host/share/a.stl",
    "a shell": "|id",
}
URDF = '<robot name="r"><link name="b">{0}<{1}><geometry><mesh filename="URI"/></geometry></{1}></link></robot>'
SDF = '<sdf version="1.9"><model name="m"><link name="b">{0}</link>{1}</model></sdf>'
MJCF = "<mujoco><asset>{0}</asset><worldbody><body>{1}</body></worldbody></mujoco>"
SDF_MESH = '<collision name="c"><geometry><mesh><uri>URI</uri></mesh></geometry></collision>'
FORMATS = {
    "URDF mesh": ("x.urdf", "a.stl", URDF.format(BALL, "collision")),
    "SDF mesh": ("x.sdf", "a.stl", SDF.format(SDF_MESH, "")),
    "SDF include": ("x.sdf", "model.sdf", SDF.format("", "<include><uri>URI</uri></include>")),
    "MJCF mesh": ("x.xml", "a.stl", MJCF.format('<mesh name="m" file="URI"/>', '<geom type="mesh" mesh="m"/>')),
    "MJCF include": ("x.xml", "a.xml", '<mujoco><include file="URI"/></mujoco>'),
    "MJCF model": ("x.xml", "a.xml", MJCF.format('<model name="s" file="URI"/>', '<geom size="1"/>')),
}
IN_XACRO = {
    "xacro include": ("a.xacro", f'<robot name="r" {XACRO}><xacro:include filename="URI"/></robot>'),
    "xacro YAML": ("a.yaml", f'<robot name="r" {XACRO}><link name="${{xacro.load_yaml(\'URI\').canary}}"/></robot>'),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a description, with links that lead out of it; beside it the files that it must not have."""
    mine, outside, hidden = tmp_path / "mine", tmp_path / "outside", tmp_path / "home" / ".ssh"
    for made in (mine / "below", outside, hidden):
        made.mkdir(parents=True)
    for name, content in FILES.items():
        for place in (outside, hidden):
            (place / name).write_bytes(content)
        (mine / f"link_to_file_{name}").symlink_to(outside / name)
    links = {"link_to_folder": outside, "link_to_root": "/", "middle": outside, "chain": "middle", "loop": "loop"}
    for name, target in links.items():
        (mine / name).symlink_to(target)
    os.mkfifo(mine / "pipe")
    (mine / "link_to_pipe").symlink_to("pipe")
    (mine / "link_to_zeros").symlink_to("/dev/zero")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"):
        monkeypatch.delenv(variable, raising=False)
    return mine


def uri(way: str, name: str, folder: Path) -> str:
    full = str(folder.parent / "outside" / name).lstrip("/")
    dotted = str(folder.parent / "outside" / "." / ".." / "outside") + "/../outside/" + name
    text = way.replace("FULLDOTS", dotted.lstrip("/")).replace("FULL", full)
    return text.replace("NAME", name).replace("TOP", folder.parent.name)


def refused(file: Path, text: str | bytes) -> str:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    began = time.process_time()
    with pytest.raises(InputError) as caught:
        read_description(file)
    message = str(caught.value)
    assert message.startswith(str(file.parent))
    assert len(message) < 12_000
    assert "4711" not in message
    assert time.process_time() - began < 10  # [s] of this process
    return message


@pytest.mark.parametrize("kind", FORMATS)
def test_no_file_outside_is_read(kind: str, folder: Path) -> None:
    name, target, text = FORMATS[kind]
    for way in WAYS.values():
        named = uri(way, target, folder)
        if kind.startswith("MJCF") and "://" in named:
            continue  # the engine knows no schemes
        refused(folder / name, text.replace("URI", named))


@pytest.mark.parametrize("kind", FORMATS)
def test_nothing_but_a_file_is_read(kind: str, folder: Path) -> None:
    name, _, text = FORMATS[kind]
    for named in NOT_FILES.values():
        refused(folder / name, text.replace("URI", named))


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "MJCF mesh"])
def test_the_same_files_inside_are_read(kind: str, folder: Path) -> None:
    """So that the refusals above are for where a file stands, and for nothing else."""
    name, target, text = FORMATS[kind]
    (folder / "below" / target).write_bytes(FILES[target].replace(b"4711", b"11"))
    (folder / name).write_text(text.replace("URI", f"below/{target}"))
    assert read_description(folder / name).links


@pytest.mark.parametrize("kind", IN_XACRO)
@pytest.mark.parametrize(
    "way",
    ["up", "absolute", "file", "a link to the file", "a chain of links", "a package with dots", "out of a package"],
)
def test_no_file_outside_is_read_by_xacro(kind: str, way: str, folder: Path) -> None:
    target, text = IN_XACRO[kind]
    refused(folder / "x.urdf.xacro", text.replace("URI", uri(WAYS[way], target, folder)))


@pytest.mark.parametrize("named", ["/dev/zero", "pipe", "loop", "/proc/self/environ", "../outside/*.xacro", "/etc/pass*"])
def test_xacro_includes_nothing_but_files(named: str, folder: Path) -> None:
    refused(folder / "x.urdf.xacro", IN_XACRO["xacro include"][1].replace("URI", named))


def test_an_optional_include_outside_is_refused_and_not_passed_over(folder: Path) -> None:
    text = IN_XACRO["xacro include"][1].replace("URI", "../outside/a.xacro").replace("/></robot>", ' optional="true"/></robot>')
    assert "which is outside of the description's folder" in refused(folder / "x.urdf.xacro", text)


MJCF_TRICKS = {
    "meshdir": '<compiler meshdir="../outside"/><asset><mesh name="m" file="a.stl"/></asset>',
    "assetdir": '<compiler assetdir="../outside"/><asset><mesh name="m" file="a.stl"/></asset>',
    "meshdir absolute": '<compiler meshdir="/OUTSIDE"/><asset><mesh name="m" file="a.stl"/></asset>',
    "meshdir link": '<compiler meshdir="link_to_folder"/><asset><mesh name="m" file="a.stl"/></asset>',
    "two compilers": '<compiler meshdir="below"/><compiler meshdir="../outside"/><asset><mesh name="m" file="a.stl"/></asset>',
    "meshdir of an include": '<include file="compiler.xml"/><asset><mesh name="m" file="a.stl"/></asset>',
    "texturedir": '<compiler texturedir="../outside"/><asset><texture name="t" type="2d" file="a.png"/></asset>',
    "texture": '<asset><texture name="t" type="2d" file="../outside/a.png"/></asset>',
    "cube texture": '<asset><texture name="t" type="cube" fileright="../outside/a.png"/></asset>',
    "height field": '<asset><hfield name="h" size="1 1 1 1" file="../outside/a.png"/></asset>',
    "skin": '<asset><skin name="s" file="../outside/a.skn"/></asset>',
    "flexcomp": '<worldbody><body><flexcomp name="f" type="mesh" file="../outside/a.stl"/></body></worldbody>',
    "default mesh": '<default><mesh file="../outside/a.stl"/></default>',
    "picture bomb": '<asset><texture name="t" type="2d" file="bomb.png"/></asset>',
    "height field bomb": '<asset><hfield name="h" size="1 1 1 1" file="bomb.png"/></asset>',
    "included include": '<include file="below/inner.xml"/>',
    "cyclic include": '<include file="x.xml"/>',
    "include of a pipe": '<include file="pipe"/>',
    "plugin": '<extension><plugin plugin="/OUTSIDE/evil.so"/></extension>',
}  # fmt: skip


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(100))) + chunk(b"IEND", b"")


@pytest.mark.parametrize("trick", MJCF_TRICKS)
def test_the_engines_own_reader_is_held_to_the_folder(trick: str, folder: Path) -> None:
    for name in ("a.png", "a.skn", "evil.so"):
        (folder.parent / "outside" / name).write_bytes(png(4, 4))
    (folder / "bomb.png").write_bytes(png(2**20, 2**20))
    (folder / "compiler.xml").write_text('<mujoco><compiler meshdir="../outside"/></mujoco>')
    (folder / "below" / "inner.xml").write_text('<mujoco><include file="../outside/a.xml"/></mujoco>')
    body = "<worldbody><body><geom size='1'/></body></worldbody>"
    text = f"<mujoco>{MJCF_TRICKS[trick]}{body}</mujoco>".replace("OUTSIDE", str(folder.parent / "outside").lstrip("/"))
    refused(folder / "x.xml", text)


def gltf(uri: str, count: int = 3) -> bytes:
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"uri": uri, "byteLength": 36}],
    }).encode()  # fmt: skip


def zipped(name: str, content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return made.getvalue()


DAE = '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/>{0}</COLLADA>'
MESHES = {
    "a.gltf": gltf("../outside/a.stl"),
    "absolute.gltf": gltf("/etc/passwd"),
    "link.gltf": gltf("link_to_file_a.stl"),
    "pipe.gltf": gltf("pipe"),
    "huge.gltf": gltf("data:application/octet-stream;base64," + "A" * 48, count=10**12),
    "http.gltf": gltf("http://localhost:9/a.bin"),
    "a.glb": b"glTF" + struct.pack("<III", 2, 2**31, 2**31),
    "a.dae": b'<!DOCTYPE c [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + DAE.format("&e;").encode(),
    "laughs.dae": b'<!DOCTYPE c [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>' + DAE.format("&b;").encode(),
    "empty.dae": DAE.format("").encode(),
    "xinclude.dae": DAE.format('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="../outside/a.xml"/>').encode(),
    "a.zae": zipped("a.dae", DAE.format("").encode()),
    "a.zip": zipped("a.stl", STL),
    "bomb.zip": zipped("a.stl", bytes(2**24)),
    "a.3mf": zipped("3D/3dmodel.model", b"<model/>"),
    "a.tar.gz": b"\x1f\x8b" + bytes(40),
    "a.stl.gz": b"\x1f\x8b" + bytes(40),
    "a.npz": zipped("a.npy", b"\x93NUMPY"),
    "a.pkl": b"cos\nsystem\n(S'touch mark'\ntR.",
    "a.py": b"open('mark', 'w')",
    "a.so": b"\x7fELF",
    "a.exe": b"MZ",
    "a.ply": b"ply\nformat ascii 1.0\nelement vertex 1000000000000\nproperty float x\nend_header\n",
    "binary.ply": b"ply\nformat binary_little_endian 1.0\nelement face 99999999999\nproperty list uchar int v\nend_header\n",
    "a.off": b"OFF\n1000000000000 1000000000000 0\n",
    "a.obj": b"mtllib ../outside/a.xml\ncall ../outside/a.xml\nv 0 0 0\nf 1 99999999999 -5\n",
    "cat.obj": b"mtllib |touch mark\nusemtl $(touch mark)\n",
    "a.stl": b"solid x\n" + b"facet normal 0 0 0\n" * 1000,
    "count.stl": bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(50),
    "nan.stl": bytes(80) + struct.pack("<I", 1) + struct.pack("<12fH", *[float("nan")] * 12, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", MESHES)
def test_a_mesh_is_no_way_out(name: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / name).write_bytes(MESHES[name])
    text = URDF.format(BALL, "collision").replace("URI", name)
    refused(folder / "x.urdf", text)
    assert capfd.readouterr() == ("", "")
    assert not (folder / "mark").exists()


TEN = ",".join(["*{0}"] * 10)
PAIRS = list(zip("abcdefgh", "bcdefghi", strict=True))
YAMLS = {
    "python object": "!!python/object/apply:os.system ['touch mark']",
    "python name": "a: !!python/name:os.system",
    "python module": "a: !!python/module:os",
    "unknown tag": "a: !shell id",
    "laughs": "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(f"{b}: &{b} [{TEN.format(a)}]\n" for a, b in PAIRS),
    "merged laughs": "a: &a {x: 1}\n" + "".join(f"{b}: &{b} {{<<: [{TEN.format(a)}]}}\n" for a, b in PAIRS),
    "itself": "a: &a [*a]",
    "long": "[" + "1," * 200_000 + "1]",
    "deep": "[" * 3000 + "]" * 3000,
    "sexagesimal": "a: 1" + ":59" * 20_000,
    "an expression behind a unit": "a: !degrees ().__class__.__base__.__subclasses__()",
    "an import behind a unit": "a: !radians __import__('os').system('touch mark')",
}  # fmt: skip


@pytest.mark.parametrize("name", YAMLS)
def test_yaml_is_no_way_out(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "a.yaml").write_text(YAMLS[name])
    refused(folder / "x.urdf.xacro", IN_XACRO["xacro YAML"][1].replace("URI", "a.yaml"))
    assert not (folder / "mark").exists()


XML = {
    "entity": '<!DOCTYPE r [<!ENTITY e SYSTEM "../outside/a.xacro">]><robot name="r">&e;</robot>',
    "parameter entity": '<!DOCTYPE r [<!ENTITY % e SYSTEM "file:///etc/passwd"> %e;]><robot name="r"/>',
    "laughs": '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><robot name="&b;"/>',
    "outside DTD": '<!DOCTYPE r SYSTEM "../outside/a.dtd"><robot name="r"/>',
    "XInclude": '<robot name="r" xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="../outside/a.xacro"/></robot>',
    "style sheet": '<?xml-stylesheet href="file:///etc/passwd"?><robot name="r"/>',
    "macro that calls itself": f'<robot name="r" {XACRO}><xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/></robot>',
    "macros of macros": f'<robot name="r" {XACRO}>' + "".join(
        f'<xacro:macro name="m{n + 1}">' + f"<xacro:m{n}/>" * 10 + "</xacro:macro>" for n in range(9)
    ) + '<xacro:macro name="m0"><link name="a"/></xacro:macro><xacro:m9/></robot>',
    "property of itself": f'<robot name="r" {XACRO}><xacro:property name="a" value="${{a}}"/><link name="${{a}}"/></robot>',
    "doubling properties": f'<robot name="r" {XACRO}><xacro:property name="a0" value="${{\'x\' * 1000}}"/>' + "".join(
        f'<xacro:property name="a{n + 1}" value="${{a{n} * 2}}"/>' for n in range(40)
    ) + '<link name="${a40}"/></robot>',
    "include of itself": f'<robot name="r" {XACRO}><xacro:include filename="x.urdf.xacro"/></robot>',
    "two arguments": f'<robot name="r" {XACRO}><xacro:arg name="a" default="$(eval open)"/><link name="$(arg a)"/></robot>',
}  # fmt: skip


@pytest.mark.parametrize("name", XML)
def test_xml_is_no_way_out(name: str, folder: Path) -> None:
    refused(folder / ("x.urdf.xacro" if XACRO in XML[name] else "x.urdf"), XML[name])


@pytest.mark.parametrize(("file", "packages"), [
    ("../outside/model.sdf", {}),
    ("link_to_file_model.sdf", {}),
    ("/OUTSIDE/model.sdf", {}),
    ("x.sdf", {"a": "../outside"}),
    ("x.sdf", {"a": "/"}),
    ("x.sdf", {"a": "/etc"}),
    ("x.sdf", {"a": "../home"}),
])  # fmt: skip
@pytest.mark.parametrize("verb", ["check", "show", "run"])
def test_a_strangers_twin_file_names_nothing_outside(
    file: str, packages: dict[str, str], verb: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file.replace("OUTSIDE", str(folder.parent / "outside").lstrip("/"))
    (folder / "x.sdf").write_bytes(FILES["model.sdf"].replace(b"4711", b""))
    (folder / "twin.yaml").write_text(f"title: t\ndescription: {json.dumps({'file': file, 'packages': packages})}\n")
    assert main([verb, str(folder)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "is outside of the twin's folder, which is read only for a folder you trust" in err
    assert "4711" not in err


def test_neither_the_disk_nor_a_home_is_a_package(folder: Path) -> None:
    (folder / "x.sdf").write_bytes(FILES["model.sdf"])
    for wide in ("/", folder.parent / "home", folder.parent):
        with pytest.raises(InputError, match="the whole disk or a home folder, expected the folder of one package"):
            read_description(folder / "x.sdf", packages={"all": Path(wide)})


def test_a_description_at_home_does_not_open_the_home(folder: Path) -> None:
    home = folder.parent / "home"
    (home / "package.xml").write_text("<package><name>home</name></package>")
    for named in (".ssh/a.stl", "package://home/.ssh/a.stl"):
        refused(home / "x.urdf", FORMATS["URDF mesh"][2].replace("URI", named))


@pytest.mark.parametrize("way", WAYS)
def test_a_picture_of_what_stands_outside_is_not_shown(way: str, folder: Path) -> None:
    """A mesh that only serves to be seen may be missing; then no mesh is read, and a note or a refusal says so."""
    file = folder / "x.urdf"
    file.write_text(URDF.format(BALL, "visual").replace("URI", uri(WAYS[way], "a.stl", folder)))
    try:
        description = read_description(file)
    except InputError:
        return
    assert len(description.spec.meshes) == 0
    assert any("is not shown" in note.what for note in description.notes)
