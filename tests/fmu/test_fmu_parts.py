"""FMUs of others as parts and as programs of a twin, against closed forms and against the same law in Python."""

from __future__ import annotations

import contextlib
import pickle
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import didymos
from didymos.cli.main import main
from didymos.describe.trust import NotTrusted
from didymos.errors import InputError, RunError
from didymos.fmu.description import read_description

sys.path.insert(0, str(Path(__file__).parent))
from tiny_fmus import description, write_fmu

fmpy = pytest.importorskip("fmpy")
pytest.importorskip("fmpy.validation")

STEP = 0.002  # [s]
MASS = 4.0  # [kg]
SLIDER = f"""<robot name="slider"><link name="rail"/>
<link name="cart"><inertial><mass value="{MASS}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-1000" upper="1000" effort="1e9" velocity="1e9"/></joint></robot>"""

CYLINDER = {
    "kind": "fmu", "file": "cylinder.fmu", "link": "cart", "joint": "slide",
    "reads": {"rod.x": "joint.position", "rod.v": "joint.velocity"}, "acts": {"joint.effort": "F"},
}  # fmt: skip


def twin_of(folder: Path, *, parts: dict[str, Any] | None = None, **sections: Any) -> Path:
    """A cart on a rail without friction, with parts."""
    folder.mkdir(exist_ok=True)
    (folder / "slider.urdf").write_text(SLIDER)
    content = {
        "description": {"file": "slider.urdf"}, "world": {"step": STEP}, "record": {"rate": 1.0 / STEP}, "parts": parts or {},
        "sensors": {"enc": {"kind": "joints", "rate": 1.0 / STEP}}, **sections,
    }  # fmt: skip
    (folder / "twin.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    return folder


def cart(tmp_path: Path, *, saves: bool = True, **more: Any) -> Any:
    """A cart that a hydraulic cylinder drives."""
    folder = tmp_path / "cart"
    folder.mkdir(exist_ok=True)
    write_fmu(folder / "cylinder.fmu", "CYLINDER", saves=saves)
    return didymos.load(twin_of(folder, parts={"lift": {**CYLINDER, **more}}), trust=True)


def drive(simulation: Any, ticks: int) -> Any:
    """The log of some ticks with the valve open, then closed."""
    from didymos.engine.intervention import Intervention

    moves = [Intervention(0, "steer", "inputs.lift", (0.6,)), Intervention(40, "steer", "inputs.lift", (-0.2,))]
    return simulation.run(ticks * STEP, interventions=moves)


def test_a_hydraulic_cylinder_moves_its_cart_as_the_recurrence_says(tmp_path: Path) -> None:
    log = drive(cart(tmp_path).simulate(), 100)
    force, pressure = np.asarray(log["parts.lift.F"].values), np.asarray(log["parts.lift.p"].values)
    velocity, valve = np.asarray(log["joints.slide.velocity"].values), np.asarray(log["inputs.lift"].values)
    # the cylinder's own law, one communication step of one tick: inputs of the tick from which it goes on, held
    p = np.zeros(100)
    for k in range(99):
        p[k + 1] = p[k] + (valve[k] * 2e5 - p[k]) * (1.0 - np.exp(-STEP / 0.05))
    expected = np.concatenate([[0.0], 1e-3 * p[1:] - 20.0 * velocity[:-1]])
    # both sides do the same sums in float64; exp of two libraries may differ in the last bit, over 100 steps
    assert np.allclose(pressure, p, rtol=1e-13, atol=0.0)
    assert np.allclose(force, expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())
    # Newton's law with a force that is held for a step is exact: v_{k+1} = v_k + h F_k / m, but for rounding
    assert np.allclose(np.diff(velocity), STEP * force[:-1] / MASS, rtol=0.0, atol=1e-13)
    assert abs(velocity).max() > 0.1


def test_its_inputs_parameters_and_outputs_are_those_of_the_part(tmp_path: Path) -> None:
    twin = cart(tmp_path, tau=0.1)
    assert twin.get("parts.lift.tau") == 0.1
    assert twin.get("parts.lift.supply") == 2e5
    assert twin.parameters["parts.lift.supply"].unit == "Pa"
    assert twin.parameters["parts.lift.supply"].live
    assert not twin.parameters["parts.lift.area"].live
    simulation = twin.simulate()
    assert simulation.robot.inputs == ("lift",)  # rod.x and rod.v read the joint
    with pytest.raises(InputError, match=r"tau.*found -1"):
        simulation.set("parts.lift.tau", -1.0)


def test_a_tunable_parameter_reaches_it_while_it_runs(tmp_path: Path) -> None:
    simulation = cart(tmp_path).simulate()
    simulation.step({"lift": 1.0}, seconds=0.1)
    before = simulation.readouts("lift")[1]
    simulation.set("parts.lift.supply", 0.0)
    simulation.step({"lift": 1.0}, seconds=0.1)
    # without supply the pressure decays by exp(-t / tau) for the ticks of which it knows: all of them
    assert simulation.readouts("lift")[1] == pytest.approx(before * np.exp(-0.1 / 0.05), rel=1e-9)


@pytest.mark.parametrize("cut", [1, 3, 100])
def test_the_same_run_gives_the_same_bytes_however_it_is_cut(tmp_path: Path, cut: int) -> None:
    whole = drive(cart(tmp_path).simulate(), 60)["joints.slide.position"].values
    simulation = cart(tmp_path).simulate()
    log = drive(simulation, 60)
    assert np.asarray(log["joints.slide.position"].values).tobytes() == np.asarray(whole).tobytes()
    simulation.reset()
    from didymos.engine.intervention import Intervention

    simulation.intervene(Intervention(0, "steer", "inputs.lift", (0.6,)))
    places = []
    while simulation.tick < 30:
        simulation.advance(min(cut, 30 - simulation.tick), ahead=True)
        places.append(simulation.data.qpos[0])
    assert places[-1] == whole[30]


def test_a_saved_run_goes_on_to_the_bit_also_in_another_one(tmp_path: Path) -> None:
    twin = cart(tmp_path)
    simulation = twin.simulate()
    simulation.step({"lift": 0.5}, seconds=0.05)
    state = simulation.save()
    simulation.step({"lift": 0.9}, seconds=0.05)
    first = simulation.data.qpos[0], simulation.readouts("lift").tolist()
    for _ in range(2):
        simulation.restore(state)
        simulation.step({"lift": 0.9}, seconds=0.05)
        assert (simulation.data.qpos[0], simulation.readouts("lift").tolist()) == first
    simulation.reset()
    assert simulation.readouts("lift").tolist() == [0.0, 0.0]


def test_an_fmu_that_cannot_save_its_state_is_refused_where_that_is_asked_and_can_be_reset(tmp_path: Path) -> None:
    simulation = cart(tmp_path, saves=False).simulate()
    simulation.save()  # it has just begun: there is nothing to tell
    simulation.step({"lift": 0.5}, seconds=0.05)
    place = simulation.data.qpos[0]
    with pytest.raises(InputError, match=r"cylinder.fmu of part lift cannot save its state"):
        simulation.save()
    simulation.reset()
    simulation.step({"lift": 0.5}, seconds=0.05)
    assert simulation.data.qpos[0] == place


def test_a_state_that_the_fmu_keeps_for_us_does_not_travel(tmp_path: Path) -> None:
    simulation = cart(tmp_path).simulate()
    simulation.step({"lift": 0.5}, seconds=0.05)
    with pytest.raises(InputError, match="its own process only"):
        pickle.dumps(simulation.save())


def test_a_longer_communication_step_is_held_longer(tmp_path: Path) -> None:
    log = drive(cart(tmp_path, step=5 * STEP).simulate(), 50)
    force = np.asarray(log["parts.lift.F"].values).reshape(10, 5)
    assert (force == force[:, :1]).all()
    assert len(set(force[:, 0])) == 10
    with pytest.raises(InputError, match="whole number of ticks"):
        cart(tmp_path, step=1.5 * STEP).simulate()


def test_a_bouncing_ball_and_a_van_der_pol_run_as_parts(tmp_path: Path) -> None:
    folder = tmp_path / "toys"
    folder.mkdir()
    write_fmu(folder / "ball.fmu", "BALL")
    write_fmu(folder / "vdp.fmu", "VANDERPOL")
    parts = {
        "ball": {"kind": "ball.fmu", "link": "cart", "e": 0.8},
        "slow": {"kind": "fmu", "file": "vdp.fmu", "link": "cart", "mu": 0.5},
        "fast": {"kind": "vdp.fmu", "link": "cart", "mu": 3.0, "acts": {"force.y": "x0"}},
    }
    log = didymos.load(twin_of(folder, parts=parts), trust=True).simulate().run(1.5)
    time, height = np.asarray(log["parts.ball.h"].time), np.asarray(log["parts.ball.h"].values)
    # falls 1 m, and rises again with 0.8 of its speed: until the second bounce both are parabolas
    fall = np.sqrt(2.0 / 9.81)
    up = 0.8 * np.sqrt(2.0 * 9.81)
    since = time - fall
    expected = np.where(since < 0.0, 1.0 - 0.5 * 9.81 * time**2, up * since - 0.5 * 9.81 * since**2)
    once = time < fall + 2.0 * up / 9.81
    assert np.allclose(height[once], expected[once], rtol=0.0, atol=1e-12)
    from scipy.integrate import solve_ivp

    for name, mu in (("slow", 0.5), ("fast", 3.0)):
        t = np.asarray(log[f"parts.{name}.x0"].time)

        def rate(_: float, x: Any, mu: float = mu) -> list[float]:
            return [x[1], mu * (1 - x[0] ** 2) * x[1] - x[0]]

        found = solve_ivp(rate, (0.0, 1.5), [2.0, 0.0], t_eval=t, rtol=1e-10, atol=1e-10)
        # the midpoint rule at 1e-4 s: error of order h^2 times third derivatives of order 10, so below 1e-6
        assert np.allclose(log[f"parts.{name}.x0"].values, found.y[0], rtol=0.0, atol=1e-6)


CONTROL = {
    "program": "fmu", "rate": 100, "gains": {"kp": 3.0},
    "options": {"file": "pi.fmu", "inputs": {"y": "enc.slide.position", "r": "setpoints.x"}, "outputs": {"push": "u"}},
}  # fmt: skip
PUSH = '''from didymos.contract import input
from didymos.control import Controller, Gain
from didymos.contract import setpoint
from didymos.parts.part import Motion, Part, law


class Push(Part):
    """F = u"""

    motion = Motion.JOINT
    force = input(range=(-1e6, 1e6), unit="N")

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):
        wrench.joint_torque = inputs.force


class PI(Controller):
    kp = Gain(3.0)
    x = setpoint()

    def __init__(self):
        self.integral = 0.0

    def update(self, t, measured, setpoints):
        self.integral += 0.01 * (setpoints.x - measured.enc.slide.position)
        return {"push": self.kp * (setpoints.x - measured.enc.slide.position) + 0.5 * self.integral}
'''
SCENARIO = {"go": {"seconds": 1.0, "stimuli": [{"target": "setpoints.x", "kind": "step", "at": 0.1, "to": 2.0}]}}


def controlled(tmp_path: Path, control: dict[str, Any], **sections: Any) -> Any:
    folder = tmp_path / "controlled"
    folder.mkdir(exist_ok=True)
    write_fmu(folder / "pi.fmu", "CONTROLLER")
    (folder / "push.py").write_text(PUSH)
    parts = {"push": {"kind": "push.py:Push", "link": "cart", "joint": "slide"}}
    return didymos.load(twin_of(folder, parts=parts, control=control, scenarios=SCENARIO, **sections), trust=True)


def test_a_controller_by_others_gives_the_bytes_of_the_same_law_in_python(tmp_path: Path) -> None:
    theirs = controlled(tmp_path, CONTROL).simulate(scenario="go").run()
    ours = controlled(tmp_path, {"program": "push.py:PI", "rate": 100}).simulate(scenario="go").run()
    for name in ("joints.slide.position", "inputs.push"):
        assert np.asarray(theirs[name].values).tobytes() == np.asarray(ours[name].values).tobytes()
    assert abs(np.asarray(theirs["joints.slide.position"].values)[-1]) > 0.1


def test_a_program_that_is_an_fmu_can_be_tuned_saved_and_reset(tmp_path: Path) -> None:
    twin = controlled(tmp_path, CONTROL)
    assert twin.get("control.gains.kp") == 3.0
    simulation = twin.simulate(scenario="go")
    simulation.step(seconds=0.3)
    state = simulation.save()
    simulation.step(seconds=0.3)
    first = simulation.data.qpos[0]
    simulation.restore(state)
    simulation.set("control.gains.kp", 30.0)
    simulation.step(seconds=0.3)
    assert simulation.data.qpos[0] != first
    simulation.set("control.gains.kp", 3.0)
    simulation.restore(state)
    simulation.step(seconds=0.3)
    assert simulation.data.qpos[0] == first
    simulation.reset()
    simulation.step(seconds=0.6)
    assert simulation.data.qpos[0] == first
    simulation.set("control.gains.ki", 1.0)
    with pytest.raises(RunError, match="takes ki at its start only"):
        simulation.step(seconds=0.1)
    simulation.close()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (2.0, r"at t = 0.\d+ s: bad.fmu of part pump discards doStep: the pump has run dry"),
        (3.0, "bad.fmu of part pump tells an error in doStep: the pump has run dry"),
        (4.0, "bad.fmu of part pump tells a fatal error in doStep"),
        (9.0, "bad.fmu of part pump says that y is nan"),
    ],
)
def test_an_fmu_that_fails_ends_the_run_in_a_sentence_and_keeps_its_log(tmp_path: Path, status: float, said: str) -> None:
    folder = tmp_path / "bad"
    folder.mkdir()
    write_fmu(folder / "bad.fmu", "FAULTY")
    parts = {"pump": {"kind": "bad.fmu", "link": "cart", "status": status, "after": 5.0}}
    with pytest.raises(RunError, match=said) as failure:
        didymos.load(twin_of(folder, parts=parts), trust=True).simulate().run(0.1)
    assert len(failure.value.log["parts.pump.y"].time) == 6  # it fails on its way to the seventh tick


def mistakes() -> list[tuple[dict[str, Any], str]]:
    return [
        ({"reads": {"rod.y": "joint.position"}}, "cylinder.fmu has no input 'rod.y', did you mean 'rod.v'|'rod.x'"),
        ({"reads": {"rod.x": "joint.positon"}}, "found 'joint.positon', did you mean 'joint.position'"),
        ({"acts": {"joint.effort": "G"}}, "cylinder.fmu has no output 'G'"),
        ({"acts": {"joint.torque": "F"}}, "found 'joint.torque'"),
        ({"joint": None}, "the key 'joint' is missing"),
        ({"taw": 0.1}, "taw.*did you mean 'tau'"),
        ({"file": None}, "an FMU is named by its file"),
        ({"file": "../cylinder.fmu"}, "outside of the twin's folder"),
        ({"file": "none.fmu"}, "there is no such file"),
        ({"step": -1.0}, "expected a time above 0 s"),
    ]


@pytest.mark.parametrize(("change", "said"), mistakes())
def test_a_mistake_in_the_record_of_an_fmu_is_a_sentence(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    write_fmu(tmp_path / "cylinder.fmu", "CYLINDER")
    record = {key: value for key, value in {**CYLINDER, **change}.items() if value is not None}
    folder = tmp_path / "cart"
    folder.mkdir()
    write_fmu(folder / "cylinder.fmu", "CYLINDER")
    with pytest.raises(InputError, match=said):
        didymos.load(twin_of(folder, parts={"lift": record}), trust=True).simulate()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"inputs": {"y": "enc.slide.position"}, "outputs": {"push": "u"}}, "the input 'r' of pi.fmu is connected to nothing"),
        ({"inputs": {"y": "enc.slide.positio", "r": 1.0}, "outputs": {"push": "u"}}, "there is no reading"),
        ({"inputs": {"y": "enc.slide.position", "r": 1.0}, "outputs": {"pull": "u"}}, "there is no input 'pull'"),
        ({"inputs": {"y": "enc.slide.position", "r": 1.0}, "outputs": {"push": "x"}}, "pi.fmu has no output 'x'"),
        ({"inputs": {"y": "enc.slide.position", "r": 1.0}}, "connects no output of pi.fmu"),
        ({"inputs": {"z": "enc.slide.position"}}, "pi.fmu has no input 'z'"),
    ],
)
def test_a_mistake_in_the_options_of_a_program_is_a_sentence(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        controlled(tmp_path, {**CONTROL, "options": {"file": "pi.fmu", **options}}).simulate()


def test_files_that_are_no_fmus_for_us_are_refused_in_words(tmp_path: Path) -> None:
    def archive(**files: str | bytes) -> Path:
        with zipfile.ZipFile(tmp_path / "x.fmu", "w", zipfile.ZIP_DEFLATED) as out:
            for name, content in files.items():
                out.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
        return tmp_path / "x.fmu"

    good = description("BALL")
    evil = f"<!DOCTYPE a [<!ENTITY b 'c'>]>{good[good.index('<fmi') :]}"
    assert read_description(archive(modelDescription_xml=good)).identifier == "ball"
    cases = {
        "it holds no modelDescription.xml": archive,
        "is for model exchange": lambda: archive(modelDescription_xml=description("BALL", kind="ModelExchange")),
        "is of FMI 1.0, expected 2.0 or 3.0": lambda: archive(modelDescription_xml=description("BALL", version="1.0")),
        "is no XML": lambda: archive(modelDescription_xml="<fmiModelDescription"),
        "with a document type": lambda: archive(modelDescription_xml=evil),
        "that cannot be": lambda: archive(modelDescription_xml=good.replace('valueReference="0"', 'valueReference="zero"')),
        "found the model identifier": lambda: archive(modelDescription_xml=good.replace('"ball" can', '"../ball" can')),
        "more than 67108864 bytes": lambda: archive(modelDescription_xml=good + " " * (1 << 26)),
    }
    for said, make in cases.items():
        with pytest.raises(InputError, match=said):
            read_description(make())
    (tmp_path / "y.fmu").write_bytes(b"not a zip archive")
    with pytest.raises(InputError, match="cannot be read as a zip archive"):
        read_description(tmp_path / "y.fmu")


def test_mutated_fmus_are_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    whole = write_fmu(tmp_path / "ball.fmu", "BALL").read_bytes()
    head = whole.index(b"binaries/")  # the model description stands before the library
    random = np.random.default_rng(5)
    for i in range(300):
        data = bytearray(whole)
        for place in random.integers(0, head, 3):
            data[place] = random.integers(0, 256)
        if i % 3 == 0:
            data = data[: random.integers(0, len(data))]
        file = tmp_path / f"m{i}.fmu"
        file.write_bytes(bytes(data))
        with contextlib.suppress(InputError):
            read_description(file)


def test_a_library_for_another_platform_is_refused_when_a_run_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    write_fmu(folder / "ball.fmu", "BALL", platform="win64")
    twin = didymos.load(twin_of(folder, parts={"ball": {"kind": "ball.fmu", "link": "cart"}}), trust=True)
    with pytest.raises(InputError, match=r"holds no library for this platform.*it has: win64"):
        twin.simulate()


def test_an_fmu_is_code_it_is_trusted_first_and_looking_loads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "config"))
    folder = tmp_path / "cart"
    folder.mkdir()
    write_fmu(folder / "cylinder.fmu", "CYLINDER")
    twin_of(folder, parts={"lift": CYLINDER})
    with pytest.raises(NotTrusted, match=r"names code, cylinder.fmu, that runs only in a folder you trust"):
        didymos.load(folder)
    import didymos.fmu.instance as loader

    def load_nothing(*_: Any) -> None:
        raise AssertionError("a library was loaded")

    with monkeypatch.context() as watched:
        watched.setattr(loader, "_fmpy", load_nothing)
        assert main(["show", str(folder)]) == 0
        assert main(["check", str(folder)]) == 0
        told = capsys.readouterr()
        assert "its model description was read and it was not run" in told.out + told.err
        twin = didymos.load(folder, run_code=False)
        assert twin.get("parts.lift.tau") == 0.05
        with pytest.raises(InputError, match=r"was loaded without its code, cylinder.fmu"):
            twin.simulate()
    assert main(["trust", str(folder)]) == 0
    assert main(["run", str(folder), "--seconds", "0.1", "--quiet"]) == 0


def test_a_twin_with_an_fmu_cannot_be_fitted_and_says_so(tmp_path: Path) -> None:
    from didymos.engine.sampler import Sampler
    from didymos.engine.sampling import Sampling

    with pytest.raises(InputError, match="cannot begin in the middle of a recording"):
        Sampler(cart(tmp_path), None, Sampling((), 1, ("joints.slide.position",), 0.1))


@pytest.mark.parametrize("fmi", ["2", "3"])
def test_a_twin_can_be_a_part_of_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fmi: str) -> None:
    """What is exported comes in again: the cart with its cylinder as an FMU, beside the same cart that is not one."""
    pytest.importorskip("pythonfmu")
    pytest.importorskip("pythonfmu3")
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "config"))
    cart(tmp_path)
    folder = tmp_path / "outer"
    folder.mkdir()
    assert main(["trust", str(tmp_path / "cart")]) == 0
    assert main(["export", "fmu", str(tmp_path / "cart"), "-o", str(folder / "cart.fmu"), "--fmi", fmi, "--quiet"]) == 0
    record = {"kind": "cart.fmu", "link": "cart"}
    twin = didymos.load(twin_of(folder, parts={"inner": record}), trust=True)
    simulation = twin.simulate()
    assert simulation.robot.inputs == ("inner",)
    simulation.step({"inner": 0.5}, seconds=0.1)
    alone = cart(tmp_path).simulate()
    alone.step({"lift": 0.5}, seconds=0.1)
    names = [item.name for item in twin.file.parts["inner"].contract.outputs]
    found = simulation.readouts("inner")[names.index("joints_slide_position")]
    # the one that is an FMU has been stepped to the last communication point: one tick less
    assert 0.0 < found < alone.data.qpos[0]
