"""The worlds whose cost is told: as many robots as asked for, each where it shall be, in wind and gusts, and it stays there."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import didymos


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    path = Path(__file__).parent.parent / "tools" / "world_cost.py"
    spec = importlib.util.spec_from_file_location("world_cost", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_robots_hold_their_places_in_gusts_of_their_own(tool: ModuleType, tmp_path: Path) -> None:
    world = didymos.load_world(tool.write_world(tmp_path, 5))
    log = world.simulate(scenario="hold").run(3.0)
    assert log.robots == ("q1", "q2", "q3", "q4", "q5")
    ends = {robot: [log[f"{robot}.truth.position.{axis}"].values[-1] for axis in "xyz"] for robot in log.robots}
    for i, end in enumerate(ends.values()):
        place = (tool.APART * (i % 3), tool.APART * (i // 3), tool.HEIGHT)
        assert end == pytest.approx(place, abs=3.0)  # the scenario's own bound
    drifts = {round(end[0] - tool.APART * (i % 3), 6) for i, end in enumerate(ends.values())}
    assert len(drifts) == 5  # no two robots met the same gusts


def test_a_turn_counts_steps_of_all_robots(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "TURN", 0.05)
    monkeypatch.setattr(tool, "TURNS", 1)
    found = tool.in_turns(tmp_path, [1, 2])
    assert set(found) == {1, 2}
    assert found[1]["step_ratio"] == found[1]["process_ratio"] == 1.0
    assert found[2]["step_ratio"] == pytest.approx(found[2]["step_us"] / found[1]["step_us"])
