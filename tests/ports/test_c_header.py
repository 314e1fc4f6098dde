"""The C header of a twin, and the firmware of examples/firmware_c, written from it: it flies, and a stale one is refused."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import didymos
from didymos.cli.main import main
from didymos.control import Robot
from didymos.errors import InputError
from didymos.ports.firmware import use_firmware
from didymos.ports.firmware.header import c_header, robot_of
from didymos.ports.firmware.message import BadMessage, pack_hello

SOURCE = Path(__file__).parents[2] / "examples" / "firmware_c" / "firmware.c"


def compiled(folder: Path, name: str, *options: str) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None, "tools/setup installs gcc"
    words = [compiler, "-O2", "-Wall", "-Wextra", "-Werror", *options, "-I", str(folder), "-o", str(folder / name), str(SOURCE)]
    subprocess.run([*words, "-lm"], check=True)
    return folder / name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the header of daedalus, and the firmware as a library and as a process."""
    made = tmp_path_factory.mktemp("firmware")
    assert main(["show", "daedalus", "--header", "-o", str(made / "didymos.h")]) == 0
    compiled(made, "firmware.so", "-shared", "-fPIC")
    compiled(made, "firmware", "-DPROCESS")
    return made


@pytest.mark.parametrize("scenario", ["hover", "attitude_steps", "level_and_roll"])
def test_a_firmware_written_from_the_header_flies(folder: Path, scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "daedalus", "--firmware", str(folder / "firmware.so"), "--scenario", scenario, "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["expectations"]) == len(didymos.load("daedalus").scenarios[scenario].expect)
    assert all(item["ok"] for item in found["expectations"])
    assert found["skipped"] == []


def test_the_same_law_in_a_process_flies_the_same_to_the_bit(folder: Path) -> None:
    logs = []
    for what in (str(folder / "firmware.so"), f"peer:{folder / 'firmware'}"):
        twin = didymos.load("daedalus")
        use_firmware(twin, what)
        simulation = twin.simulate(scenario="hover")
        try:
            logs.append(simulation.run(1.0).sha256)
        finally:
            simulation.close()
    assert logs[0] == logs[1]


def test_firmware_of_a_stale_header_is_refused(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (folder / "didymos.h").read_text()
    (tmp_path / "didymos.h").write_text(re.sub(r'_LAYOUT "[0-9a-f]+', '_LAYOUT "0123456789abcdef', text))
    compiled(tmp_path, "old.so", "-shared", "-fPIC")
    compiled(tmp_path, "old", "-DPROCESS")
    for what, also in ((str(tmp_path / "old.so"), ""), (f"peer:{tmp_path / 'old'}", "+attitude")):
        assert main(["run", "daedalus", "--firmware", what, "--seconds", "0.1"]) == 2
        said = capsys.readouterr().err.strip()
        assert said.count("\n") == 0
        layout = re.search(rf'{"_PROCESS" if also else "DIDYMOS"}_LAYOUT "(\S+)"', text)
        assert layout is not None
        assert f"was compiled from a header of the layout '0123456789abcdef{also}', this twin has '{layout[1]}'" in said
        assert "didymos show TWIN --header" in said


def test_a_process_that_counts_on_the_true_attitude_is_refused_where_it_is_not_told(folder: Path) -> None:
    twin = didymos.load("daedalus")
    twin.replace_program("didymos.ports.firmware.peer:Peer", rate=500.0, options={"command": str(folder / "firmware")})
    simulation = twin.simulate(scenario="hover")
    try:
        with pytest.raises(InputError, match=r"of the layout '\w+\+attitude', this twin has '\w+';"):
            simulation.run(0.1)
    finally:
        simulation.close()


def test_firmware_that_was_compiled_for_another_rate_is_refused(folder: Path) -> None:
    twin = didymos.load("daedalus")
    twin.replace_program("didymos.ports.firmware.step:Step", rate=250.0, options={"firmware": str(folder / "firmware.so")})
    with pytest.raises(InputError, match=r"was compiled from a header of the layout"):
        twin.simulate(scenario="hover")
    options = {"command": str(folder / "firmware"), "attitude": "state"}
    twin.replace_program("didymos.ports.firmware.peer:Peer", rate=250.0, options=options)
    simulation = twin.simulate(scenario="hover")
    try:
        with pytest.raises(InputError, match=r"was compiled from a header of the layout '\w+\+attitude'"):
            simulation.run(0.1)
    finally:
        simulation.close()


def test_the_layout_is_that_of_names_order_units_and_rate() -> None:
    robot = Robot(("a", "b"), ("c",), ("d",), units={"inputs.a": "N", "setpoints.d": "m"})
    same = Robot(("a", "b"), ("c",), ("d",), units={"inputs.a": "N", "setpoints.d": "rad"})  # which differs by scenario
    others = (
        Robot(("b", "a"), ("c",), ("d",), units={"inputs.a": "N"}), Robot(("a", "b"), ("c",), ("e",), units={"inputs.a": "N"}),
        Robot(("a", "b"), ("c",), ("d",), units={"inputs.a": "N m"}), Robot(("a",), ("b", "c"), ("d",), units={"inputs.a": "N"}),
        replace(robot, rate=500.0), replace(robot, rate=250.0),
    )  # fmt: skip
    assert same.layout == robot.layout
    assert replace(robot, rate=500.0 * (1.0 + 1e-12)).layout == others[-2].layout  # 1 / 0.002 s
    assert len({robot.layout, *(other.layout for other in others)}) == 7


def test_every_scenario_of_a_twin_has_one_layout() -> None:
    for name in ("daedalus", "plane_1wing"):
        twin = didymos.load(name)
        assert len({robot_of(twin, scenario).layout for scenario in (None, *twin.scenarios)}) == 1


def test_units_of_set_points_are_those_of_the_scenarios_program() -> None:
    arm = """<mujoco><worldbody><body><joint name="hinge" axis="0 1 0"/><geom size=".1"/></body></worldbody>
      <actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""
    law = "    def update(self, t, measured, setpoints):\n        return {}\n\n\n"
    programs = "from didymos import Controller\nfrom didymos.contract import setpoint\n\n\n"
    for name, unit in (("Angle", "rad"), ("Stick", "1")):
        programs += f"class {name}(Controller):\n    pitch = setpoint(unit={unit!r})\n\n{law}"
    content = {
        "description": {"file": "arm.xml"}, "control": {"program": "mine.py:Angle"},
        "scenarios": {"manual": {"control": {"program": "mine.py:Stick"}}},
    }  # fmt: skip
    twin = didymos.Twin.from_dict(content, {"arm.xml": arm, "mine.py": programs})
    found = [robot_of(twin, scenario) for scenario in (None, "manual")]
    assert [robot.units["setpoints.pitch"] for robot in found] == ["rad", "1"]
    assert found[0].layout == found[1].layout


def test_numbers_that_count_on_are_an_array_and_names_are_names_of_c(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "omni_base", "--header", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "    double scan_ranges[540];          /* scan.ranges [m] */" in found["header"]
    assert found["layout"] in found["header"]
    odd = Robot(("left-arm.1", "left_arm.1", "double", "7"), (), ("z",))
    text = c_header(didymos.load("quadcopter"), odd)
    for name in ("left_arm_1", "left_arm_1_2", "_double", "_7"):
        assert f"double {name};" in text
    assert "struct didymos_measured; /* there are none */" in text
    assert "struct didymos_measured measured;" not in text  # of a message


def test_header_and_where_to_go_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "quadcopter", "-o", "x.h"]) == 2
    assert "goes with --header only" in capsys.readouterr().err
    assert main(["show", "quadcopter", "--header", "--scenario", "hoover"]) == 2
    assert "did you mean 'hover'" in capsys.readouterr().err


def test_more_names_than_a_hello_holds_are_one_sentence() -> None:
    with pytest.raises(BadMessage, match="at most 65535"):
        pack_hello({"sensors": ["x" * 70000]})


def test_a_library_without_a_header_tells_no_layout(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None, "tools/setup installs gcc"
    (tmp_path / "bare.c").write_text("void step(double t, void *m, void *a, void *s, double *c) { c[0] = t; }")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(tmp_path / "bare.so"), str(tmp_path / "bare.c")], check=True)
    twin = didymos.load("daedalus")
    use_firmware(twin, str(tmp_path / "bare.so"))
    twin.simulate(scenario="hover").run(0.01)
    with pytest.raises(InputError, match="no function 'fly'"):
        use_firmware(twin, f"{tmp_path / 'bare.so'}:fly")
