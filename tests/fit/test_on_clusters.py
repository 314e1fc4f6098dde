"""`fit` and `validate` on a cluster: no run is made in this process, and every number is that of threads, to the bit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from didymos.cli.main import main
from didymos.cluster.threads import ThreadExecutor
from didymos.describe.twin import Twin

pytest.importorskip("ray")
pytest.importorskip("distributed")


@pytest.mark.parametrize(("verb", "cluster"), [("fit", "ray"), ("validate", "dask")])  # a start of each: they cost seconds
def test_the_runs_are_made_by_the_workers_of_the_cluster(
    verb: str, cluster: str, bench: Twin, record: Callable[..., Path], monkeypatch: Any, capsys: Any
) -> None:
    command = [verb, str(bench.folder), f"{record()}=sine", "--set", "parts.drive.coulomb=0.1", "--threads", "2", "--json"]
    assert main(command) == 0
    here = json.loads(capsys.readouterr().out)

    def refuse(*_: Any) -> None:
        raise AssertionError("work was done on threads of this process")

    monkeypatch.setattr(ThreadExecutor, "run", refuse)
    assert main([*command, "--cluster", cluster]) == 0
    there = json.loads(capsys.readouterr().out)
    assert there | {"seconds": 0} == here | {"seconds": 0}  # that it took
