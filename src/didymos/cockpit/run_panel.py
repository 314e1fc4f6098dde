"""The panel Run: play, choose what runs, keep a log; and the line of the status that is always visible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import viser
from numpy.typing import NDArray

from didymos.cockpit.plain_text import plain
from didymos.cockpit.session import Session

__all__ = ["RunPanel", "status_text"]

SPEEDS = {"1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1 (real time)": 1.0, "2": 2.0, "5": 5.0, "as fast as it can": float("inf")}
FREE = "(none)"
RECORD = "Record"
MOST_VERDICTS = 24
LONGEST_NAME = 22  # characters of a file that fit into a line of the status


def status_text(session: Session, looked_at: float | None = None, replayed: Sequence[str] = ()) -> str:
    """What is always visible: the clock, how fast it goes, what came late, whether it is recorded, and why it stopped.

    `looked_at` [s] is the time that the scene shows, where that is not the run's now; `replayed` are the names of the logs that
    it shows instead. Until it stops it has the same height, and
    no line that wraps: the tabs below stay under a pointer that is on its way to them.
    """
    status, live = session.status, session.live
    time = live.snapshot.time
    clock = f"{time:.2f}" if status.playing else f"{time:.{digits(live.simulation.period)}f}"
    state = "**STOPPED**" if status.ended else "**running**" if status.playing else "**over**" if status.over else "**paused**"
    recording = f"● recording {plain(_shortened(status.recording))}" if status.recording else "not recording"
    rates = f"{state} · RTF {status.factor:.2f} · overruns {status.overruns}"
    if looked_at is not None:
        clock, rates = f"{looked_at:.2f}", f"**looking back** · the run is at {time:.2f} s"
    if replayed:
        rates = "**replay** · " + " + ".join(plain(_shortened(name, LONGEST_NAME // len(replayed))) for name in replayed)
    lines = [f"## t = {clock} s", rates, recording]
    if status.ended:
        lines.append(f"**Why:** {plain(status.ended)}")
    return "\n\n".join(lines)


def digits(period: float) -> int:
    """How many digits after the point a clock needs that shows every tick of a period [s]."""
    return next((count for count in range(2, 6) if abs(period - round(period, count)) < 1e-9), 6)


def _shortened(name: str, most: int = LONGEST_NAME) -> str:
    """A file's name, without its middle where it is longer than a line."""
    return name if len(name) <= most else f"{name[: most // 2]}…{name[-(most // 2) :]}"


def about(session: Session) -> str:
    """What the scenario is, whose program drives instead of the twin's, and whether it went as expected once its time is over."""
    live = session.live
    scenario, control = session.twin.scenarios.get(live.choice.scenario or ""), live.simulation.given.control
    driven = [f"Driven by `{control.replace('`', '')}`"] if control else []
    if scenario is None:
        return "".join(driven)
    title = f"*{plain(scenario.title)}* " if scenario.title else ""
    lines = [f"{title}({scenario.seconds:g} s)", *driven]
    marks = {True: "✓", False: "✗ MISSED", None: "not reached"}
    shown = live.verdicts
    if len(shown) > MOST_VERDICTS:  # of many robots: those that say something
        shown = tuple(verdict for verdict in shown if verdict.ok is not True)
        lines.append(f"✓ {len(live.verdicts) - len(shown)} of {len(live.verdicts)} as expected")
        shown = shown[:MOST_VERDICTS]
    for verdict in shown:
        value = "-" if verdict.value is None else f"{verdict.value:.4g}"
        lines.append(f"{marks[verdict.ok]} {plain(verdict.name)}: {value} {plain(verdict.unit.removesuffix('1'))}")
    lines += [f"skipped: {plain(f'{item.kind} {item.name} ({item.why})')}" for item in live.simulation.skipped]
    return "\n\n".join(lines)


def _named(speed: float) -> str | None:
    """What the menu calls a speed; None for one that it does not have."""
    return next((name for name, known in SPEEDS.items() if known == speed), None)


class RunPanel:
    """Play, pause, single tick, speed, scenario, seed, restart, record."""

    def __init__(self, gui: viser.GuiApi, session: Session) -> None:
        self._session = session
        self.played: Callable[[], None] = lambda: None
        """Called when somebody lets the run go on."""
        gui.add_markdown("Play the run, choose what runs, keep a log. A restart keeps tuned values.")
        self._play = gui.add_button("Play", icon=viser.Icon.PLAYER_PLAY, color="teal")
        self._step = gui.add_button("One tick", icon=viser.Icon.PLAYER_TRACK_NEXT)
        self._restart = gui.add_button("Restart", icon=viser.Icon.REFRESH)
        self._record = gui.add_button(
            RECORD, icon=viser.Icon.PLAYER_RECORD, color="red", hint="From the beginning of this run, with what was done by hand"
        )
        self._speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value=_named(session.speed) or "1 (real time)")
        self._known_speed = session.speed
        scenarios = (*session.twin.scenarios, FREE)
        self._scenario = gui.add_dropdown("Scenario", scenarios, initial_value=session.live.choice.scenario or FREE)
        self._seed = gui.add_number("Seed", session.live.choice.seed, min=0, step=1, hint="Of all noise: same seed, same bytes")
        self._stop = gui.add_checkbox("Stop at its end", session.stops_at_end, hint="Stand still where the scenario is over")
        self._ghost = gui.add_checkbox("Ghost of the run before", True, hint="What the run did that this one left", visible=False)
        self._title = gui.add_markdown("")
        self._play.on_click(lambda _: self._toggle())
        self._step.on_click(lambda _: self._do(session.step))
        self._stop.on_update(lambda _: setattr(session, "stops_at_end", bool(self._stop.value)))
        self._restart.on_click(lambda _: self._begin())
        self._record.on_click(lambda _: session.record(not session.status.recording))
        self._speed.on_update(lambda event: self._hurry() if event.client is not None else None)
        self._scenario.on_update(lambda _: self._begin())

    def _toggle(self) -> None:
        if self._session.status.playing:
            self._session.pause()
        else:
            self._do(self._session.play)

    def _do(self, move: Callable[[], None]) -> None:
        """Let the run move, and look at it."""
        move()
        self.played()

    def _hurry(self) -> None:
        self._session.set_speed(SPEEDS.get(str(self._speed.value), 1.0))

    def ghost_at(self, time: float) -> NDArray[np.float64] | None:
        """Positions of all joints at a time [s] in the run that a branch has left, where they are to be seen beside it, [nq]."""
        before = self._session.live.before
        if before is None or not self._ghost.value or not time <= before.end + 1.0:
            return None
        return before.at(time)

    def _begin(self) -> None:
        name = str(self._scenario.value)
        self._session.restart(name if name in self._session.twin.scenarios else None, max(0, int(self._seed.value)))

    def update(self, *, replay: bool = False) -> None:
        """Show what the session does; while a log is shown, its own run is another thing to play."""
        status = self._session.status
        label = "Pause" if status.playing else "Play the run" if replay else "Go on" if status.over else "Play"
        if self._play.label != label:
            self._play.label = label
            self._play.icon = viser.Icon.PLAYER_PAUSE if status.playing else viser.Icon.PLAYER_PLAY
        if self._session.speed != self._known_speed:  # the timeline sets it as well
            self._known_speed = self._session.speed
            self._speed.value = _named(self._known_speed) or self._speed.value
        label = f"Stop {RECORD.lower()}ing" if status.recording else RECORD
        if self._record.label != label:
            self._record.label = label
        branched = self._session.live.before is not None
        if self._ghost.visible != branched:
            self._ghost.visible = branched
        text = about(self._session)
        if self._title.content != text:
            self._title.content = text
