"""A twin as an FMU, judged and driven by FMPy: no finding, and the bytes of the direct run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from compiled_c import compiled, freed_counts
from didymos.cli.main import main
from didymos.describe.bundled import bundled, bundled_worlds
from didymos.engine.intervention import Intervention
from didymos.errors import InputError
from didymos.ports.fmi.description import _base
from didymos.ports.fmi.instance import TwinInstance, state_from_bytes, state_to_bytes
from didymos.ports.fmi.variables import structured, variables_of

fmpy = pytest.importorskip("fmpy")
pytest.importorskip("fmpy.validation")
pytest.importorskip("pythonfmu")
pytest.importorskip("pythonfmu3")

STEP = 0.0025  # [s] of the quadcopter
LAST_TICK = re.compile(r"(?:log\.)?(?:parts|inputs|setpoints|control|parameters)\.")


@pytest.fixture(scope="module", params=[2, 3])
def quadcopter(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("fmu") / f"quad{request.param}.fmu"
    assert main(["export", "fmu", "quadcopter", "-o", str(file), "--fmi", str(request.param), "--seed", "3", "--quiet"]) == 0
    return file


def direct(twin: str = "quadcopter", **values: float) -> Any:
    """The twin as the FMU runs it: recorded at every tick."""
    model = didymos.load(twin)
    often = 1.0 / model.get("world.step")
    model.set_all({"record.rate": often, "record.tf_rate": often, **values})
    return model


def signal_of(name: str) -> str:
    """The log's name of an output."""
    return re.sub(r"\[(\d+)\]", r".\1", name.removeprefix("log.").replace("'", ""))


def outputs_of(file: Path) -> list[str]:
    return [v.name for v in fmpy.read_model_description(str(file)).modelVariables if v.causality == "output"]


def assert_same_bytes(result: Any, log: Any, names: list[str], step: float) -> None:
    """Every output is the log's newest value at its time; what belongs to the last tick is that of the tick before."""
    time = result["time"]
    for name in names:
        signal = log[signal_of(name)]
        shift, first = (step, 1) if LAST_TICK.match(name) else (0.0, 0)
        newest = np.searchsorted(signal.time, time - shift + 1e-9) - 1
        values = np.asarray(signal.values)[newest[first:]]
        assert values.tobytes() == np.asarray(result[name])[first:].tobytes(), name


@contextmanager
def instance(file: Path, folder: Path) -> Iterator[tuple[Any, dict[str, int]]]:
    """An instance that has not been initialized yet, and the references by name."""
    about = fmpy.read_model_description(str(file))
    where = fmpy.extract(str(file), str(folder))
    made = fmpy.instantiate_fmu(where, about, "CoSimulation", debug_logging=True)
    try:
        yield made, {v.name: v.valueReference for v in about.modelVariables}
    finally:
        made.freeInstance()


class Peer:
    """The few calls that differ between FMI 2 and 3."""

    def __init__(self, fmu: Any, references: Mapping[str, int]) -> None:
        self.fmu, self.references, self.is_new = fmu, references, hasattr(fmu, "getFloat64")

    def initialize(self, **values: float) -> None:
        if not self.is_new:
            self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        for name, value in values.items():
            self.set(name, value)
        self.fmu.exitInitializationMode()

    def set(self, name: str, value: float) -> None:
        call = self.fmu.setFloat64 if self.is_new else self.fmu.setReal
        call([self.references[name]], [value])

    def set_seed(self, value: int) -> None:
        call = self.fmu.setInt32 if self.is_new else self.fmu.setInteger
        call([self.references["seed"]], [value])

    def get(self, *names: str) -> list[float]:
        call = self.fmu.getFloat64 if self.is_new else self.fmu.getReal
        return list(call([self.references[name] for name in names]))

    def save(self) -> Any:
        return self.fmu.getFMUState() if self.is_new else self.fmu.getFMUstate()

    def restore(self, state: Any) -> None:
        (self.fmu.setFMUState if self.is_new else self.fmu.setFMUstate)(state)

    def bytes_of(self, state: Any) -> Any:
        return (self.fmu.serializeFMUState if self.is_new else self.fmu.serializeFMUstate)(state)

    def state_of(self, data: Any) -> Any:
        return (self.fmu.deserializeFMUState if self.is_new else self.fmu.deSerializeFMUstate)(data)


def finds_but_for_names(file: Path) -> list[str]:
    """All that `validate_fmu` looks for but the grammar of names, whose parser takes seconds for hundreds of variables."""
    about = fmpy.read_model_description(str(file), validate=True, validate_variable_names=False)
    return list(fmpy.validation.validate_model_description(about, validate_model_structure=True))


def test_fmpy_finds_nothing_wrong(quadcopter: Path) -> None:
    assert fmpy.validation.validate_fmu(str(quadcopter)) == []


def test_every_output_has_the_bytes_of_the_direct_run(quadcopter: Path) -> None:
    names = outputs_of(quadcopter)
    result = fmpy.simulate_fmu(str(quadcopter), stop_time=0.25, output=names)
    assert len(result) == 101
    log, sensors = direct().simulate(seed=3).run(0.3), direct().file.sensors
    read = [name for name in names if name.partition(".")[0] in sensors]
    assert len(read) >= 10
    assert_same_bytes(result, log, [name for name in names if name not in read], STEP)
    simulation = direct().simulate(seed=3)  # a log's readings are stamped with when they were taken, not with when they arrived
    for row in result:
        now = [simulation.measured[signal_of(name)] for name in read if signal_of(name) in simulation.robot.measured]
        assert np.array(now).tobytes() == np.array([row[n] for n in read if signal_of(n) in simulation.robot.measured]).tobytes()
        simulation.advance(1, ahead=True)


def test_set_points_and_parameters_act_as_in_the_direct_run(quadcopter: Path, tmp_path: Path) -> None:
    names = ["truth.position.z", "truth.orientation.w", "imu.gyro.x", "parts.rotor1.thrust"]
    names = [name for name in names if name in outputs_of(quadcopter)]
    simulation = direct().simulate(seed=3)
    rows = []
    with instance(quadcopter, tmp_path) as (fmu, references):
        peer = Peer(fmu, references)
        peer.initialize()
        for k in range(40):
            if k == 10:
                peer.set("setpoints.z", 2.0)
                simulation.intervene(Intervention(k * 2, "steer", "setpoints.z", (2.0,)))
            if k == 20:
                peer.set("links.body_FLU.mass", 0.7)
                simulation.set("links.body_FLU.mass", 0.7)
                assert peer.get("links.body_FLU.mass") == [0.7]
            fmu.doStep(k * 2 * STEP, 2 * STEP)
            simulation.advance(2, ahead=True)
            z = simulation.data.qpos[2]
            rows.append((peer.get("truth.position.z")[0], z))
    ours, theirs = np.array(rows).T
    assert ours.tobytes() == theirs.tobytes()
    assert ours[-1] != ours[9]


def test_a_run_in_another_process_gives_the_same_bytes(quadcopter: Path) -> None:
    code = (
        "import sys, fmpy, numpy\n"
        "r = fmpy.simulate_fmu(sys.argv[1], stop_time=0.1, output=['truth.position.x', 'truth.position.z', 'imu.accel.z'])\n"
        "print(numpy.concatenate([r[n] for n in r.dtype.names]).tobytes().hex())\n"
    )
    told = subprocess.run([sys.executable, "-c", code, str(quadcopter)], capture_output=True, text=True, timeout=300)
    assert told.returncode == 0, (told.returncode, told.stdout, told.stderr)
    own = fmpy.simulate_fmu(str(quadcopter), stop_time=0.1, output=["truth.position.x", "truth.position.z", "imu.accel.z"])
    assert told.stdout.split()[-1] == np.concatenate([own[name] for name in own.dtype.names]).tobytes().hex()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="blocks are looked at as glibc has them")
def test_a_process_that_ran_an_fmu_ends_without_a_look_at_what_is_gone(quadcopter: Path, tmp_path: Path) -> None:
    """The library of an FMU lets go of its interpreter twice; the second time its memory was gone: rarely seen, and fatal."""
    counts = freed_counts(tmp_path)
    code = "import sys, fmpy; print(len(fmpy.simulate_fmu(sys.argv[1], stop_time=0.01)))"
    command, surroundings = [sys.executable, "-c", code, str(quadcopter)], {**os.environ, "LD_PRELOAD": str(counts)}
    told = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=300)
    assert (told.returncode, told.stdout.split()[-1:]) == (0, ["5"]), told.stderr


def test_a_tool_that_is_not_written_in_python_gives_the_same_bytes(tmp_path: Path) -> None:
    python = Path(sysconfig.get_config_var("LIBDIR") or "") / str(sysconfig.get_config_var("INSTSONAME"))
    if not python.is_file() or ".so" not in python.name:
        pytest.skip("there is no libpython that could be loaded")
    file, host = tmp_path / "q.fmu", compiled(Path(__file__).with_name("fmu_host.c"), tmp_path / "host")
    assert main(["export", "fmu", "quadcopter", "-o", str(file), "--quiet"]) == 0
    about, where = fmpy.read_model_description(str(file)), fmpy.extract(str(file), str(tmp_path / "q"))
    reference = next(v.valueReference for v in about.modelVariables if v.name == "truth.position.z")
    library = Path(where) / "binaries" / "linux64" / "quadcopter.so"
    words = [host, library, about.guid, (Path(where) / "resources").as_uri(), reference, STEP, 40]
    paths = [str(Path(didymos.__file__).parents[1]), *(path for path in sys.path if path.endswith("site-packages"))]
    counts = freed_counts(tmp_path)
    own = {"LD_PRELOAD": f"{python}:{counts}", "PYTHONPATH": ":".join(paths), "PYTHONHOME": sys.base_prefix}
    told = subprocess.run([str(word) for word in words], env={**os.environ, **own}, capture_output=True, text=True, timeout=300)
    simulation = direct().simulate()
    simulation.advance(40, ahead=True)
    status, value = told.stdout.split()
    assert (status, float.fromhex(value), told.returncode) == ("0", simulation.data.qpos[2], 0), told.stderr


def test_a_state_can_be_set_again_by_its_handle_and_by_its_bytes(quadcopter: Path, tmp_path: Path) -> None:
    watched = ("truth.position.z", "imu.gyro.x", "log.inputs.motor1", "tf.body_FLU.position.z")
    with instance(quadcopter, tmp_path) as (fmu, references):
        watched = tuple(name for name in watched if name in references)
        assert len(watched) >= 3
        peer = Peer(fmu, references)
        peer.initialize()
        for k in range(8):
            fmu.doStep(k * STEP, STEP)
        peer.set("setpoints.z", 1.0)
        peer.set("links.body_FLU.mass", 0.6)
        state, here = peer.save(), peer.get(*watched)
        data = peer.bytes_of(state)

        def go_on() -> list[list[float]]:
            rows = []
            for k in range(8, 20):
                fmu.doStep(k * STEP, STEP)
                rows.append(peer.get(*watched))
            return rows

        first = go_on()
        peer.set("links.body_FLU.mass", 0.9)
        peer.set("setpoints.z", 7.0)
        peer.restore(state)
        assert peer.get(*watched) == here
        assert peer.get("links.body_FLU.mass", "setpoints.z") == [0.6, 1.0]
        assert go_on() == first
        peer.restore(peer.state_of(data))
        assert go_on() == first


def test_a_reset_instance_begins_anew(quadcopter: Path, tmp_path: Path) -> None:
    def run(fmu: Any, peer: Peer) -> list[list[float]]:
        peer.initialize()
        rows = []
        for k in range(10):
            fmu.doStep(k * STEP, STEP)
            rows.append(peer.get("truth.position.z", "imu.gyro.x"))
        return rows

    with instance(quadcopter, tmp_path) as (fmu, references):
        peer = Peer(fmu, references)
        first = run(fmu, peer)
        fmu.terminate()
        fmu.reset()
        assert run(fmu, peer) == first


def test_seed_and_start_count_from_the_initialization(quadcopter: Path, tmp_path: Path) -> None:
    with instance(quadcopter, tmp_path) as (fmu, references):
        peer = Peer(fmu, references)
        if not peer.is_new:
            fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        peer.set_seed(11)
        peer.set("start.position.z", 4.0)
        peer.set("setpoints.z", 4.5)
        assert peer.get("truth.position.z") == [4.0]
        fmu.exitInitializationMode()
        fmu.doStep(0.0, 20 * STEP)
        found = peer.get("truth.position.z", "imu.gyro.x")
    simulation = direct().simulate(seed=11)
    simulation.reset(start={"position.z": 4.0})
    simulation.intervene(Intervention(0, "steer", "setpoints.z", (4.5,)))
    simulation.advance(20, ahead=True)
    assert found == [simulation.data.qpos[2], float(simulation.reading("imu", "gyro")[0])]


def test_instances_and_different_fmus_live_side_by_side(quadcopter: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.fmu"
    version = 2 if "quad2" in quadcopter.name else 3
    heavy = ["--set", "links.body_FLU.mass=0.9", "--seed", "3", "--fmi", str(version), "--quiet"]
    assert main(["export", "fmu", "quadcopter", "-o", str(other), *heavy]) == 0
    with (
        instance(quadcopter, tmp_path / "a") as (a, references),
        instance(quadcopter, tmp_path / "b") as (b, _),
        instance(other, tmp_path / "c") as (c, _),
    ):
        peers = [Peer(fmu, references) for fmu in (a, b, c)]
        for peer in peers:
            peer.initialize()
        rows = []
        for k in range(40):
            for peer in peers:
                peer.fmu.doStep(k * STEP, STEP)
            rows.append([peer.get("truth.position.z")[0] for peer in peers])
    left, right, loaded = np.array(rows).T
    assert left.tobytes() == right.tobytes()
    assert loaded[-1] < left[-1]
    alone = direct(**{"links.body_FLU.mass": 0.9}).simulate(seed=3)
    alone.advance(40, ahead=True)
    assert loaded[-1] == alone.data.qpos[2]


def test_a_step_that_is_no_whole_number_of_ticks_is_refused_in_words(
    quadcopter: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with instance(quadcopter, tmp_path) as (fmu, references):
        peer = Peer(fmu, references)
        peer.initialize()
        fmu.doStep(0.0, 3 * STEP)
        with pytest.raises(Exception, match=r"doStep|DoStep"):
            fmu.doStep(3 * STEP, 1.5 * STEP)
        fmu.doStep(3 * STEP, STEP)  # the instance is where it was
        assert peer.get("time") == [4 * STEP]
    assert "found a step of 0.00375 s, expected a whole number of ticks of 0.0025 s" in capfd.readouterr().out


def test_the_fmu_of_a_python_without_didymos_says_what_installs_it(quadcopter: Path, tmp_path: Path) -> None:
    code = (
        "import sys, fmpy\n"
        "sys.modules['didymos'] = None\n"  # as in a Python that does not have it
        "fmpy.simulate_fmu(sys.argv[1], stop_time=0.1)\n"
    )
    told = subprocess.run([sys.executable, "-c", code, str(quadcopter)], capture_output=True, text=True, timeout=120)
    assert told.returncode != 0
    assert "this installs it: pip install 'didymos[fmi]'" in (told.stdout + told.stderr).replace("\\'", "'")
    where = Path(fmpy.extract(str(quadcopter), str(tmp_path)))
    page = (where / "documentation" / "index.html").read_text()
    assert "pip install" in page
    assert "didymos[fmi]" in page


def test_the_same_twin_gives_the_same_file(tmp_path: Path) -> None:
    files = [tmp_path / "a" / "x.fmu", tmp_path / "b" / "x.fmu"]
    for file in files:
        assert main(["export", "fmu", "power_unit", "-o", str(file), "--quiet"]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()


URDF = """<robot name="pendulum"><link name="base"/>
<link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="1.0"/>
<inertia ixx="0.02" iyy="0.02" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pivot-1" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""

TWIN = """description: {file: arm.urdf}
start: {joints: {pivot-1: 0.4}}
parts:
  damper: {kind: "damper.py:Damper", link: arm, joint: pivot-1, damping: 0.3}
"""

DAMPER = '''"""A damper."""

from didymos.contract import output, parameter
from didymos.parts.part import Motion, Part, law


class Damper(Part):
    """tau = -d w"""

    motion = Motion.JOINT
    needs_joint = True
    damping = parameter(unit="N m s/rad", low=0)
    torque = output(unit="N m")

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):
        output.torque = -part.damping * here.joint_velocity
        wrench.joint_torque = output.torque
'''


@pytest.fixture
def pendulum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "config"))
    folder = tmp_path / "pendulum"
    folder.mkdir()
    for name, text in {"arm.urdf": URDF, "twin.yaml": TWIN, "damper.py": DAMPER, "old.mcap": "no log", ".secret": "x"}.items():
        (folder / name).write_text(text)
    return folder


def test_a_folder_travels_in_the_fmu_and_its_code_is_asked_about(pendulum: Path, tmp_path: Path) -> None:
    file = tmp_path / "out" / "pendulum.fmu"
    assert main(["export", "fmu", str(pendulum), "-o", str(file), "--quiet"]) == 2  # names code, and is not trusted
    assert not file.exists()
    assert main(["trust", str(pendulum)]) == 0
    assert main(["export", "fmu", str(pendulum), "-o", str(file), "--quiet"]) == 0
    with zipfile.ZipFile(file) as archive:
        held = {name for name in archive.namelist() if name.startswith("resources/twin/")}
        assert held == {f"resources/twin/{name}" for name in ("arm.urdf", "twin.yaml", "damper.py")}
        assert "damper.py:Damper" in archive.read("documentation/index.html").decode()
    assert fmpy.validation.validate_fmu(str(file)) == []
    simulation = didymos.load(pendulum).simulate()
    (pendulum / "twin.yaml").unlink()  # the FMU does not need it any more
    name = "joints.'pivot-1'.position"
    result = fmpy.simulate_fmu(str(file), stop_time=0.2, output=[name])
    log = simulation.run(0.21)["joints.pivot-1.position"]
    own = dict(zip(np.round(log.time, 6), log.values, strict=True))
    rows = zip(np.round(result["time"], 6), result[name], strict=True)
    shared = [(value, own[time]) for time, value in rows if time in own]
    assert len(shared) >= 20
    assert all(a == b for a, b in shared)


def test_a_file_outside_of_the_folder_is_missed_when_the_fmu_is_made(
    pendulum: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    (pendulum / "twin.yaml").write_text(TWIN.replace("arm.urdf", "../arm.urdf"))
    assert main(["trust", str(pendulum)]) == 0
    assert main(["export", "fmu", str(pendulum), "-o", str(tmp_path / "p.fmu")]) == 2
    assert "does not run from what an FMU would hold of it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (["fmi", "quadcopter", "-o", "x.fmu"], "No such command 'fmi'. Did you mean 'fmu'?"),
        (["fmu", "quadcopter", "-o", "x.zip"], "--out: found 'x.zip', expected a file that ends in .fmu"),
    ],
)
def test_what_cannot_be_exported_is_said_in_a_sentence(form: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", *form]) == 2
    assert said in capsys.readouterr().err


def test_a_world_is_an_fmu_with_the_names_of_its_robots(tmp_path: Path) -> None:
    name = "landing"
    assert name in bundled_worlds()
    file = tmp_path / "world.fmu"
    assert main(["export", "fmu", name, "-o", str(file), "--quiet"]) == 0
    assert finds_but_for_names(file) == []
    result = fmpy.simulate_fmu(str(file), stop_time=0.1, output=["drone.truth.position.z"])
    world = didymos.load_world(name)
    often = 1.0 / world.get("world.step")
    world.set_all({path: often for path in world.parameters if path.endswith(("record.rate", "record.tf_rate"))})
    log = world.simulate(seed=0).run(0.12)["drone.truth.position.z"]
    newest = np.searchsorted(log.time, result["time"] + 1e-9) - 1
    assert np.asarray(log.values)[newest].tobytes() == result["drone.truth.position.z"].tobytes()


@pytest.mark.parametrize("name", bundled())
def test_every_bundled_twin_is_an_fmu_without_a_finding(name: str, tmp_path: Path) -> None:
    file, version = tmp_path / f"{name}.fmu", 2 + bundled().index(name) % 2
    assert main(["export", "fmu", name, "-o", str(file), "--fmi", str(version), "--quiet"]) == 0
    assert finds_but_for_names(file) == []
    assert len(outputs_of(file)) > 20


def test_names_are_those_of_the_structured_convention() -> None:
    paths = {
        "links.body.mass": "links.body.mass", "scan.ranges.0": "scan.ranges[0]", "joints.arm-1.q": "joints.'arm-1'.q",
        "links.grün.mass": "links.'gru" + "fcn'.mass", "tf.2nd.x": "tf.'2nd'.x",
    }  # fmt: skip
    assert {path: structured(path) for path in paths} == paths


def test_no_two_variables_share_a_name() -> None:
    names = [item.name for item in variables_of(didymos.load("meldog").simulate())]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("unit", "base"),
    [
        ("N m", {"kg": "1", "m": "2", "s": "-2"}), ("N m/(rad/s)", {"kg": "1", "m": "2", "s": "-1", "rad": "-1"}),
        ("1/(rad s)", {"rad": "-1", "s": "-1"}), ("N s^2/m", {"kg": "1"}), ("T", {"kg": "1", "s": "-2", "A": "-1"}),
        ("rev/s", {"rad": "1", "s": "-1", "factor": repr(2 * np.pi)}), ("m/s/sqrt(Hz)", None), ("m g", None), ("1/T", None),
    ],
)  # fmt: skip
def test_units_are_given_by_their_base_units(unit: str, base: dict[str, str] | None) -> None:
    found = _base(unit)
    assert (None if found is None else dict(found)) == base


def test_bytes_of_a_stranger_are_no_state() -> None:
    saved = TwinInstance(direct("power_unit").simulate()).save()
    good = state_to_bytes(saved)
    assert state_from_bytes(good)["state"].vector.tobytes() == saved["state"].vector.tobytes()
    random = np.random.default_rng(0)
    for bad in (b"", good[:-8], good[:40], b"didymos state 1\n" + bytes(8), good + b"x", bytes(random.integers(0, 256, 500))):
        with pytest.raises(InputError):
            state_from_bytes(bad)


def test_what_cannot_be_set_is_refused_and_changes_nothing() -> None:
    made = TwinInstance(direct("power_unit").simulate())
    of = {item.path: item.reference for item in made.variables if item.causality != "output"}
    output = next(item.reference for item in made.variables if item.causality == "output")
    tunable = next(item for item in made.variables if item.variability == "tunable" and item.low == 0.0)
    made.begin()
    nothing = float("nan")
    for reference, value in ((output, 1.0), (of["seed"], 1), (tunable.reference, -1.0), (tunable.reference, nothing), (10**6, 1)):
        with pytest.raises(InputError):
            made.set([reference], [value])
    assert made.get([tunable.reference]) == [tunable.start]
