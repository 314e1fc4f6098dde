"""Falsification finds what is planted in few runs, says what of it is needed, and repeats it to the bit."""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.cli.main import main
from didymos.describe.scenario_file import add_scenarios
from didymos.engine.verdict import Verdict
from didymos.errors import InputError
from didymos.studies.least_margin import least_margin, scales
from didymos.studies.margin import margin
from didymos.studies.sweep import sweep
from didymos.studies.trial import Trial

pytest.importorskip("rtamt")

# a mass on a spring of 40 N/m: pushed by 1 N at its own frequency, it swings by 1 / (c w)
SPRING = """<mujoco><worldbody><body name="mass"><joint name="slide" type="slide" axis="1 0 0" stiffness="40" damping="2"/>
  <geom size=".1" mass="1"/></body></worldbody></mujoco>"""
PUSHED = {
    "seconds": 8.0,
    "stimuli": [{"target": "push.mass.x", "kind": "sine", "amplitude": 1.0, "frequency": 0.2}],
    "expect": [{"name": "swings little", "stl": "always(abs(joints.slide.position) < 0.2)"}],
}
RANGES = {
    "scenarios.pushed.stimuli.0.frequency": (0.05, 3.0),
    "links.mass.mass": (0.5, 3.0),
    "joints.slide.damping": (0.2, 4.0),
    "world.gravity": (9.0, 10.0),
}
"""Of which gravity, across the slide, does nothing."""


def spring(make_twin: Any, **keys: Any) -> Any:
    about = {**PUSHED, **keys}
    return make_twin(SPRING, world={"step": 0.01, "integrator": "implicitfast"}, record={"rate": 50}, scenarios={"pushed": about})


def test_a_resonance_is_found_in_few_runs_and_made_smaller(make_twin: Any) -> None:
    """It takes c w <= 5 N/m near w = sqrt(k / m): 0.6 % of the volume; 72 runs drawn at random find it in a third of cases."""
    twin = spring(make_twin)
    for seed in range(6):
        result = didymos.falsify(twin, RANGES, scenario="pushed", seed=seed, runs=100)
        assert result.found, seed
        assert len(result.trials) <= 72, seed
        small = result.smallest.values
        assert not result.smallest.ok
        assert "world.gravity" not in small  # not needed
        assert {"joints.slide.damping", "scenarios.pushed.stimuli.0.frequency"} <= set(small)
        damping = small["joints.slide.damping"]
        mass = small.get("links.mass.mass", 1.0)
        assert 0.99 * result.worst.values["joints.slide.damping"] <= damping < 2.0  # nearer to the nominal one, but for digits
        assert damping * math.sqrt(40.0 / mass) < 6.0
        assert 2.0 * math.pi * small["scenarios.pushed.stimuli.0.frequency"] == pytest.approx(math.sqrt(40.0 / mass), rel=0.25)


def test_plain_sampling_of_as_many_runs_mostly_misses_it(make_twin: Any) -> None:
    trials = sweep(spring(make_twin), RANGES, runs=144, scenario="pushed", seed=5)
    assert sum(not trial.ok for trial in trials) <= 3  # 0.9 of 144 are to be expected


def test_any_number_of_threads_finds_the_same(make_twin: Any) -> None:
    one, three = (
        didymos.falsify(spring(make_twin), RANGES, scenario="pushed", seed=3, runs=40, threads=threads) for threads in (1, 3)
    )
    assert one.trials == three.trials
    assert one.shrunk == three.shrunk


def test_the_worst_is_worse_than_the_first(make_twin: Any) -> None:
    twin, told = spring(make_twin), []
    first = didymos.falsify(twin, RANGES, scenario="pushed", seed=1, runs=80, smaller=False)
    worst = didymos.falsify(
        twin, RANGES, scenario="pushed", seed=1, runs=80, smaller=False, worst=True, progress=lambda *about: told.append(about)
    )
    assert len(first.trials) < len(worst.trials) == 80
    assert worst.trials[: len(first.trials)] == first.trials
    assert worst.worst.verdicts[0].value < first.worst.verdicts[0].value
    assert told[-1] == (80, worst.worst, worst.worst.verdicts[0])


def test_that_none_was_found_is_said_with_how_near_it_came(make_twin: Any) -> None:
    result = didymos.falsify(
        spring(make_twin), {"links.mass.mass": (0.9, 1.1)}, scenario="pushed", seed=0, runs=20
    )
    assert not result.found
    assert len(result.trials) == 20
    assert result.shrunk is None
    assert result.worst.verdicts[0].value == min(trial.verdicts[0].value for trial in result.trials)


def test_a_twin_that_falls_short_as_it_is_needs_no_parameter(make_twin: Any) -> None:
    twin = spring(make_twin, expect=[{"name": "still", "signal": "joints.slide.position", "measure": "max", "high": 1e-6}])
    result = didymos.falsify(twin, RANGES, scenario="pushed", seed=0, runs=20)
    assert result.found
    assert dict(result.smallest.values) == {}


def test_a_smaller_counter_example_stays_within_its_ranges(make_twin: Any) -> None:
    """The nominal damping of 2 N s/m lies outside: what is left of it is the end of its range that is nearer."""
    ranges = {**RANGES, "joints.slide.damping": (0.2, 0.6)}
    result = didymos.falsify(spring(make_twin), ranges, scenario="pushed", seed=2, runs=60)
    assert result.found
    assert 0.2 <= result.smallest.values["joints.slide.damping"] <= 0.6
    assert "world.gravity" not in result.smallest.values


def test_a_run_that_fails_is_a_counter_example(make_twin: Any) -> None:
    twin = make_twin(
        world={"gravity": 0.0, "boundary": 10.0, "ground": None, "step": 0.01},
        scenarios={"fly": {"seconds": 1.0, "expect": [{"name": "level", "signal": "truth.tilt", "measure": "max", "high": 1}]}},
    )
    result = didymos.falsify(twin, {"start.velocity.x": (0.0, 20.0)}, scenario="fly", seed=0, runs=30)
    assert result.found
    assert result.worst.error is not None
    assert result.decisive(result.worst) is None
    assert 10.0 <= result.smallest.values["start.velocity.x"] <= 11.3  # within a sixteenth of the way from 20


@pytest.mark.parametrize(
    ("ranges", "keys", "said"),
    [
        ({}, {}, "nothing varies"),
        ({"links.mass.mass": (2.0, 1.0)}, {}, "expected the smaller number first"),
        ({"links.mas.mass": (1.0, 2.0)}, {}, "did you mean 'links.mass.mass'"),
        ({"links.mass.mass": (1.0, 2.0)}, {"expect": []}, "nothing is expected in this scenario"),
        ({"scenarios.pushed.stimuli.1.frequency": (1.0, 2.0)}, {}, r"did you mean 'scenarios.pushed.stimuli.0.frequency'"),
    ],
)
def test_what_cannot_be_searched_is_refused(make_twin: Any, ranges: Any, keys: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        didymos.falsify(spring(make_twin, **keys), ranges, scenario="pushed", runs=4)


def test_a_misspelt_scenario_is_refused(make_twin: Any) -> None:
    with pytest.raises(InputError, match="has no scenario 'pushd', did you mean 'pushed'"):
        didymos.falsify(spring(make_twin), {"links.mass.mass": (1.0, 2.0)}, scenario="pushd", runs=4)


def test_margins_are_distances_from_the_nearer_bound_in_scales_of_their_own() -> None:
    both = Verdict("both", 0.4, 0.0, 1.0, True, "m")
    low, none = Verdict("low", -3.0, -1.0, None, False, "rad"), Verdict("none", None, 0.0, None, None)
    assert [margin(verdict) for verdict in (both, low)] == [0.4, -2.0]
    assert math.isnan(margin(none))
    trials = [Trial(0, {}, (both, low, none), None), Trial(0, {}, (), "fell over")]
    scale = scales(trials)
    assert scale == {"both": 0.4, "low": 2.0}
    assert least_margin(trials[0], scale) == (-1.0, low)
    assert least_margin(trials[1], scale) == (-math.inf, None)


# the command


def words(folder: Path, *more: str) -> list[str]:
    varied = [word for path, (low, high) in RANGES.items() for word in ("--vary", f"{path}={low}:{high}")]
    return ["falsify", str(folder), "--scenario", "pushed", "--runs", "80", *varied, *more]


def test_the_command_prints_what_repeats_the_counter_example(make_twin: Any, tmp_path: Path, capsys: Any) -> None:
    folder = spring(make_twin).folder
    files = {name: str(tmp_path / f"found.{end}") for name, end in (("output", "yaml"), ("record", "mcap"), ("plot", "png"))}
    given = [word for name, file in files.items() for word in (f"--{name}", file)]
    assert main(words(folder, "--seed", "1", "--json", *given, "--table", str(tmp_path / "runs.csv"))) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts["found"]
    assert {name: facts[name] for name in files} == files
    assert len((tmp_path / "runs.csv").read_text().splitlines()) == facts["runs"] + 1
    again = shlex.split(facts["repeat"])
    assert again[:2] == ["didymos", "run"]
    assert main([*again[1:], "--json"]) == 1
    ran = json.loads(capsys.readouterr().out)
    assert ran["expectations"] == facts["smallest"]["expectations"]
    assert ran["expectations"][0]["value"] == facts["smallest"]["robustness"] < 0.0
    assert didymos.Log.load(files["record"]).sha256 == ran["log_sha256"]
    assert Path(files["plot"]).read_bytes()[:4] == b"\x89PNG"
    assert main(["run", str(folder), "--scenario", "pushed", "--seed", "1", "--with", files["output"], "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["expectations"] == ran["expectations"]


def test_the_command_says_in_words_what_it_found(make_twin: Any, capsys: Any) -> None:
    folder = spring(make_twin).folder
    assert main(words(folder, "--seed", "1")) == 1
    said = capsys.readouterr()
    assert "not needed" in said.out
    assert "again: didymos run" in said.out
    assert "didymos: swings little: found -" in said.err
    assert main(["falsify", str(folder), "--scenario", "pushed", "--vary", "links.mass.mass=0.9:1.1", "--runs", "9"]) == 0
    said = capsys.readouterr()
    assert "no counter-example in 9 runs, which is no proof; least robustness 0.1" in said.out


def test_files_that_could_not_be_written_are_refused_before_the_search(make_twin: Any, capsys: Any) -> None:
    folder = spring(make_twin).folder
    assert main(words(folder, "--plot", "found.txt")) == 2
    assert "--plot: found 'found.txt', expected a file that ends in .png or .svg or .pdf" in capsys.readouterr().err
    assert main(["falsify", str(folder), "--scenario", "pushed"]) == 2
    assert "--vary: nothing varies" in capsys.readouterr().err


# planted in bundled twins: docs/falsify.md has the figures of twenty seeds each

PLANTED = Path(__file__).parents[2] / "examples" / "falsify"


def planted(name: str) -> tuple[Any, str, dict[str, tuple[float, float]]]:
    """A bundled twin with the scenario of `examples/falsify`, and the ranges that stand there."""
    twin, file = didymos.load(name), PLANTED / f"{name}.yaml"
    own = set(twin.scenarios)
    add_scenarios(twin, file)
    flag = "#   --vary "
    given = [line.removeprefix(flag).strip("'").split("=") for line in file.read_text().splitlines() if line.startswith(flag)]
    ranges = {path: (float(ends.split(":")[0]), float(ends.split(":")[1])) for path, ends in given}
    return twin, next(iter(set(twin.scenarios) - own)), ranges


@pytest.mark.parametrize("name", ["quadcopter", "omni_base", "power_unit"])
def test_what_is_planted_in_a_bundled_twin_is_found(name: str) -> None:
    twin, scenario, ranges = planted(name)
    result = didymos.falsify(twin, ranges, scenario=scenario, seed=0, runs=120, smaller=False)
    assert result.found
    assert np.min([verdict.value for verdict in result.worst.verdicts]) < 0.0
