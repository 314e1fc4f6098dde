"""Kinds of an installed package, found by its entry points, stand beside the bundled ones."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.cli.completion import KINDS, kinds_of
from didymos.cli.main import main
from didymos.control import PROGRAMS
from didymos.describe.formats.importer import read_description
from didymos.describe.schema import ExpectationSpec
from didymos.engine.verdict import measure
from didymos.measures import MEASURES
from didymos.parts import PARTS
from didymos.ports import find_port, find_robot
from didymos.record.log import Log
from didymos.record.stream import Kind, StreamLayout
from own_kinds import LAW, PROGRAM, has_run, twin_folder

MORE = '''
from didymos.contract import quantity
from didymos.describe.formats.format import Format
from didymos.ports import Port
from didymos.sensors.sensor import Sensor, measure


class Altimeter(Sensor):
    height = quantity(unit="m")

    @measure
    def look(sensor, here, reading):
        reading.height = here.position_world[2]


PIGEON = Port("carrier pigeons", "canopies.pigeon", control="idle", robot="canopies.pigeon")


def serve(simulation, options):
    return {"letters": 3}


def stick(file):
    """One line: a length [m] and a mass [kg]."""
    length, mass = (float(word) for word in file.path.read_text().split())
    inertia = mass * length**2 / 12
    return f"""<robot name="stick"><link name="stick"><inertial><mass value="{mass}"/>
      <inertia ixx="{inertia}" iyy="{inertia}" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


STICK = Format("stick", stick, suffixes=(".stick",))
TREE = Format("tree", lambda file: "<twig/>", tags=("tree",))


def rise_time(time, values, target):
    """When 90 % of the target were first reached."""
    return time[(values >= 0.9 * target).argmax()]


rise_time.unit = "s"


def fails(time, values, target):
    return 1 / 0


def open_smoke(twin, address, options):
    """Listens to smoke signals."""
    return None
'''

ENTRY_POINTS = """[didymos.parts]
parachute = canopies:Parachute
body_drag = canopies:Parachute
broken = canopies.nowhere:Parachute
port_of_parts = canopies:PIGEON
[didymos.sensors]
altimeter = canopies:Altimeter
[didymos.programs]
release = canopies:Release
[didymos.ports]
pigeon = canopies:PIGEON
[didymos.formats]
stick = canopies:STICK
tree = canopies:TREE
[didymos.measures]
rise_time = canopies:rise_time
fails = canopies:fails
[didymos.sources]
smoke = canopies:open_smoke
"""


def install(site: Path, name: str, entry_points: str) -> None:
    """What an installer leaves behind, as far as Python looks at it."""
    about = site / f"{name}-1.2.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text(entry_points)


def look_again() -> None:
    """Forget which packages are installed, and what was imported of them."""
    for module in [name for name in sys.modules if name.partition(".")[0] == "canopies"]:
        del sys.modules[module]
    for role in KINDS:
        kinds = kinds_of(role)
        kinds.__dict__.pop("_installed", None)
        kinds._loaded.clear()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages with one that brings a kind of every role."""
    folder = tmp_path / "site"
    (folder / "canopies").mkdir(parents=True)
    program = PROGRAM.replace('"""A program for tests."""', "")
    (folder / "canopies" / "__init__.py").write_text(LAW + program + MORE)
    (folder / "canopies" / "pigeon.py").write_text("from canopies import serve\n")
    install(folder, "canopies", ENTRY_POINTS)
    monkeypatch.syspath_prepend(folder)
    look_again()
    yield folder
    monkeypatch.undo()
    look_again()


def twin_of(folder: Path, **keys: Any) -> Path:
    part = {"kind": "parachute", "link": "load", "area": 30.0}
    sensor = {"kind": "altimeter", "link": "load", "rate": 50}
    about = {"parts": {"canopy": part}, "sensors": {"own": sensor}, "control": {"program": "release", "rate": 100}}
    return twin_folder(folder, scenarios={}, **(about | keys))


def test_a_twin_names_an_installed_kind_like_a_bundled_one_and_needs_no_trust(site: Path, tmp_path: Path) -> None:
    twin = didymos.load(twin_of(tmp_path / "twin"))
    assert twin.get("parts.canopy.opening_time") == 0.5
    assert twin.get("sensors.own.height.noise") == 0.0
    assert twin.get("control.gains.below") == 50.0
    assert twin.code.ran == ()
    assert not has_run(twin.folder)


def test_the_list_of_kinds_says_who_brings_what_and_loads_nothing(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--kinds", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["kinds"]
    theirs = {(row["role"], row["name"]): row for row in rows if row["package"] == "canopies 1.2"}
    assert ("part", "parachute") in theirs
    assert {role for role, _ in theirs} == set(KINDS)
    assert theirs["part", "parachute"]["reference"] == "canopies:Parachute"
    assert theirs["part", "body_drag"]["hidden"] is True
    ours = {"role": "part", "name": "rotor", "package": "didymos", "reference": "didymos.parts.rotor:Rotor", "hidden": False}
    assert ours in rows
    assert not has_run(site / "canopies")
    assert main(["list", "--kinds"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"measure +rise_time +canopies 1\.2 +canopies:rise_time", said)
    assert "not used: a bundled one has its name" in said


def test_a_bundled_kind_is_never_replaced(site: Path) -> None:
    assert PARTS["body_drag"].__module__ == "didymos.parts.body_drag"
    assert list(PARTS).count("body_drag") == 1
    assert len(PARTS) == len(list(PARTS))


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("broken", "part 'broken' of canopies 1.2 cannot be loaded: ModuleNotFoundError: No module named 'canopies.nowhere'"),
        ("port_of_parts", "port_of_parts is not a part: it does not derive from didymos.parts.part.Part"),
        ("parashute", "there is no such part: found 'parashute', did you mean 'parachute'?"),
    ],
)
def test_a_package_that_does_not_fit_is_named_where_it_is_used(site: Path, tmp_path: Path, kind: str, said: str) -> None:
    folder = twin_of(tmp_path / "twin", parts={"canopy": {"kind": kind, "link": "load", "area": 1.0}})
    with pytest.raises(didymos.InputError, match=rf"twin\.yaml:1: parts\.canopy\.kind: {re.escape(said)}"):
        didymos.load(folder)


def test_two_packages_with_one_name_are_both_named(site: Path, tmp_path: Path) -> None:
    install(site, "drogues", "[didymos.programs]\nrelease = drogues:Release\n")
    look_again()
    with pytest.raises(didymos.InputError, match=r"program 'release' is brought by .*drogues 1\.2 \(drogues:Release\)"):
        PROGRAMS["release"]
    assert "parachute" in PARTS


def test_a_port_of_a_package_is_served(site: Path) -> None:
    port, serve = find_port("pigeon")
    assert (port.title, port.control) == ("carrier pigeons", "idle")
    assert serve(None, None) == {"letters": 3}  # type: ignore[arg-type]
    with pytest.raises(didymos.InputError, match="there is no port 'pigoen', did you mean 'pigeon'"):
        find_port("pigoen")
    with pytest.raises(didymos.InputError, match=r"'canopies\.pigeon' of a port has no function connect"):
        find_robot("pigeon:roof")


def test_a_port_may_be_named_by_its_module(site: Path) -> None:
    assert find_port("canopies:PIGEON")[0].title == "carrier pigeons"
    with pytest.raises(didymos.InputError, match="canopies:Parachute is not a port"):
        find_port("canopies:Parachute")


def test_a_format_of_a_package_is_read_by_the_end_of_the_files_name(site: Path, tmp_path: Path) -> None:
    (tmp_path / "my.stick").write_text("2.0 3.0")
    found = read_description(tmp_path / "my.stick")
    assert found.links["stick"].mass == 3.0
    assert found.links["stick"].inertia[0, 0] == pytest.approx(1.0)  # m l^2 / 12
    made = twin_of(tmp_path / "twin", description={"file": "../my.stick"}, parts={}, sensors={}, control=None)
    twin = didymos.load(made, trust=True)  # the description stands outside of the twin's folder
    assert twin.get("links.stick.mass") == 3.0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("my.stick", "two 3.0", r"my\.stick: stick: cannot be read: ValueError: could not convert string to float: 'two'"),
        ("my.xml", "<tree/>", r"my\.xml: tree: was translated into <twig>, expected <robot>, <sdf> or <mujoco>"),
        ("my.xml", "<bush/>", r"begins with <bush>, expected <robot> \(URDF, xacro\), <sdf> or <mujoco> \(MJCF\), <tree>"),
    ],
)
def test_a_file_that_a_package_cannot_read_is_named(site: Path, tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(didymos.InputError, match=said):
        read_description(tmp_path / name)


def _log() -> Log:
    time = np.linspace(0.0, 1.0, 11)
    log = Log([StreamLayout("own", Kind.SCALARS, ("height",), ("m",))])
    log.append(0, time, time[:, None] ** 2)
    return log


def test_a_measure_of_a_package_judges_in_its_own_unit(site: Path) -> None:
    expected = ExpectationSpec(name="rises", signal="own.height", measure="rise_time", target=0.5, high=0.8)
    verdict = measure(expected, _log(), None)
    assert (verdict.value, verdict.unit, verdict.ok) == (pytest.approx(0.7), "s", True)  # 0.7^2 > 0.45 > 0.6^2
    with pytest.raises(didymos.RunError, match="the measure 'fails' failed: ZeroDivisionError"):
        measure(expected.model_copy(update={"measure": "fails"}), _log(), None)
    with pytest.raises(ValueError, match=r"found 'rise_tim', expected 'max_error', .*, did you mean 'rise_time'"):
        ExpectationSpec(name="rises", signal="own.height", measure="rise_tim", high=1.0)


def test_the_bundled_measures_are_what_they_are_called() -> None:
    time, values = np.arange(4.0), np.array([1.0, 5.0, -3.0, 2.0])
    found = {name: MEASURES[name](time, values, 1.0) for name in ("max_error", "rmse", "mean", "final", "max", "min", "span")}
    assert found.pop("rmse") == pytest.approx(np.sqrt((0 + 16 + 16 + 1) / 4))
    assert found == {"max_error": 4.0, "mean": 0.25, "final": 1.0, "max": 4.0, "min": -4.0, "span": 8.0}


def test_the_shell_completes_twins_scenarios_and_installed_kinds(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def completed(line: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        monkeypatch.setenv("_DIDYMOS_COMPLETE", "complete_bash")
        with pytest.raises(SystemExit):
            main([])
        return list(capsys.readouterr().out.split())

    assert completed("didymos run quad") == ["quadcopter"]
    assert completed("didymos run quadcopter --scenario hov") == ["hover"]
    assert completed("didymos run quadcopter --control rel") == ["release"]
    assert completed("didymos serve quadcopter --port p") == ["pigeon"]
    assert completed("didymos run omni_base --variant rollers+ri") == ["rollers+rigid"]
