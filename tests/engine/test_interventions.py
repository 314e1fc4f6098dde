"""What a person does to a run is applied at a tick, remembered, and repeated to the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import didymos
from didymos import InputError, Log
from didymos.cli.main import main
from didymos.control.idle import Idle
from didymos.describe.twin import Twin
from didymos.engine.given import Given
from didymos.engine.intervention import Intervention, InterventionLog, load_interventions, save_interventions
from didymos.engine.run import Run
from didymos.parts.drive import Drive

STILL = {"step": 0.001, "integrator": "rk4", "gravity": 0.0}


@pytest.fixture(scope="module")
def power_unit() -> Twin:
    """The bundled power unit."""
    return didymos.load("power_unit")


def fly_by_hand(quadcopter: Twin, file: Path) -> Run:
    """Two seconds of hovering in uneven slices, with one deed of every kind."""
    run = Run(quadcopter.simulate(scenario="hover", seed=3), file)
    run.intervene("set", "control.gains.height.kp", 0.5)
    run.advance(101)
    run.intervene("steer", "setpoints.roll", 0.1)
    run.advance(199)
    run.intervene("steer", "setpoints.roll", 0.0)
    run.intervene("push", "body_FLU", 0.4, 0.1, 0.2)
    run.advance(7)
    run.intervene("push", "body_FLU", 0.0, 0.0, 0.0)
    run.intervene("steer", "inputs.motor1", 0.01)
    run.advance(493)
    run.intervene("set", "links.body_FLU.mass", 0.9)  # after the last tick: changes nothing, and is not forgotten
    run.close()
    return run


@pytest.mark.parametrize("source", ["by_hand.yaml", "by_hand.mcap"])
def test_a_run_by_hand_is_repeated_to_the_same_bytes(quadcopter: Twin, tmp_path: Path, source: str) -> None:
    run = fly_by_hand(quadcopter, tmp_path / "by_hand.mcap")
    save_interventions(tmp_path / "by_hand.yaml", run.intervention_log())
    done = load_interventions(tmp_path / source)
    assert done == run.intervention_log()
    simulation = quadcopter.simulate(scenario=done.scenario, seed=done.seed)
    log = simulation.run(done.seconds, record=tmp_path / "again.mcap", interventions=done.interventions)
    assert log.sha256 == run.log.sha256
    assert (tmp_path / "again.mcap").read_bytes() == (tmp_path / "by_hand.mcap").read_bytes()


def test_a_log_names_the_file_of_a_program_without_its_folder() -> None:
    given = Given({}, r"a=/home/me/hold.py:Hold,b=C:\me\net.npz,c=package.module:Hold")
    assert given.metadata == {"control": "a=hold.py:Hold,b=net.npz,c=package.module:Hold"}
    assert Given({}, "../policy.npz").metadata == {"control": "policy.npz"}


@pytest.mark.parametrize("source", ["by_hand.yaml", "by_hand.mcap"])
def test_a_recording_tells_what_the_twin_was_given_before(
    quadcopter: Twin, tmp_path: Path, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    twin = quadcopter.copy()
    twin.replace_program("multirotor_pd", gains={"height": {"hover": 0.5}}, options={"sensor": "state"})
    twin.set("parts.drag.area_x", 0.01)
    run = Run(twin.simulate(scenario="hover"), tmp_path / "by_hand.mcap")
    run.intervene("steer", "setpoints.roll", 0.01)
    run.advance(8)
    run.close()
    save_interventions(tmp_path / "by_hand.yaml", run.intervention_log())
    options = ["--set", "parts.drag.area_x=0.01", "--control", "multirotor_pd"]
    given = load_interventions(tmp_path / source).given
    assert given.options == [("set", "parts.drag.area_x=0.01"), ("control", "multirotor_pd")]
    assert " ".join(options) in (tmp_path / "by_hand.yaml").read_text().partition("\n")[0]
    for again, said in ((options, False), ([], True)):
        assert main(["run", "quadcopter", *again, "--interventions", str(tmp_path / source)]) == 0
        assert (f"was made with {' '.join(options)}" in capsys.readouterr().err) is said


def test_each_deed_changes_the_run(quadcopter: Twin, tmp_path: Path) -> None:
    everything = fly_by_hand(quadcopter, tmp_path / "by_hand.mcap").intervention_log()
    seen = set()
    for left_out in range(6):
        some = [item for i, item in enumerate(everything.interventions) if i != left_out]
        simulation = quadcopter.simulate(scenario="hover", seed=3)
        seen.add(simulation.run(everything.seconds, interventions=some).sha256)
    assert len(seen) == 6


def test_slices_of_any_length_give_the_bytes_of_one_run(quadcopter: Twin, tmp_path: Path) -> None:
    whole = quadcopter.simulate(scenario="hover").run(2.0, record=tmp_path / "whole.mcap")
    run = Run(quadcopter.simulate(scenario="hover"), tmp_path / "slices.mcap")
    for count in (1, 3, 315, 7, 474):
        run.advance(count)
    run.close()
    assert run.log.sha256 == whole.sha256
    assert (tmp_path / "slices.mcap").read_bytes() == (tmp_path / "whole.mcap").read_bytes()


def test_a_push_gives_a_free_body_the_speed_of_its_impulse(make_twin: Any) -> None:
    simulation = make_twin(world=STILL).simulate()
    run = Run(simulation)
    run.intervene("push", "body", 3.0, 0.0, -1.5)
    run.advance(10)  # ticks of 10 ms: an impulse of 0.3 N s on 1.5 kg
    run.intervene("push", "body", 0.0, 0.0, 0.0)
    run.advance(50)
    assert simulation.data.qvel[:3] == pytest.approx([0.2, 0.0, -0.1], abs=1e-12)


def test_a_recording_that_starts_late_holds_the_whole_run(quadcopter: Twin, tmp_path: Path) -> None:
    run = Run(quadcopter.simulate(scenario="hover"))
    run.advance(333)
    run.intervene("steer", "setpoints.z", 0.5)
    run.start_recording(tmp_path / "late.mcap")
    run.advance(200)
    run.stop_recording()
    assert Log.load(tmp_path / "late.mcap").sha256 == run.log.sha256
    assert load_interventions(tmp_path / "late.mcap") == run.intervention_log()


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("steer", "setpoints.rol", (1.0,)),
        ("push", "nothing", (0.0, 0.0, 1.0)),
        ("set", "world.step", (0.1,)),
        ("set", "control.gains.height.kp", (-1.0,)),
        ("steer", "setpoints.roll", (float("nan"),)),
        ("push", "body_FLU", (1.0,)),
        ("jump", "body_FLU", (1.0,)),
    ],
)
def test_a_deed_that_does_not_fit_is_refused_and_forgotten(
    quadcopter: Twin, kind: str, path: str, value: tuple[float, ...]
) -> None:
    run = Run(quadcopter.simulate(scenario="hover"))
    with pytest.raises(InputError):
        run.intervene(kind, path, *value)
    assert run.interventions == []


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "twin: a",
        "interventions: 3",
        "twin: a\nscenario: b\nseed: x\nseconds: 1\ninterventions: []",
        "twin: a\nscenario: b\nseed: 1\nseconds: 1\ninterventions: [{tick: 1}]",
    ],
)
def test_a_file_that_says_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "done.yaml").write_text(text)
    with pytest.raises(InputError):
        load_interventions(tmp_path / "done.yaml")


def test_numbers_come_back_to_the_bit() -> None:
    item = Intervention(7, "push", "body", (0.1 + 0.2, 1e-300, -1 / 3))
    import json

    assert Intervention.read(json.loads(item.text)) == item


def test_a_run_that_keeps_nothing_has_all_deeds_in_its_recording(quadcopter: Twin, tmp_path: Path) -> None:
    kept = Run(quadcopter.simulate(scenario="hover"))
    streamed = Run(quadcopter.simulate(scenario="hover"), tmp_path / "streamed.mcap", keep=False)
    for run in (kept, streamed):
        for i in range(40):
            run.intervene("steer", "setpoints.z", 0.01 * i)
            run.advance(30)
        run.close()
    assert streamed.interventions == []
    assert load_interventions(tmp_path / "streamed.mcap") == kept.intervention_log()


def test_the_inputs_of_a_part_are_steered_at_once(power_unit: Twin) -> None:
    command = (0.25, 0.0, 0.0, 1.0, 1.0, 10.0, 1.0, 0.0, -1.0)  # hold a quarter turn, without a watchdog
    at_once, one_by_one = (Run(power_unit.simulate(control=Idle())) for _ in range(2))
    at_once.intervene("steer", "inputs.drive", *command)
    for item, value in zip(Drive.inputs, command, strict=True):
        one_by_one.intervene("steer", f"inputs.drive.{item.name}", value)
    for run in (at_once, one_by_one):
        run.advance(500)
        run.close()
    assert at_once.log.sha256 == one_by_one.log.sha256
    stuck = (0.0656 + 0.012) / 1.7  # [rev] dry friction and breakaway over the stiffness
    assert at_once.log["parts.drive.position"].values[-1] == pytest.approx(0.25, abs=stuck)
    with pytest.raises(InputError, match="expected 9"):
        at_once.intervene("steer", "inputs.drive", 0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{twin: a, scenario: null, seconds: 1, interventions: []}", "there is no key 'seed'"),
        ("{twin: a, scenario: null, seed: null, seconds: 1, interventions: []}", "expected numbers for seed and seconds"),
        ("{twin: a, scenario: null, seed: 1, seconds: 1, interventions: 3}", "expected numbers for seed and seconds"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_in_plain_words(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "done.yaml").write_text(text)
    with pytest.raises(InputError, match=said):
        load_interventions(tmp_path / "done.yaml")


def test_a_number_beyond_all_numbers_is_refused() -> None:
    with pytest.raises(InputError, match="expected numbers for tick and value"):
        Intervention.read({"tick": 1, "kind": "steer", "path": "setpoints.z", "value": [10**400]})


def test_an_hour_with_the_sticks_in_hand_is_read_again(tmp_path: Path) -> None:
    """More than a twin file may hold: 50 a second."""
    steered = tuple(Intervention(8 * i, "steer", 'setpoints."z"', (0.1 * i,)) for i in range(180_000))
    done = (*steered, Intervention(10**7, "push", "body", (0.0, -1e-300, 2.5)))
    log = InterventionLog("quadcopter", "hover", 7, 3600.0, done, piloted=True, branched=(3,))
    save_interventions(tmp_path / "hour.yaml", log)
    assert load_interventions(tmp_path / "hour.yaml") == log
