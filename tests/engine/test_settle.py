"""Which program a new twin keeps, by what it does under it: `legged`, or `joints` where that alone keeps it up."""

from __future__ import annotations

from pathlib import Path

import pytest

import didymos
from described_robots import quadruped
from didymos.describe.new import draft_twin, write_twin
from didymos.engine import settle as module
from didymos.engine.settle import TRIAL, Made, Settled, settle
from didymos.engine.simulation import Simulation
from didymos.engine.trial import Trial
from didymos.errors import InputError, RunError

STANDS, FALLS = ("stands", True), ("falls over: it turned", False)
DIVERGES = RunError("left the world", time=0.5)
REFUSED = InputError("no posture was found")


def settled(folder: Path, monkeypatch: pytest.MonkeyPatch, legged: object, joints: object) -> Settled:
    """What is kept of a robot on four legs that does these things under its programs."""
    ran = []

    def acts(twin: didymos.Twin, simulation: Simulation, seconds: float) -> Trial:
        assert twin.file.control is not None
        ran.append((twin.file.control.program, seconds))
        does = {"legged": legged, "joints": joints}[twin.file.control.program]
        if isinstance(does, Exception):
            raise does
        verdict, well = does  # type: ignore[misc]
        return Trial(verdict, well, seconds, 0.0, "", 0.3, 0.0, 0.0)

    monkeypatch.setattr(module, "try_twin", acts)
    (folder / "dog.urdf").write_text(quadruped())
    made, draft = write_twin("dog", folder / "dog.urdf", folder)
    standing = Made(made, folder / "dog.urdf", draft, lambda: draft_twin(folder / "dog.urdf", walks=False))
    found = settle(standing, lambda folder: didymos.load(folder, trust=True))
    assert ran[0] == ("legged", TRIAL)
    return found


@pytest.mark.parametrize(
    ("legged", "joints", "kept"),
    [
        (STANDS, FALLS, "legged"), (FALLS, STANDS, "joints"), (FALLS, FALLS, "legged"), (FALLS, DIVERGES, "legged"),
        (DIVERGES, STANDS, "joints"), (DIVERGES, FALLS, "joints"), (REFUSED, STANDS, "joints"),
    ],
)  # fmt: skip
def test_the_program_that_is_kept_is_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, legged: object, joints: object, kept: str
) -> None:
    found = settled(tmp_path, monkeypatch, legged, joints)
    assert found.draft.program.name == kept
    for twin in (found.twin, didymos.load(tmp_path / "dog", trust=True)):
        assert twin.file.control is not None
        assert twin.file.control.program == kept
    assert any("it holds its posture instead" in warning for warning in found.draft.warnings) == (kept == "joints")


@pytest.mark.parametrize("joints", [DIVERGES, REFUSED])
def test_what_ends_the_run_under_both_is_raised_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, joints: Exception
) -> None:
    with pytest.raises(RunError, match="fell through"):
        settled(tmp_path, monkeypatch, RunError("fell through the floor", time=0.2), joints)
    assert "program: legged" in (tmp_path / "dog" / "twin.yaml").read_text()
