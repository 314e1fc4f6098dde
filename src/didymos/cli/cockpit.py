"""`didymos cockpit`: a twin, or a world of several, in the browser."""

from __future__ import annotations

import signal
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.description_options import Arguments, Packages, Reading, Repair
from didymos.cli.options import (
    AsJson,
    Control,
    Portable,
    Scenario,
    Scenarios,
    Seed,
    Sets,
    TwinName,
    Values,
    Variant,
    chosen_values,
    load_model,
)
from didymos.cli.signals import endings
from didymos.cli.text import print_json
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.cockpit.cockpit import Cockpit
    from didymos.twin import Twin
    from didymos.world import World

__all__ = ["cockpit", "watch"]

LOOPBACK, PORT, FOLDER = "127.0.0.1", 8080, Path("recordings")


def cockpit(
    twin: TwinName,
    variant: Variant = None,
    scenario: Scenario = None,
    scenarios: Scenarios = None,
    seed: Seed = None,
    portable: Portable = False,
    sets: Sets = None,
    values: Values = None,
    control: Control = None,
    package: Packages = None,
    arg: Arguments = None,
    repair: Repair = False,
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Logs to replay, and where new ones go.")] = FOLDER,
    play: Annotated[bool, typer.Option("--play", help="Start at once.")] = False,
    light: Annotated[
        bool, typer.Option("--light", help="For slow lines and graphics: no shadows, fewer pictures.")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page here.")] = True,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0 takes a free one.")] = PORT,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; this machine only by default.")] = LOOPBACK,
    token: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What visitors must bring; made up with --host if not given.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """See a twin or a world, fly it and tune it in the browser.

    Ends with Ctrl-C; a recording is completed then.
    """
    read = Reading(package=package, arg=arg, repair=repair)
    chosen = chosen_values(values, sets)
    loaded = load_model(twin, variant, chosen, control, read=read, scenarios=scenarios, quiet=as_json)
    with open_cockpit(loaded, scenario, seed or 0, folder, port, host, token, light) as page:
        if play:
            page.session.play()
        wait_for_the_end(page, browser, as_json)
    return 0


def watch(twin: Twin | World, scenario: str | None, seed: int, as_json: bool) -> int:
    """What `didymos run --view` does."""
    with open_cockpit(twin, scenario, seed) as page:
        page.session.play()
        wait_for_the_end(page, True, as_json)
    return 0


def open_cockpit(
    twin: Twin | World,
    scenario: str | None,
    seed: int,
    folder: Path = FOLDER,
    port: int = PORT,
    host: str = LOOPBACK,
    token: str | None = None,
    light: bool = False,
) -> Cockpit:
    """A cockpit of a twin or a world, with its first scenario where none is named."""
    try:
        from didymos.cockpit.cockpit import Cockpit
    except ModuleNotFoundError as error:
        raise InputError(f"the cockpit needs {error.name}; install it with: pip install 'didymos[cockpit]'") from None
    scenario = scenario or next(iter(twin.scenarios), None)
    return Cockpit(twin, scenario=scenario, seed=seed, folder=folder, host=host, port=port, token=token, light=light)


def wait_for_the_end(page: Cockpit, browser: bool, as_json: bool) -> None:
    """Say where the page is, and stay until somebody ends this process."""
    ended = threading.Event()
    for kind in (signal.SIGINT, *endings()):
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
