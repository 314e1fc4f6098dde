"""`didymos cockpit`: a twin, or a world of several, in the browser."""

from __future__ import annotations

import signal
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.completion import complete_twins
from didymos.cli.description_options import Arguments, Packages, Reading, Repair
from didymos.cli.options import (
    AsJson,
    Control,
    Portable,
    Scenario,
    Scenarios,
    Seed,
    Sets,
    Values,
    Variant,
    chosen_values,
    load_model,
)
from didymos.cli.signals import endings
from didymos.cli.text import print_json
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.cockpit.home import Home
    from didymos.twin import Twin
    from didymos.world import World

__all__ = ["cockpit", "watch"]

LOOPBACK, PORT, FOLDER = "127.0.0.1", 8080, Path("recordings")


def cockpit(
    twin: Annotated[
        str | None,
        typer.Argument(
            metavar="[TWIN]",
            help="As everywhere: a bundled name, a folder, a description. Without one: the home page, which offers all of them.",
            autocompletion=complete_twins,
        ),
    ] = None,
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
    """See a twin or a world, fly it and tune it in the browser; without a name, choose one there.

    Ends with Ctrl-C; a recording is completed then.
    """
    if twin is None:
        given = {"variant": variant, "scenario": scenario, "scenarios": scenarios, "seed": seed, "set": sets, "with": values,
                 "control": control, "package": package, "arg": arg, "play": play, "repair": repair}  # fmt: skip
        for option, value in given.items():
            if value:
                raise InputError("goes with a twin: didymos cockpit TWIN", option=option)
        with open_home(folder, port, host, token, light) as home:
            wait_for_the_end(home, browser, as_json)
        return 0
    read = Reading(package=package, arg=arg, repair=repair)
    chosen = chosen_values(values, sets)
    loaded = load_model(twin, variant, chosen, control, read=read, scenarios=scenarios, quiet=as_json)
    with open_cockpit(loaded, twin, scenario, seed or 0, folder, port, host, token, light) as home:
        if play and home.cockpit is not None:
            home.cockpit.session.play()
        wait_for_the_end(home, browser, as_json)
    return 0


def watch(twin: Twin | World, name: str, scenario: str | None, seed: int, as_json: bool) -> int:
    """What `didymos run --view` does."""
    with open_cockpit(twin, name, scenario, seed) as home:
        assert home.cockpit is not None
        home.cockpit.session.play()
        wait_for_the_end(home, True, as_json)
    return 0


def open_home(
    folder: Path = FOLDER, port: int = PORT, host: str = LOOPBACK, token: str | None = None, light: bool = False
) -> Home:
    """The home page, with nothing open yet."""
    try:
        from didymos.cockpit.home import Home
    except ModuleNotFoundError as error:
        raise InputError(f"the cockpit needs {error.name}; install it with: pip install 'didymos[cockpit]'") from None
    from didymos.cli.home_models import draw_picture, load_entry

    return Home(load_entry, draw_picture, here=Path(), folder=folder, port=port, host=host, token=token, light=light)


def open_cockpit(
    twin: Twin | World,
    name: str,
    scenario: str | None,
    seed: int,
    folder: Path = FOLDER,
    port: int = PORT,
    host: str = LOOPBACK,
    token: str | None = None,
    light: bool = False,
) -> Home:
    """A cockpit of a twin or a world, with its first scenario where none is named, and the home page behind it."""
    home = open_home(folder, port, host, token, light)
    try:
        home.show(twin, name, scenario=scenario or next(iter(twin.scenarios), None), seed=seed)
    except BaseException:
        home.close()
        raise
    return home


def wait_for_the_end(page: Home, browser: bool, as_json: bool) -> None:
    """Say where the page is, and stay until somebody ends this process."""
    ended = threading.Event()
    for kind in (signal.SIGINT, *endings()):
        signal.signal(kind, lambda *_: ended.set())
    if page.server.token is not None:
        print("didymos: WARNING: other machines can reach this cockpit; whoever has the token can use it", file=sys.stderr)
    opened = page.cockpit
    name = opened.session.twin.name if opened is not None else ""
    if as_json:
        twin = {"twin": name, "folder": opened.session.folder} if opened is not None else {}
        print_json({"url": page.url, "port": page.server.port, **twin})
    else:
        print(f"{name or 'The cockpit'} is at {page.url}   (Ctrl-C ends it)")
    sys.stdout.flush()
    if browser:
        webbrowser.open(page.url)
    ended.wait()
    print("didymos: the cockpit has ended", file=sys.stderr)
