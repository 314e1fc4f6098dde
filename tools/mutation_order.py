"""pytest's plugin of `tools/mutate`: the tests that are likeliest to fail run first, and what became of each is written down.

A plan (JSON, `--plan FILE`) says

    groups     test file -> number; files of lower numbers run first
    killers    tests that failed on earlier mutants of the same file, the latest first: they run before all others
    seconds    test -> CPU time that it took on the unchanged source; cheap ones run before dear ones
    most       CPU time [s] after which the process is ended: a mutant may go round in circles for ever
    outcome    file to write: {"failed": a test or None, "seconds": {test: CPU time}}
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one flag."""
    parser.addoption("--plan", type=Path, required=True)


def pytest_configure(config: pytest.Config) -> None:
    """Order and watch the tests of this process."""
    config.pluginmanager.register(Order(json.loads(config.getoption("--plan").read_text())))


class Order:
    """Orders the tests by a plan and writes its outcome."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._failed: str | None = None
        self._seconds: dict[str, float] = {}
        most = int(plan["most"])
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Killers, then group by group, the cheapest first."""
        killers = {test: rank for rank, test in enumerate(self._plan["killers"])}
        groups, seconds = self._plan["groups"], self._plan["seconds"]
        items.sort(
            key=lambda item: (
                killers.get(item.nodeid, len(killers)),
                groups[str(item.path)],
                seconds.get(item.nodeid, 0.0),
            )
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """CPU time of a test with its fixtures."""
        began = time.process_time()
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] = round(time.process_time() - began, 3)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the first test that failed."""
        if report.failed and self._failed is None:
            self._failed = report.nodeid

    def pytest_sessionfinish(self) -> None:
        """Write what became of the tests."""
        outcome = {"failed": self._failed, "seconds": self._seconds}
        Path(self._plan["outcome"]).write_text(json.dumps(outcome))
