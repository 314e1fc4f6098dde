"""Every kind of mistake in a twin is refused with one sentence that names the culprit and, where it can, the line.

`small_twin/` holds one of everything. Each case changes its `twin.yaml` in one place, or gives it other files.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import didymos
from didymos.errors import InputError

SMALL = Path(__file__).with_name("small_twin")
JARGON = re.compile(r"NoneType|object has no attribute|pydantic|Input should|validation error|Traceback|Errno|<class")

Change = tuple[str, str, str, str]  # what stands in the file, what takes its place, what is said, on which line

TEXT: dict[str, Change] = {
    "a tab": ("  file: robot", "\tfile: robot", "not valid YAML", "\tfile"),
    "a bracket that is not closed": ("joints: [axle]", "joints: [axle", "not valid YAML", "rate: 50"),
    "two colons": ("title: Small", "title: Small: one", "not valid YAML", "title: Small: one"),
    "a key twice": ("  rate: 250\n  options", "  rate: 250\n  rate: 250\n  options", "'rate' is here twice, first in line", ""),
    "an alias of nothing": ("{<<: *rotor, link: rear_left", "{<<: *roto, link: rear_left", "undefined alias 'roto'", "*roto,"),
    "a merge of a number": ("{<<: *rotor, link: rear_left", "{<<: 5, link: rear_left", "merge", "<<: 5"),
    "a node in itself": ("options: {sensor: state}", "options: &o {sensor: *o}", "contains itself", "&o"),
    "a tag": ("title: Small", "title: !!binary U21hbGw=", "expected a number, a text", "!!binary"),
    "a date": ("title: Small", "title: 2024-01-01", "expected a number, a text", "2024"),
    "a number as a key": ("wind: {speed: 1.0}", "wind: {1: 1.0}", "'1' as a key, expected a word", "wind"),
    "a list as a key": ("wind: {speed: 1.0}", "wind: {[a]: 1.0}", "as a key, expected a word", "wind"),
    "half a character": ("title: Small", 'title: "\\ud800"', "surrogate", "title"),
    "two documents": ("world:", "---\nworld:", "single document", "---"),
    "a bell": ("title: Small", "title: Sm\x07all", "control character U+0007", "title"),
    "deep nesting": ("title: Small", f"title: {'[' * 60}{']' * 60}", "nested more than", "title"),
}
KEYS: dict[str, Change] = {
    "unknown key at the top": ("sensors:", "sensor:", "did you mean 'sensors'", "sensor:"),
    "unknown key of the world": ("gravity:", "gravty:", "did you mean 'gravity'", "gravty"),
    "unknown key of the air": ("{temperature:", "{temprature:", "did you mean 'temperature'", "temprature"),
    "unknown key of a part": ("disc_area:", "disk_area:", "did you mean 'disc_area'", "disk_area"),
    "unknown key of a sensor": ("gyro: {", "gyros: {", "did you mean 'gyro'", "gyros"),
    "unknown key of an error model": ("{noise:", "{noises:", "did you mean 'noise'", "noises"),
    "unknown key of control": ("  options:", "  option:", "did you mean 'options'", "option:"),
    "unknown key of the start": ("  joints: {axle: 0.5}", "  joint: {axle: 0.5}", "did you mean 'joints'", "joint: {"),
    "unknown key of a scenario": ("    stimuli:", "    stimulus:", "did you mean 'stimuli'", "stimulus:"),
    "unknown key of a stimulus": ("from: 1, to: 2", "form: 1, to: 2", "did you mean 'from'", "form"),
    "unknown key of an expectation": ("high: 100", "hihg: 100", "did you mean 'high'", "hihg"),
    "missing description": ("description:\n  file: robot.urdf\n  base: floating\n", "", "'description' is missing", ""),
    "missing file": ("  file: robot.urdf\n", "", "'file' is missing", "description:"),
    "missing kind": ("    kind: body_drag\n", "", "'kind' is missing", "drag:"),
    "missing number": ("    exit_speed: 40.0\n", "", "'exit_speed' is missing", "rr:"),
    "missing program": ("  program: multirotor_pd\n", "", "'program' is missing", "control:"),
    "missing key of a stimulus": ("kind: step, at: 1,", "kind: step,", "needs the key 'at'", "kind: step"),
    "a key that a stimulus lacks": ("at: 1, to: 0.1", "at: 1, to: 0.1, phase: 1", "does not use the key 'phase'", "phase"),
}  # fmt: skip
VALUES: dict[str, Change] = {
    "text for a number": ("step: 0.002", "step: fast", "found 'fast', expected a number", "step"),
    "quoted number": ("step: 0.002", "step: '0.002'", "expected a number", "step"),
    "true for a number": ("gravity: 9.81", "gravity: true", "found true, expected a number", "gravity"),
    "nothing for a number": ("gravity: 9.81", "gravity:", "found nothing, expected a number", "gravity"),
    "list for a number": ("gravity: 9.81", "gravity: [9.81]", "found a list, expected a number", "gravity"),
    "number for a text": ("title: Small", "title: 5", "found 5, expected a text", "title"),
    "number for a mapping": ("air: {temperature: 288.15}", "air: 5", "found 5, expected a mapping", "air"),
    "number for a part": ("parts:", "parts:\n  bad: 5", "found 5, expected a mapping", "bad"),
    "mapping for a list": ("joints: [axle]", "joints: {axle: 1}", "found a mapping, expected a list", "joints: {"),
    "text for a vector": ("position: [0, 0, 1]", "position: up", "expected three numbers [x, y, z]", "position"),
    "two numbers for a vector": ("position: [0, 0, 1]", "position: [0, 1]", "found 2 numbers, expected 3", "position"),
    "text in a vector": ("position: [0, 0, 1]", "position: [0, 0, up]", "found 'up', expected a number", "position"),
    "text for a gain": ("{kp: 0.1, kd", "{kp: soft, kd", "found 'soft', expected a number", "kp: soft"),
    "text for a set-point": ("setpoints: {z: 1.0}", "setpoints: {z: up}", "found 'up', expected a number", "setpoints: {z"),
    "list for an argument": ("  base: floating", "  arguments: {a: [1]}", "expected a text, a number, true", "arguments"),
    "not a number": ("gravity: 9.81", "gravity: .nan", "expected a finite number", "gravity"),
    "infinite": ("exit_speed: 40.0", "exit_speed: .inf", "expected a finite number", "exit_speed"),
    "too large to be finite": ("exit_speed: 40.0", "exit_speed: 1e999", "expected a finite number", "exit_speed"),
    "a gain that is not a number": ("{kp: 0.1, kd", "{kp: .nan, kd", "expected a number from 0 to 10", "kp: .nan"),
    "negative area": ("area_x: 0.01", "area_x: -0.01", "at least 0", "area_x"),
    "no area": ("disc_area: 0.02", "disc_area: 0", "found 0, expected a number above 0", "disc_area"),
    "no step": ("step: 0.002", "step: 0", "at least 1e-06", "step"),
    "negative rate": ("rate: 100", "rate: -100", "above 0", "rate: -100"),
    "too hot": ("temperature: 288.15", "temperature: 1000", "at most 400", "temperature"),
    "gain out of bounds": ("{kp: 0.1, kd", "{kp: 11, kd", "from 0 to 10", "kp: 11"),
    "direction 0.5": ("direction: 1\n    d", "direction: 0.5\n    d", "found 0.5, expected 1 or -1", "direction: 0.5"),
    "sensor faster than physics": ("rate: 50\n    d", "rate: 1000\n    d", "at most the rate of the physics", "rate: 1000"),
    "control rate that does not divide": ("rate: 250\n  o", "rate: 300\n  o", "whole number of physics steps", "rate: 300"),
    "control faster than physics": ("rate: 250\n  o", "rate: 1000\n  o", "whole number of physics steps", "rate: 1000"),
    "ramp that ends before it starts": ("start: 0, end: 1, from", "start: 2, end: 1, from", "after start 2 s", "start: 2"),
    "negative frequency": ("frequency: 2}", "frequency: -2}", "at least 0", "frequency: -2"),
    "no time": ("seconds: 2", "seconds: 0", "above 0", "seconds"),
    "expectation without bounds": (", high: 100}", "}", "'low' and 'high'", "height, signal"),
    "expectation without a question": ("signal: truth.position.z, ", "", "'signal', 'figure' and 'stl'", "name: height"),
    "expectation with two questions": ("figure: t", "signal: truth.tilt, figure: t", "'figure' and 'stl'", "name: thrust"),
    "bounds that nothing meets": ("high: 100}", "high: 1, low: 2}", "nothing can meet", "low: 2"),
    "expectation before it begins": ("after: 0.5,", "after: 0.5, before: 0.4,", "later than after 0.5 s", "before: 0.4"),
    "expectation after the end": ("after: 0.5,", "after: 3,", "within the scenario's 2 s", "after: 3"),
    "start beyond the joint's limit": ("{axle: 0.5}", "{axle: 90}", "found 90, expected a position from -2 to 2 rad", "axle: 90"),
    "weight without gravity": ("gravity: 9.81", "gravity: 0", "no weight to compare with", "figure:"),
    "a gain among the plant's": (
        "set: {links.body.mass: 1.2}", "set: {control.gains.roll.kp: 0.2}",
        "under the key 'gains' of the scenario: gains: {roll.kp: 0.2}", "set: {",
    ),
    "a rate among the plant's": ("set: {links.body.mass: 1.2}", "set: {control.rate: 125}", "belongs to the program", "set: {"),
    "a gain that is none": (
        "set: {links.body.mass: 1.2}", "gains: {roll: {kb: 0.2}}", "did you mean 'control.gains.roll.kp'", "gains: {roll: {kb",
    ),
    "a gain that is no number": ("set: {links.body.mass: 1.2}", "gains: {roll.kp: much}", "expected a number", "gains: {roll.kp"),
    "a gain out of bounds": ("set: {links.body.mass: 1.2}", "gains: {roll.kp: -1}", "from 0 to", "gains: {roll.kp"),
    "a gain twice": (
        "set: {links.body.mass: 1.2}", "gains: {roll.kp: 1, roll: {kp: 2}}", "'roll.kp' is given twice", "gains: {roll.kp",
    ),
    "mass without a body": ("{links.body.mass: 1.2}", "{links.body.mass: 0}", "expected a mass above 0", "set: {"),
    "inertia of no body": ("{links.body.mass: 1.2}", "{links.body.inertia.xx: 9}", "belong to no body", "set: {"),
}  # fmt: skip
NAMES: dict[str, Change] = {
    "unknown kind of part": ("kind: generic_engine", "kind: generic_engin", "did you mean 'generic_engine'", "generic_engin\n"),
    "unknown kind of sensor": ("kind: imu", "kind: imo", "did you mean 'imu'", "imo"),
    "unknown kind of stimulus": ("kind: chirp", "kind: chrip", "did you mean 'chirp'", "chrip"),
    "unknown integrator": ("integrator: rk4", "integrator: rk", "'rk4' or 'implicitfast', did you mean 'rk4'", "integrator"),
    "unknown base": ("base: floating", "base: floats", "did you mean 'floating'", "base"),
    "unknown measure": ("after: 0.5, high", "measure: maximum, high", "expected 'max_error'", "measure"),
    "unknown link of a part": ("link: rear_right", "link: rear_rigth", "did you mean 'rear_right'", "rear_rigth"),
    "unknown link of a sensor": ("kind: imu\n    link: body", "kind: imu\n    link: bodi", "did you mean 'body'", "bodi"),
    "unknown joint of a part": ("joint: axle", "joint: axel", "did you mean 'axle'", "joint: axel"),
    "unknown joint of a sensor": ("joints: [axle]", "joints: [axel]", "did you mean 'axle'", "[axel]"),
    "a joint twice": ("joints: [axle]", "joints: [axle, axle]", "named twice", "[axle, axle]"),
    "a fixed joint for a part": ("joint: axle", "joint: fl", "does not turn or slide: it is fixed", "joint: fl"),
    "a fixed joint for a sensor": ("joints: [axle]", "joints: [fl]", "does not turn or slide", "[fl]"),
    "a fixed joint at the start": ("{axle: 0.5}", "{fl: 0.5}", "does not turn or slide", "{fl: 0.5}"),
    "unknown joint at the start": ("{axle: 0.5}", "{axel: 0.5}", "did you mean 'axle'", "axel"),
    "unknown input_from part": ("joint: axle", "input_from: drag", "no part before this one named 'drag'", "input_from"),
    "unknown program": ("program: multirotor_pd", "program: multirotor_pid", "did you mean 'multirotor_pd'", "program"),
    "unknown gain": ("{kp: 0.1, kd", "{kq: 0.1, kd", "did you mean 'roll.kp'", "kq: 0.1"),
    "a gain twice": ("    roll: {", "    roll.kp: 1\n    roll: {", "given twice", "roll: {"),
    "unknown option": ("{sensor: state}", "{senor: state}", "did you mean 'sensor'", "senor"),
    "a sensor that the program lacks": ("{sensor: state}", "{sensor: imu}", "needs a pose sensor named 'imu'", ""),
    "unknown path of a scenario": ("{links.body.mass", "{links.body.mas", "did you mean 'links.body.mass'", "mas: 1.2"),
    "a path out of bounds": ("{links.body.mass: 1.2}", "{links.body.mass: -1}", "found -1, expected", "mass: -1"),
    "values that do not fit": ("{links.body.mass: 1.2}", "{world.step: 0.003}", "whole number of physics steps", "world.step"),
    "unknown parameter of a stimulus": ("world.wind.speed", "world.wind.sped", "did you mean 'world.wind.speed'", "sped"),
    "a parameter that no stimulus moves": ("world.wind.speed", "world.step", "cannot be moved by a stimulus", "world.step"),
    "unknown input": ("target: inputs.fl", "target: inputs.fll", "no input 'fll', did you mean 'fl'", "inputs.fll"),
    "unknown set-point": ("setpoints: {z: 1.0}", "setpoints: {yew: 1.0}", "did you mean 'yaw'", "yew"),
    "unknown set-point of a stimulus": ("target: setpoints.roll", "target: setpoints.rol", "did you mean 'roll'", "rol,"),
    "a stimulus of no set-point": ("target: setpoints.roll", "target: setpoints", "set-point ''", "target: setpoints,"),
    "unknown signal": ("signal: truth.position.z", "signal: truth.positoin.z", "did you mean 'truth.position.z'", "positoin"),
    "an angle of nothing": ("signal: truth.position.z", "signal: imu.tilt", "no run records 'imu.tilt'", "imu.tilt"),
    "stimulus file that is not there": ("file: signal.csv", "file: signals.csv", "no file 'signals.csv'", "signals.csv"),
    "stimulus file that is a folder": ("file: signal.csv", "file: .", "no file '.'", "file: ."),
    "stimulus file of a kind that is no log": ("file: signal.csv", "file: robot.urdf", "robot.urdf", ""),
    "column that is not there": ("column: yaw", "column: jaw", "no column 'jaw', did you mean 'yaw'", ""),
    "description that is not there": ("file: robot.urdf", "file: robots.urdf", "'robots.urdf' is not there", "file: robots"),
    "description that is a folder": ("file: robot.urdf", "file: .", "is a folder", "file: ."),
    "description outside that is not there": ("file: robot.urdf", "file: ../../nowhere.urdf", "is not there", "nowhere"),
    "description that is no description": ("file: robot.urdf", "file: signal.csv", "not well-formed XML", ""),
    "description with a name too long": ("file: robot.urdf", f"file: {'a' * 500}", "is not there", "aaa"),
    "description with a name that no file can have": ("file: robot.urdf", 'file: "a\\0b"', "is not there", "file:"),
    "arguments for a plain description": ("  base: floating", "  arguments: {a: 1}", "takes no arguments", ""),
    "a name with a space": ("  imu:", "  my imu:", "a name of letters, digits, _ and -", "my imu"),
    "a name with a dot": ("  imu:", "  my.imu:", "a name of letters, digits, _ and -", "my.imu"),
    "a name that is empty": ("  imu:", "  '':", "a name of letters", "'':"),
    "a name that is too long": ("  imu:", f"  {'i' * 65}:", "at most 64 characters", "iii"),
    "a name on two lines": ("  imu:", '  "i\\nmu":', "a name of letters", "i\\nmu"),
    "a scenario with a slash": ("  everything:", "  every/thing:", "a name of letters", "every/thing"),
    "a set-point with a dot": ("setpoints: {z: 1.0}", "setpoints: {z.x: 1.0}", "the program has no set-point 'z.x'", "z.x"),
}  # fmt: skip
RESERVED = {
    f"a sensor named {name}": ("  imu:", f"  {name}:", f"every run records '{name}' itself", f"  {name}:")
    for name in ("truth", "joints", "tf", "clock", "setpoints", "inputs", "parts", "joint_states", "tf_static")
}
CHANGES = TEXT | KEYS | VALUES | NAMES | RESERVED


def _make_ready(folder: Path) -> None:
    """Read a twin and make every scenario ready to run, as `didymos check` does."""
    twin = didymos.load(folder, trust=True)
    for scenario in (None, *twin.scenarios):
        twin.simulate(scenario=scenario)


def _mistake(folder: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        _make_ready(folder)
    said = str(caught.value)
    assert said.isprintable()  # so it has one line
    assert not JARGON.search(said)
    return caught.value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(SMALL, tmp_path / "small")
    return tmp_path / "small"


def test_the_twin_that_the_cases_break_is_whole(folder: Path) -> None:
    twin = didymos.load(folder)
    simulation = twin.simulate(scenario="everything")
    assert all(verdict.ok for verdict in simulation.judge(simulation.run()))
    twin.simulate().run(0.1)


@pytest.mark.parametrize(("old", "new", "said", "at"), CHANGES.values(), ids=CHANGES.keys())
def test_a_mistake_in_the_file_is_named_with_its_line(folder: Path, old: str, new: str, said: str, at: str) -> None:
    file = folder / "twin.yaml"
    text = file.read_text()
    assert old in text
    broken = text.replace(old, new, 1)
    file.write_text(broken)
    error = _mistake(folder)
    assert said in str(error)
    if at:
        assert str(error).startswith(f"{file}:{broken[: broken.index(at)].count(chr(10)) + 1}: ")


FILES: dict[str, tuple[str, bytes, str]] = {
    "empty": ("twin.yaml", b"", "twin.yaml: found nothing, expected a mapping"),
    "only a comment": ("twin.yaml", b"# to do", "twin.yaml: found nothing, expected a mapping"),
    "a list": ("twin.yaml", b"- a\n- b\n", "twin.yaml: found a list, expected a mapping"),
    "a word": ("twin.yaml", b"robot", "twin.yaml: found a single value, expected a mapping"),
    "binary": ("twin.yaml", bytes(range(256)), "is not UTF-8 text (byte 128)"),
    "UTF-16": ("twin.yaml", "title: Ü".encode("utf-16"), "is not UTF-8 text"),
    "Latin-1": ("twin.yaml", "a: 1\ntitle: Ü".encode("latin-1"), "twin.yaml:2: is not UTF-8 text"),
    "huge": ("twin.yaml", b"# \n" * 100_000, "found 300000 bytes, expected at most"),
    "bomb": (
        "twin.yaml",
        b"a: &a [1,1,1,1]\n" + b"".join(b"%c: &%c [%s]\n" % (n, n, b",".join([b"*%c" % (n - 1)] * 10)) for n in b"bcdefgh"),
        "holds more than 50000 values",
    ),
    "deep": ("twin.yaml", b"a: " + b"[" * 1000, "nested too deeply"),
    "description empty": ("robot.urdf", b"", "robot.urdf: is empty"),
    "description cut in half": ("robot.urdf", b"<robot name='a'><link name='b'>", "not well-formed XML"),
    "description of something else": ("robot.urdf", b"<svg/>", "begins with <svg>"),
    "description without a link": ("robot.urdf", b"<robot name='a'/>", "link"),
    "link twice": ("robot.urdf", b"<robot name='a'><link name='b'/><link name='b'/></robot>", "'b'"),
    "link without a name": ("robot.urdf", b"<robot name='a'><link/></robot>", "name"),
    "two roots": ("robot.urdf", b"<robot name='a'><link name='b'/><link name='c'/></robot>", "root"),
    "signal empty": ("signal.csv", b"", "signal.csv: the file is empty"),
    "signal without numbers": ("signal.csv", b"time,yaw\n", "signal.csv: there is no line of numbers"),
    "signal with text": ("signal.csv", b"time,yaw\n0,left\n", "signal.csv:2: yaw: 'left' is not a number"),
    "signal with a gap in time": ("signal.csv", b"time,yaw\n1,0\n0,0\n", "signal.csv:3: time: time does not increase"),
    "signal of nothing": ("signal.csv", b"time,yaw,x\n0,,1\n1,,1\n", "yaw: found no number in this column"),
    "signal not finite": ("signal.csv", b"time,yaw\n0,0\n1,nan\n", "yaw: found nan at 1 s, expected finite numbers"),
    "signal binary": ("signal.csv", bytes(range(256)), "signal.csv: this is not text"),
}


@pytest.mark.parametrize(("file", "content", "said"), FILES.values(), ids=FILES.keys())
def test_a_file_that_cannot_be_used_is_named(folder: Path, file: str, content: bytes, said: str) -> None:
    (folder / file).write_bytes(content)
    error = _mistake(folder)
    assert said in str(error)
    assert file in str(error)


DESCRIPTIONS: dict[str, tuple[str, str, str]] = {
    "joint to nowhere": ('<child link="disc"/>', '<child link="disk"/>', "did you mean 'disc'"),
    "joint from nowhere": ('<parent link="body"/><child link="disc"/>', '<parent link="bodi"/><child link="disc"/>', "'bodi'"),
    "moving link without mass": ('<mass value="0.1"/>', '<mass value="0"/>', "disc"),
    "negative mass": ('<mass value="0.1"/>', '<mass value="-1"/>', "-1"),
    "mass that is no number": ('<mass value="0.1"/>', '<mass value="heavy"/>', "'heavy'"),
    "mass not finite": ('<mass value="0.1"/>', '<mass value="nan"/>', "nan"),
    "inertia of no body": ('ixx="0.001"', 'ixx="9"', "inertia"),
    "axis of no length": ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>', "axis"),
    "axis of two numbers": ('<axis xyz="0 0 1"/>', '<axis xyz="0 0"/>', "axis"),
    "unknown kind of joint": ('type="revolute"', 'type="revolut"', "did you mean 'revolute'"),
    "limits the wrong way round": ('lower="-2" upper="2"', 'lower="2" upper="-2"', "axle"),
    "box of no size": ('<collision><geometry><box size="0.2', '<collision><geometry><box size="0', "half sizes"),
    "mesh that is not there": ("<collision><geometry><box size=", '<collision><geometry><mesh filename="no.stl" a=', "no.stl"),
    "entity": ("<robot name", "<!DOCTYPE robot [<!ENTITY a 'a'>]><robot name", "entity"),
}


@pytest.mark.parametrize(("old", "new", "said"), DESCRIPTIONS.values(), ids=DESCRIPTIONS.keys())
def test_a_mistake_in_the_description_is_named(folder: Path, old: str, new: str, said: str) -> None:
    text = (folder / "robot.urdf").read_text()
    assert old in text
    (folder / "robot.urdf").write_text(text.replace(old, new, 1))
    error = _mistake(folder)
    assert said in str(error)
    assert "robot.urdf" in str(error)


PROGRAM = """import didymos

class Mine(didymos.Controller):
    rate = 250
    def __init__(self, size=1):
        self.size = size
    def update(self, t, measured, setpoints):
        return {}

class Other:
    pass
"""
PROGRAMS: dict[str, tuple[str, str, str]] = {
    "syntax": ("mine.py:Mine", "def f(:\n", "mine.py: cannot be imported: SyntaxError"),
    "import": ("mine.py:Mine", "import nowhere_to_be_found", "No module named 'nowhere_to_be_found'"),
    "error while importing": ("mine.py:Mine", "1 / 0", "ZeroDivisionError"),
    "exit while importing": ("mine.py:Mine", "raise SystemExit(3)", "SystemExit"),
    "no such file": ("yours.py:Mine", PROGRAM, "there is no such file"),
    "no such module": ("nowhere_to_be_found:Mine", PROGRAM, "No module named"),
    "no such class": ("mine.py:Mien", PROGRAM, "did you mean 'Mine'"),
    "not a controller": ("mine.py:Other", PROGRAM, "mine.py:Other is not a control program"),
    "no class": ("mine.py", PROGRAM, "there is no such control program: found 'mine.py' (expected one of backstepping, "),
    "error on creation": ("mine.py:Mine", PROGRAM.replace("self.size = size", "raise ValueError('no battery')"), "no battery"),
    "unknown option": ("mine.py:Mine", PROGRAM.replace("size=1", "siz=1"), "did you mean 'siz'"),
    "a list of set-points": ("mine.py:Mine", PROGRAM.replace("rate = 250", "setpoints = ('z',)"), "Mine lists its set-points"),
    "a law without a function": ("didymos.control:CompiledController", PROGRAM, "has no compiled function"),
}


@pytest.mark.parametrize(("program", "code", "said"), PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_program_that_cannot_be_used_is_named_with_the_line_that_asks_for_it(
    folder: Path, program: str, code: str, said: str
) -> None:
    (folder / "mine.py").write_text(code)
    text = (folder / "twin.yaml").read_text()
    text = text.replace("multirotor_pd", program).replace("{sensor: state}", "{size: 2}")
    gains = text.index("  gains:"), text.index("record:")
    (folder / "twin.yaml").write_text(text[: gains[0]] + text[gains[1] :])
    error = _mistake(folder)
    assert said in str(error)
    assert error.line in (text[: text.index("  program:")].count("\n") + 1, text[: text.index("  options:")].count("\n") + 1)


HELD: dict[str, tuple[str, str, str]] = {
    "position": ("start:\n", "start:\n  position: [0, 0, 1]\n", "'body' is held in the world"),
    "velocity": ("start: {}", "start: {velocity: [1, 0, 0]}", "'body' is held in the world"),
}


@pytest.mark.parametrize(("old", "new", "said"), HELD.values(), ids=HELD.keys())
def test_a_root_that_is_held_cannot_start_elsewhere(folder: Path, old: str, new: str, said: str) -> None:
    text = (folder / "twin.yaml").read_text().replace("  base: floating\n", "").replace("  position: [0, 0, 1]\n", "")
    text = text.replace("start: {velocity: [1, 0, 0]}", "start: {}")
    (folder / "twin.yaml").write_text(text)
    _make_ready(folder)
    broken = text.replace(old, new, 1)
    (folder / "twin.yaml").write_text(broken)
    error = _mistake(folder)
    assert said in str(error)
    assert error.line == broken[: broken.index(new.strip().split("\n")[-1].strip())].count("\n") + 1


def test_an_actuator_and_a_part_of_one_name_are_refused(make_twin: object) -> None:
    model = """<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1" mass="1"/></body></worldbody>
      <actuator><motor name="m" joint="j"/></actuator></mujoco>"""
    part = {"kind": "rotor", "link": "b", "direction": 1, "thrust_coefficient": 1, "speed_per_input": 1}
    make_twin(model, parts={"n": part})  # type: ignore[operator]
    with pytest.raises(InputError, match="two inputs are named 'm'"):
        make_twin(model, parts={"m": part})  # type: ignore[operator]


def test_a_part_cannot_act_on_the_world(make_twin: object) -> None:
    model = """<mujoco><worldbody><site name="s"/><body name="b"><joint/><geom size="1" mass="1"/></body></worldbody></mujoco>"""
    with pytest.raises(InputError, match="frame 's' is the world's"):
        make_twin(model, parts={"d": {"kind": "body_drag", "link": "s"}})  # type: ignore[operator]


def test_names_of_sensors_cannot_clash_inside_the_engine(make_twin: object) -> None:
    model = """<mujoco><worldbody><body name="b"><joint name="velocity"/><geom size="1" mass="1"/></body></worldbody></mujoco>"""
    sensors = {"s": {"kind": "joints", "rate": 100}, "s_position": {"kind": "odometry", "link": "b", "rate": 100}}
    make_twin(model, sensors=sensors).simulate().run(0.1)  # type: ignore[operator]


def test_all_mistakes_of_one_reading_are_found(folder: Path) -> None:
    text = (folder / "twin.yaml").read_text()
    (folder / "twin.yaml").write_text(text.replace("link: rear_right", "link: a").replace("joints: [axle]", "joints: [b]"))
    error = _mistake(folder)
    assert ["'a'" in str(error), *("'b'" in str(other) for other in error.others)] == [True, True]


def test_actuators_without_a_name_get_one_each(make_twin: object) -> None:
    model = """<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1" mass="1"/></body></worldbody>
      <actuator><motor joint="j"/><motor joint="j"/></actuator></mujoco>"""
    twin = make_twin(model)  # type: ignore[operator]
    assert twin.summary().inputs == ("actuator_1", "actuator_2")
    assert any("2 of 2 actuator elements have no name" in note.what for note in twin.notes)
