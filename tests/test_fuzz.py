"""A small share of the mutated inputs of `tools/fuzz`, and the tool itself: what it is there to find, it finds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz_targets import WRONG, Faulty
from fuzzing.target import finding_of, made
from fuzzing.watch import MOST_GROWTH, watch
from fuzzing.worker import TARGETS, find_target

ROOT = Path(__file__).parents[1]
SEED = 20  # another than that of the long run on docs/faults.md


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("twins", 200), ("descriptions", 400), ("logs", 400), ("recordings", 300), ("frames", 3000), ("crtp", 3000),
        ("mavlink", 2000),
    ],
)
def test_mutated_inputs_are_taken_or_refused_in_one_sentence(name: str, count: int, tmp_path: Path) -> None:
    target = find_target(name)(tmp_path)
    taken = 0
    try:
        for index in range(count):
            case = made(target, SEED, name, index)
            good, finding = finding_of(target.attempt, case)
            assert not finding, f"tools/fuzz --seed {SEED} --only {name} --case {index}: {finding}"
            taken += good
    finally:
        target.close()
    assert 0.05 * count < taken < 0.98 * count  # neither all nonsense nor all sound


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "frames"])  # whose wires can be opened only once
def test_a_case_follows_from_seed_kind_and_number(name: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = find_target(name)(tmp_path / "a"), find_target(name)(tmp_path / "b")
    cases = [made(one, 5, name, i) for i in range(20)]
    assert cases == [made(other, 5, name, i) for i in range(20)]
    assert cases != [made(other, 6, name, i) for i in range(20)]


def test_the_tool_finds_each_kind_of_fault_and_goes_on_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    name, seed, count = "fuzz_targets:Faulty", 1, 60
    kinds = [made(Faulty(tmp_path), seed, name, i).kind for i in range(count)]
    assert set(WRONG) <= set(kinds)
    result = watch(name, seed, count, hang=0.5)
    assert sorted(finding.case for finding in result.findings) == [i for i, kind in enumerate(kinds) if kind in WRONG]
    said = {kinds[finding.case]: finding.what for finding in result.findings}
    assert "KeyError" in said["raises"]
    assert "status -6" in said["aborts"]
    assert "a warning" in said["prints"]
    assert said["hangs"] == "hung"
    assert "not one plain sentence" in said["mumbles"]
    assert result.tried == count
    assert not result.ok


def test_the_tool_sees_memory_that_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
    result = watch("fuzz_targets:Leaky", 1, 100)
    assert result.findings == []
    assert result.growth > MOST_GROWTH
    assert not result.ok


def test_the_command_says_what_it_did_and_tries_one_case_again() -> None:
    words = [sys.executable, str(ROOT / "tools" / "fuzz"), "--seed", "4", "--only", "logs"]
    done = subprocess.run([*words, "--count", "30"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("logs: 30 cases, seed 4, ")
    one = subprocess.run([*words, "--case", "7"], capture_output=True, text=True)
    assert one.returncode == 0, one.stdout + one.stderr
    assert one.stdout.startswith("log.")
