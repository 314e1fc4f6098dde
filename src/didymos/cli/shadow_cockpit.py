"""The page of `didymos shadow`: opened before the robot is heard, open until a person ends it."""

from __future__ import annotations

import threading
import webbrowser
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.signals import stopped_by_signals
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.cli.shadow_report import ShadowReport
    from didymos.shadow.shadow import Shadow

__all__ = ["Watched", "open_page", "stay_open"]


@dataclass(frozen=True, kw_only=True)
class Watched:
    """Who looks on."""

    cockpit: Annotated[
        bool, typer.Option("--cockpit", help="See it in the browser: robot, twin, errors, alarms; a log passes at its own pace.")
    ] = False
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="With --cockpit: open the page here.")] = True
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Of the page; 0 takes a free one.")] = 8080
    light: Annotated[bool, typer.Option("--light", help="Of the page: no shadows, fewer pictures.")] = False


def open_page(live: Shadow, watched: Watched, report: ShadowReport, opened: ExitStack) -> None:
    """Show a shadow, where that is asked for, until all that was opened is closed."""
    if not watched.cockpit:
        return
    try:
        from didymos.cockpit.shadow_view import watch_shadow
    except ModuleNotFoundError as error:
        raise InputError(f"the cockpit needs {error.name}; install it with: pip install 'didymos[cockpit]'") from None
    page = opened.enter_context(watch_shadow(live, port=watched.port, light=watched.light))
    report.page(page.url, page.server.port)
    if watched.browser:
        webbrowser.open(page.url)


def stay_open(live: Shadow, watched: Watched, report: ShadowReport) -> None:
    """Keep the page of a recording that has ended, until a person ends it."""
    if not watched.cockpit or live.stopped:
        return
    ended = threading.Event()
    with stopped_by_signals(ended.set):
        report.say("the recording has ended; the page stays until Ctrl-C")
        ended.wait()
