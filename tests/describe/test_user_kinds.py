"""Kinds that a twin file names by FILE.py:NAME: read without running for `show` and `check`, imported for a run; both agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import didymos
from didymos import contract
from didymos.describe import class_body
from didymos.describe.twin import Twin
from own_kinds import LAW, PROGRAM, has_run, twin_folder

Edit = tuple[str, str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a twin folder may be made."""
    return tmp_path / "twin"


def seen(folder: Path) -> Twin:
    """The twin as `show` sees it; nothing of it has run."""
    twin = didymos.load(folder, run_code=False)
    assert not has_run(folder)
    return twin


def changed(text: str, *edits: Edit) -> str:
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def test_what_is_read_is_what_is_declared(folder: Path) -> None:
    twin_folder(folder, program=PROGRAM)
    read, ran = seen(folder), didymos.load(folder, trust=True)
    assert has_run(folder)
    assert read.parameters == ran.parameters
    assert read.summary().inputs == ran.summary().inputs == ("canopy",)
    ours, theirs = read.file.parts["canopy"].contract, ran.file.parts["canopy"].contract
    for role in ("parameters", "options", "inputs", "needed", "memory", "states", "outputs", "parameter_layout", "kind"):
        assert getattr(ours, role) == getattr(theirs, role), role
    assert read.program is not None
    assert ran.program is not None
    assert read.program.reports == ran.program.reports
    assert read.program.declared_setpoints == ran.program.declared_setpoints
    assert read.program.rate == ran.program.rate == 100


def test_the_numbers_of_the_own_kind_are_parameters_with_units_and_bounds(folder: Path) -> None:
    twin = seen(twin_folder(folder))
    area = twin.parameters["parts.canopy.area"]
    assert (area.value, area.unit, area.low, area.high, area.live, area.doc) == (30.0, "m^2", 0, 100, True, "of the canopy")
    twin.set("parts.canopy.area", 12.0)
    assert twin.get("parts.canopy.area") == 12.0
    with pytest.raises(didymos.InputError, match="from 0 to 100"):
        twin.set("parts.canopy.area", 101.0)


PART = {"kind": "parachute.py:Parachute", "link": "load", "area": 30.0}
MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": (PART | {"aera": 1.0}, r"parts\.canopy\.aera: unknown key, did you mean 'area'"),
    "missing key": ({"kind": PART["kind"], "link": "load"}, r"parts\.canopy: the key 'area' is missing"),
    "out of bounds": (PART | {"area": -1.0}, r"parts\.canopy\.area: found -1\.0, expected a number of at least 0"),
    "no number": (PART | {"area": "big"}, r"parts\.canopy\.area: found 'big', expected a number"),
    "no such file": (PART | {"kind": "parashute.py:Parachute"}, r"parts\.canopy\.kind: .*parashute\.py: there is no such file"),
    "no such class": (PART | {"kind": "parachute.py:Parashute"}, r"has no part 'Parashute', did you mean 'Parachute'"),
    "no such module": (PART | {"kind": "no_such_module:X"}, r"kind: .*module 'no_such_module'"),
    "no such kind": (PART | {"kind": "body_darg"}, r"kind: there is no such part: found 'body_darg', did you mean 'body_drag'"),
    "no kind": ({"link": "load"}, r"parts\.canopy: the key 'kind' is missing"),
    "a number for a kind": (PART | {"kind": 5}, r"parts\.canopy\.kind: found 5, expected the name of a part"),
    "a program for a part": (PART | {"kind": "release.py:Release"}, r"kind: release\.py:Release is not a part"),
    "a number for a part": (5, r"parts\.canopy: found 5, expected a mapping"),
    "an unknown joint": (PART | {"joint": "hinge"}, r"parts\.canopy\.joint: there is no joint 'hinge'"),
}  # fmt: skip


@pytest.mark.parametrize(("part", "said"), MISTAKES.values(), ids=MISTAKES.keys())
@pytest.mark.parametrize("run_code", [False, True])
def test_a_mistake_in_the_record_of_an_own_kind_is_named_with_its_line(
    folder: Path, part: dict[str, Any], said: str, run_code: bool
) -> None:
    twin_folder(folder, program=PROGRAM, parts={"canopy": part}, control=None)
    with pytest.raises(didymos.InputError, match=said) as error:
        didymos.load(folder, run_code=run_code, trust=True)
    assert error.value.line == 1
    assert run_code or not has_run(folder)


PROGRAMS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown gain": ({"gains": {"belw": 1.0}}, r"control\.gains\.belw: Release has no such gain, did you mean 'below'"),
    "gain out of bounds": ({"gains": {"below": -1.0}}, "expected a number from 0 to 1000"),
    "unknown option": ({"options": {"senzor": "state"}}, r"control\.options\.senzor: .* no such option, did you mean 'sensor'"),
    "option of another type": ({"options": {"late": "soon"}}, r"control\.options\.late: found 'soon', expected a number"),
}  # fmt: skip


@pytest.mark.parametrize(("control", "said"), PROGRAMS.values(), ids=PROGRAMS.keys())
@pytest.mark.parametrize("run_code", [False, True])
def test_gains_and_options_of_an_own_program_are_checked(
    folder: Path, control: dict[str, Any], said: str, run_code: bool
) -> None:
    twin_folder(folder, program=PROGRAM, control={"program": "release.py:Release", "rate": 100, **control})
    with pytest.raises(didymos.InputError, match=said):
        didymos.load(folder, run_code=run_code, trust=True)
    assert run_code or not has_run(folder)


def test_an_option_that_a_program_needs_is_asked_for_without_running_it(folder: Path) -> None:
    twin_folder(folder, program=changed(PROGRAM, ('sensor: str = "state", late', "sensor: str, late")))
    with pytest.raises(didymos.InputError, match="missing a required argument: 'sensor'"):
        didymos.load(folder, run_code=False)
    assert not has_run(folder)


CONSTANT = ("class Parachute", "BIGGEST = 10 * 10\n\n\nclass Parachute")
WORDS = "from didymos.contract import input, output, parameter, state"
READABLE: dict[str, tuple[Edit, ...]] = {
    "a constant of the file": (("low=0, high=100", "low=0, high=BIGGEST"), CONSTANT),
    "a constant of the class": (("    area =", "    BIGGEST = 1e2\n    area ="), ("high=100", "high=BIGGEST")),
    "arithmetic": (("high=100", "high=-(-200 / 2)"),),
    "other names": (
        ("import input, output, parameter, state", "import input, output, parameter as number, state"),
        ("parameter(", "number("),
    ),
    "through the module": (
        (WORDS, "from didymos import contract as c\nfrom didymos.contract import *"),
        ("parameter(", "c.parameter("), ("= input(", "= c.input("), ("= output(", "= c.output("), ("= state(", "= c.state("),
    ),
    "an annotation": (("    area =", "    area: float ="),),
    "a base in the file": (("class Parachute(Part)", "class Base(Part):\n    pass\n\n\nclass Parachute(Base)"),),
    "a law with a check": (("    @law", "    @classmethod\n    def check(cls, spec):\n        pass\n\n    @law"),),
}  # fmt: skip


@pytest.mark.parametrize("edits", READABLE.values(), ids=READABLE.keys())
def test_what_can_be_seen_without_running_is_read(folder: Path, edits: tuple[Edit, ...]) -> None:
    twin = seen(twin_folder(folder, law=changed(LAW, *edits)))
    assert twin.parameters["parts.canopy.area"].high == 100
    assert [note.what for note in twin.notes] == ["Parachute was read and not run: what it does is not checked"]


LAUGHS = "c0 = (1, 1)\n" + "".join(f"c{i + 1} = (c{i}, c{i})\n" for i in range(19))
HIDDEN: dict[str, tuple[tuple[Edit, ...], str]] = {
    "a computed bound": ((("high=100", "high=float('1e2')"),), "area is declared with high=float('1e2'); it is not known"),
    "a computed default": ((("0.5, unit", "sum((0.5, 0)), unit"),), "opening_time is declared with sum((0.5, 0))"),
    "a constant of another package": (
        (("high=100", "high=scipy.constants.g"), ("import pathlib", "import pathlib\n\nimport scipy.constants")),
        "scipy.constants.g",
    ),
    "a base class from elsewhere": (
        (("class Parachute(Part)", "class Parachute(canopies.Base)"), ("import pathlib", "import canopies\nimport pathlib")),
        "Parachute derives from canopies.Base, which is elsewhere",
    ),
    "a name that is given twice": (
        (("high=100", "high=BIGGEST"), ("class Parachute", "BIGGEST = 100\nBIGGEST = 200\n\n\nclass Parachute")), "high=BIGGEST",
    ),
    "a loop in the class": (
        (("    released =", "    for name in ('a', 'b'):\n        vars()[name] = parameter()\n    released ="),),
        "what this line declares",
    ),
    "a helper": ((("    released =", "    further = own_word()\n    released ="),), "further is computed"),
    "a decorator": ((("class Parachute", "@register\nclass Parachute"),), "what becomes of Parachute by register"),
    "a class that is made": ((("class Parachute(Part):", "class Base(Part):"),), ""),
    "names of names of names": ((("high=100", "high=c19"), ("class Parachute", LAUGHS + "\n\nclass Parachute")), "high=c19"),
    "a tower of powers": ((("high=100", "high=9**9**9"),), "high=9 ** 9 ** 9"),
    "a huge vector": ((("    drag = output(", "    many = output(count=10**9)\n    drag = output("),), "many"),
}  # fmt: skip


@pytest.mark.parametrize(("edits", "note"), HIDDEN.values(), ids=HIDDEN.keys())
def test_what_cannot_be_seen_is_a_note_and_no_error(folder: Path, edits: tuple[Edit, ...], note: str) -> None:
    law = changed(LAW, *edits)
    if "class Base" in law:
        law += "\n\nParachute = type('Parachute', (Base,), {})\n"
    stimulus = {"target": "parts.canopy.further", "kind": "constant", "value": 1}
    scenario = {"set": {"parts.canopy.further": 2.0}, "stimuli": [stimulus]}
    twin = seen(twin_folder(folder, law=law, parts={"canopy": PART | {"further": 1.0}}, scenarios={"fall": scenario}))
    assert note in " ".join(item.what for item in twin.notes)
    assert all(item.file.endswith("parachute.py") for item in twin.notes)


REFUSED: dict[str, tuple[Edit, str]] = {
    "no Python": (("class Parachute(Part):", "class Parachute(Part:"), r"parachute\.py:10: is not Python"),
    "no law": (("    @law\n", ""), r"parachute\.py:Parachute has no force law"),
    "no part": (("class Parachute(Part):", "class Parachute:"), r"parachute\.py:Parachute is not a part"),
    "another number of arguments": (("(part, here, inputs, memory,", "(part, here, inputs,"), "act has 7 arguments, a law has"),
    "a word that does not fit": (('unit="m^2", low=0', 'units="m^2", low=0'), "area: .*unexpected keyword argument 'units'"),
    "one name for two numbers": (('drag = output(unit="N")', 'drag = output(unit="N")\n    pull = output("drag")'), "'drag'"),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "said"), REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize("run_code", [False, True])
def test_a_class_that_cannot_be_a_kind_is_refused_in_both_ways(folder: Path, edit: Edit, said: str, run_code: bool) -> None:
    twin_folder(folder, law=changed(LAW, edit))
    with pytest.raises(didymos.InputError) as error:
        didymos.load(folder, run_code=run_code, trust=True)
    assert "parts.canopy.kind" in str(error.value)
    if not run_code:  # Python itself words it otherwise
        assert re.search(said, str(error.value))
        assert not has_run(folder)


def test_a_program_whose_base_is_elsewhere_may_have_any_gain_and_option(folder: Path) -> None:
    program = changed(PROGRAM, ("class Release(didymos.Controller)", "class Release(canopies.Base)")).split("    def __init__")[0]
    control = {"program": "release.py:Release", "rate": 100, "gains": {"kd": 1.0, "below": 7.0}, "options": {"motor": 1}}
    scenario = {"setpoints": {"far": 1.0}, "gains": {"ki": 2.0}}
    twin = seen(twin_folder(folder, program=program, control=control, scenarios={"fall": scenario}))
    assert twin.get("control.gains.below") == 7.0
    assert "Release derives from canopies.Base, which is elsewhere" in " ".join(note.what for note in twin.notes)


def test_all_words_of_the_contract_can_be_read() -> None:
    helpers = {"Declaration", "ODOMETRY", "declared", "layout_of", "offset_of", "record_type"}
    words = {getattr(contract, name) for name in set(contract.__all__) - helpers}
    assert words <= set(class_body._WORDS)


def test_one_file_runs_once_for_all_kinds_of_a_twin(folder: Path) -> None:
    count = "\nwith open(__file__ + '.count', 'a') as stream:\n    stream.write('x')\n\n\nclass Second(Parachute):\n    pass\n"
    second = PART | {"kind": "parachute.py:Second"}
    twin_folder(folder, law=LAW + count, parts={"canopy": PART, "reserve": PART, "drogue": second}, scenarios={})
    twin = didymos.load(folder, trust=True)
    twin.set("parts.canopy.area", 2.0)
    twin.copy().set("parts.drogue.area", 3.0)
    assert (folder / "parachute.py.count").read_text() == "x"
    assert twin.code.ran == ("parachute.py:Parachute", "parachute.py:Second")


def test_a_module_is_read_without_importing_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "own_laws"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import pathlib\npathlib.Path(__file__).with_name('ran').touch()\n")
    (package / "laws.py").write_text(LAW)
    monkeypatch.syspath_prepend(tmp_path / "site")
    folder = twin_folder(tmp_path / "twin", parts={"canopy": PART | {"kind": "own_laws.laws:Parachute"}})
    assert seen(folder).get("parts.canopy.opening_time") == 0.5
    assert not has_run(package)
    assert didymos.load(folder, trust=True).get("parts.canopy.opening_time") == 0.5
    assert has_run(package)


def test_a_law_that_derives_from_a_bundled_one_has_its_numbers(folder: Path) -> None:
    law = "from didymos.parts.body_drag import BodyDrag\n\n\nclass Hull(BodyDrag):\n    pass\n"
    part = {"kind": "parachute.py:Hull", "link": "load", "area_x": 0.5}
    for run_code in (False, True):
        twin = didymos.load(twin_folder(folder, law=law, parts={"hull": part}, scenarios={}), trust=True, run_code=run_code)
        assert twin.get("parts.hull.area_x") == 0.5
        assert [item.name for item in twin.file.parts["hull"].contract.outputs] == ["force"]


OLD: dict[str, tuple[dict[str, Any], str]] = {
    "wanted": ({"scenarios": {"fall": {"wanted": {"z": 1}}}}, "unknown key, it is now called 'setpoints'"),
    "grip": ({"world": {"grip": 0.5}}, "unknown key, it is now called 'friction_scale'"),
    "upstream": ({"parts": {"canopy": PART | {"upstream": "x"}}}, "unknown key, it is now called 'input_from'"),
    "a stimulus on wanted.z": (
        {"scenarios": {"fall": {"stimuli": [{"target": "wanted.z", "kind": "constant", "value": 1}]}}},
        "it is now called 'setpoints.z'",
    ),
    "a value of world.grip": ({"scenarios": {"fall": {"set": {"world.grip": 1.0}}}}, "it is now called 'world.friction_scale'"),
}  # fmt: skip


@pytest.mark.parametrize(("keys", "said"), OLD.values(), ids=OLD.keys())
def test_an_old_word_is_told_its_new_one(folder: Path, keys: dict[str, Any], said: str) -> None:
    with pytest.raises(didymos.InputError, match=re.escape(said)):
        didymos.load(twin_folder(folder, **keys), run_code=False)


def test_an_old_path_is_told_its_new_one(folder: Path) -> None:
    with pytest.raises(didymos.InputError, match=r"it is now called 'world\.friction_scale'"):
        seen(twin_folder(folder)).set("world.grip", 0.5)


SENSOR = '''from typing import Annotated

from pydantic import Field

from didymos.contract import option, parameter, quantity
from didymos.sensors.sensor import Sensor, measure

open(__file__[: -len("altimeter.py")] + "ran", "w").close()


class Altimeter(Sensor):
    """Height above a level."""

    level = parameter(0.0, unit="m", low=-100, high=100)
    bits = option(Annotated[int, Field(ge=1)], 12)
    height = quantity(unit="m")

    @measure
    def look(sensor, here, reading):
        reading.height = here.position_world[2] - sensor.level
'''


def with_sensor(folder: Path, text: str = SENSOR, **keys: Any) -> Path:
    folder.mkdir()
    (folder / "altimeter.py").write_text(text)
    sensor = {"kind": "altimeter.py:Altimeter", "link": "load", "rate": 50} | keys
    return twin_folder(folder, parts={}, sensors={"own": sensor}, scenarios={})


def test_an_own_sensor_has_parameters_and_errors(folder: Path) -> None:
    with_sensor(folder, level=2.0, height={"noise": 0.1})
    read, ran = seen(folder), didymos.load(folder, trust=True)
    assert read.parameters == ran.parameters
    assert read.get("sensors.own.level") == 2.0
    assert read.parameters["sensors.own.height.noise"].unit == "m"
    assert read.file.sensors["own"].contract.quantities == ran.file.sensors["own"].contract.quantities


SENSORS: dict[str, tuple[Edit, str]] = {
    "no measure": (("    @measure\n", ""), "does not say how it measures height"),
    "no such source": (("quantity(unit", "quantity('gyrp', unit"), "reads height from 'gyrp', .*, did you mean 'gyro'"),
    "nothing": (('    height = quantity(unit="m")\n', ""), "declares no quantity"),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "said"), SENSORS.values(), ids=SENSORS.keys())
@pytest.mark.parametrize("run_code", [False, True])
def test_a_sensor_that_cannot_measure_is_refused(folder: Path, edit: Edit, said: str, run_code: bool) -> None:
    with_sensor(folder, changed(SENSOR, edit))
    with pytest.raises(didymos.InputError, match=rf"sensors\.own\.kind: altimeter\.py:Altimeter {said}"):
        didymos.load(folder, run_code=run_code, trust=True)
