"""`didymos cockpit`: the twin in the browser."""

from __future__ import annotations

import signal
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.options import AsJson, TwinName, Variant
from didymos.cli.text import print_json
from didymos.cli.values import read_settings, settings
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.cockpit.cockpit import Cockpit

__all__ = ["cockpit", "watch"]

LOOPBACK = "127.0.0.1"


def cockpit(
    twin: TwinName,
    scenario: Annotated[
        str | None, typer.Option(metavar="NAME", help="What runs first; the twin's first by default.")
    ] = None,
    variant: Variant = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of all noise: same seed, same bytes.")] = 0,
    sets: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Set a parameter; repeatable.")
    ] = None,
    values: Annotated[
        Path | None, typer.Option("--with", metavar="FILE.yaml", help="Set a file's parameters, before --set.")
    ] = None,
    control: Annotated[
        str | None, typer.Option(metavar="MODULE:CLASS", help="Your control program; also FILE.py:CLASS.")
    ] = None,
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Logs to replay, and where new ones go.")] = Path("recordings"),
    play: Annotated[bool, typer.Option("--play", help="Start at once.")] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page here.")] = True,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0 takes a free one.")] = 8080,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; this machine only by default.")] = LOOPBACK,
    token: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What visitors must bring; made up with --host if not given.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """See a twin, fly it and tune it in the browser.

    Ends with Ctrl-C; a recording is completed then.
    """
    chosen = {**(read_settings(values) if values else {}), **settings(sets or ())}
    with open_cockpit(twin, scenario, seed, chosen, control, folder, port, host, token, variant) as page:
        if play:
            page.session.play()
        wait_for_the_end(page, browser, as_json)
    return 0


def watch(twin: str, scenario: str | None, seed: int, values: dict[str, float], control: str | None, as_json: bool) -> int:
    """What `didymos run --view` does."""
    with open_cockpit(twin, scenario, seed, values, control, Path("recordings"), 8080) as page:
        page.session.play()
        wait_for_the_end(page, True, as_json)
    return 0


def open_cockpit(
    twin: str,
    scenario: str | None,
    seed: int,
    values: dict[str, float],
    control: str | None,
    folder: Path,
    port: int,
    host: str = LOOPBACK,
    token: str | None = None,
    variant: str | None = None,
) -> Cockpit:
    """A cockpit of a twin with values by path; the twin's first scenario where none is named."""
    import didymos

    try:
        from didymos.cockpit.cockpit import Cockpit
    except ModuleNotFoundError as error:
        raise InputError(f"the cockpit needs {error.name}; install it with: pip install 'didymos[cockpit]'") from None
    loaded = didymos.load(twin, variant=variant)
    if control is not None:
        loaded.replace_program(control)
    for path, value in values.items():
        loaded.set(path, value)
    scenario = scenario or next(iter(loaded.scenarios), None)
    return Cockpit(loaded, scenario=scenario, seed=seed, folder=folder, host=host, port=port, token=token)


def wait_for_the_end(page: Cockpit, browser: bool, as_json: bool) -> None:
    """Say where the page is, and stay until somebody ends this process."""
    ended = threading.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, lambda *_: ended.set())
    if page.server.token is not None:
        print("didymos: WARNING: other machines can reach this cockpit; whoever has the token can use it", file=sys.stderr)
    if as_json:
        print_json({"url": page.url, "port": page.server.port, "twin": page.session.twin.name, "folder": page.session.folder})
    else:
        print(f"{page.session.twin.name} is at {page.url}   (Ctrl-C ends it)")
    sys.stdout.flush()
    if browser:
        webbrowser.open(page.url)
    ended.wait()
    print("didymos: the cockpit has ended", file=sys.stderr)
