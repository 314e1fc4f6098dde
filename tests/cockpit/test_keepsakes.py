"""Files that pages send into the cockpit's folder: whole ones under a name of ours, and nothing else."""

from __future__ import annotations

import base64
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from didymos.cockpit.feed import Feed
from didymos.cockpit.keepsakes import Keepsakes
from didymos.cockpit.session import Session
from didymos.describe.twin import Twin

from .conftest import wait_until

PNG = b"\x89PNG" + bytes(range(200))


@pytest.fixture
def told(tmp_path: Path) -> Any:
    feed, said = Feed(), []
    session = SimpleNamespace(folder=tmp_path / "kept", twin=SimpleNamespace(name="box"), notify=lambda *text: said.append(text))
    Keepsakes(feed, session, lambda name, content: None)  # type: ignore[arg-type]
    page = object()

    def send(data: Any, *, kind: Any = "png", first: bool = True, last: bool = True) -> None:
        text = base64.b64encode(data).decode() if isinstance(data, bytes) else data
        feed._handlers["out.part"](page, {"kind": kind, "first": first, "last": last, "data": text})  # type: ignore[arg-type]

    return SimpleNamespace(send=send, said=said, folder=session.folder)


def test_a_file_in_parts_is_kept_whole_and_overwrites_nothing(told: Any) -> None:
    for count in (1, 2):
        told.send(PNG[:50], last=False)
        told.send(PNG[50:], first=False)
        wait_until(lambda count=count: len(told.said) == count, "it is kept")
    assert [file.name for file in sorted(told.folder.iterdir())] == ["box-001.png", "box-002.png"]
    assert {file.read_bytes() for file in told.folder.iterdir()} == {PNG}


@pytest.mark.parametrize(
    "part",
    [
        {"data": PNG, "first": False},
        {"data": PNG, "kind": "exe"},
        {"data": PNG, "kind": "../png"},
        {"data": b"MZ" + PNG},
        {"data": "no base64!"},
        {"data": None},
    ],
)
def test_what_is_no_picture_is_dropped(told: Any, part: dict[str, Any]) -> None:
    told.send(**part)
    told.send(PNG)
    wait_until(lambda: told.said, "the next one is kept")
    assert [file.read_bytes() for file in told.folder.iterdir()] == [PNG]


def test_a_run_is_shared_once_something_has_happened(quadcopter: Twin, tmp_path: Path) -> None:
    said: list[tuple[str, str]] = []
    session = Session(quadcopter, folder=tmp_path, notify=lambda *text: said.append(text))
    offered: list[str] = []
    keepsakes = Keepsakes(Feed(), session, lambda name, content: offered.append(name))
    try:
        keepsakes.share()
        assert said == [("Not shared", "nothing has happened yet; play the run first")]
        session.step()
        session.wait()
        keepsakes.share()
        assert offered == ["quadcopter-001.html"]
    finally:
        session.close()
