"""Pages that are open change nothing of a run: neither its bytes nor its life; a run without one loads nothing of it.

What a person types and clicks comes in threads of its own.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import viser
from websockets.sync.client import ClientConnection, connect

from didymos.cockpit.cockpit import Cockpit
from didymos.cockpit.session import Session
from didymos.cockpit.tune import Tune
from didymos.describe.twin import Twin

from .conftest import wait_until


def open_page(cockpit: Cockpit) -> ClientConnection:
    """A page as far as the server can tell; it reads nothing until asked to."""
    speaks = f"viser-v{viser.__version__}"
    address = f"ws://127.0.0.1:{cockpit.server.port}/"
    return connect(address, subprotocols=[speaks], max_size=None, open_timeout=None)  # type: ignore[list-item]


def test_a_run_that_is_watched_has_the_bytes_of_one_that_is_not(quadcopter: Twin, tmp_path: Path) -> None:
    with Cockpit(quadcopter, scenario="side_wind", seed=3, port=0, folder=tmp_path / "kept") as cockpit:
        session = cockpit.session
        with closing(open_page(cockpit)) as staying:
            leaving = open_page(cockpit)
            assert staying.recv()
            assert leaving.recv()
            session.set_speed(float("inf"))
            session.record(True)
            session.play()
            wait_until(lambda: session.live.snapshot.time > 2.0, "the run goes on")
            leaving.socket.close()  # as if its machine had lost power
            before = session.live.snapshot.time
            wait_until(lambda: session.live.snapshot.time > before + 2.0, "the run goes on without the page that is gone")
            session.pause()
            session.record(False)
            session.wait()
            assert staying.recv()
        seconds, watched = session.live.simulation.time, session.live.run.log.sha256
    alone = quadcopter.simulate(scenario="side_wind", seed=3).run(seconds, record=tmp_path / "alone.mcap")
    assert watched == alone.sha256
    assert next((tmp_path / "kept").glob("*.mcap")).read_bytes() == (tmp_path / "alone.mcap").read_bytes()


def test_a_page_that_reads_nothing_does_not_hold_up_the_run(quadcopter: Twin, tmp_path: Path) -> None:
    with Cockpit(quadcopter, scenario="hover", port=0, folder=tmp_path) as cockpit:
        deaf = open_page(cockpit)
        cockpit.session.play()
        pictures = cockpit.page.pictures
        wait_until(lambda: cockpit.page.pictures > pictures + 60, "two seconds of pictures are sent")
        wait_until(lambda: cockpit.session.live.snapshot.time > 0.5, "the run goes on")
        deaf.socket.close()


def test_a_list_that_is_asked_for_while_it_is_made_is_made_again(
    quadcopter: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by the letters of a search, each in a thread; the second used to fail, and what was searched for never came."""
    session = Session(quadcopter, scenario="hover", folder=tmp_path)
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    second: list[Future[None]] = []
    try:
        tune = Tune(server.gui, session)
        again, make = tune.refresh_all, server.gui.add_slider

        def make_slowly(*words: Any, **options: Any) -> Any:
            if not second:
                second.append(pool.submit(again))
                wait(second, 0.5)  # where it has to wait for this one, it does not end now
            return make(*words, **options)

        with ThreadPoolExecutor() as pool:
            monkeypatch.setattr(server.gui, "add_slider", make_slowly)
            again()
            second[0].result()
    finally:
        server.stop()
        session.close()


def test_a_run_without_a_page_loads_nothing_of_it(run_python: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    code = (
        "import sys; from didymos.cli.main import main; status = main(['run', 'quadcopter', '--seconds', '0.1', '--quiet'])\n"
        "print(status, sorted(name for name in sys.modules if name.startswith(('viser', 'websockets', 'didymos.cockpit'))))"
    )
    assert run_python(code).stdout.strip().splitlines()[-1] == "0 []"
