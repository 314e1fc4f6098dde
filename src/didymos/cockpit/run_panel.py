"""The panel Run: play, choose what runs, keep a log; and the line of the status that is always visible."""

from __future__ import annotations

import viser

from didymos.cockpit.session import Session

__all__ = ["RunPanel", "status_text"]

SPEEDS = {"1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1 (real time)": 1.0, "2": 2.0, "5": 5.0, "as fast as it can": float("inf")}
FREE = "(none)"
RECORD = "Record"
MOST_VERDICTS = 24
LONGEST_NAME = 22  # characters of a file that fit into a line of the status


def status_text(session: Session) -> str:
    """What is always visible: the clock, how fast it goes, what came late, whether it is recorded, and why it stopped.

    Until it stops it has the same height, and no line that wraps: the tabs below stay under a pointer that is on its way to them.
    """
    status, time = session.status, session.live.snapshot.time
    state = "**STOPPED**" if status.ended else "**running**" if status.playing else "**paused**"
    recording = f"● recording {_shortened(status.recording)}" if status.recording else "not recording"
    lines = [f"## t = {time:.2f} s", f"{state} · RTF {status.factor:.2f} · overruns {status.overruns}", recording]
    if status.ended:
        lines.append(f"**Why:** {status.ended}")
    return "\n\n".join(lines)


def _shortened(name: str) -> str:
    """A file's name, without its middle where it is longer than a line."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME // 2]}…{name[-(LONGEST_NAME // 2) :]}"


def about(session: Session) -> str:
    """What the scenario is, and whether it went as expected once its time is over."""
    live = session.live
    scenario = session.twin.scenarios.get(live.choice.scenario or "")
    if scenario is None:
        return ""
    title = f"*{scenario.title}* " if scenario.title else ""
    lines = [f"{title}({scenario.seconds:g} s)"]
    marks = {True: "✓", False: "✗ MISSED", None: "not reached"}
    shown = live.verdicts
    if len(shown) > MOST_VERDICTS:  # of many robots: those that say something
        shown = tuple(verdict for verdict in shown if verdict.ok is not True)
        lines.append(f"✓ {len(live.verdicts) - len(shown)} of {len(live.verdicts)} as expected")
        shown = shown[:MOST_VERDICTS]
    for verdict in shown:
        value = "-" if verdict.value is None else f"{verdict.value:.4g}"
        lines.append(f"{marks[verdict.ok]} {verdict.name}: {value} {verdict.unit.removesuffix('1')}")
    lines += [f"skipped: {item.kind} {item.name} ({item.why})" for item in live.simulation.skipped]
    return "\n\n".join(lines)


class RunPanel:
    """Play, pause, single tick, speed, scenario, seed, restart, record."""

    def __init__(self, gui: viser.GuiApi, session: Session) -> None:
        self._session = session
        gui.add_markdown("Play the run, choose what runs, keep a log. A restart keeps tuned values.")
        self._play = gui.add_button("Play", icon=viser.Icon.PLAYER_PLAY, color="teal")
        self._step = gui.add_button("One tick", icon=viser.Icon.PLAYER_TRACK_NEXT)
        self._restart = gui.add_button("Restart", icon=viser.Icon.REFRESH)
        self._record = gui.add_button(
            RECORD, icon=viser.Icon.PLAYER_RECORD, color="red", hint="From the beginning of this run, with what was done by hand"
        )
        self._speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value="1 (real time)")
        scenarios = (*session.twin.scenarios, FREE)
        self._scenario = gui.add_dropdown("Scenario", scenarios, initial_value=session.live.choice.scenario or FREE)
        self._seed = gui.add_number("Seed", session.live.choice.seed, min=0, step=1, hint="Of all noise: same seed, same bytes")
        self._title = gui.add_markdown("")
        self._play.on_click(lambda _: session.pause() if session.status.playing else session.play())
        self._step.on_click(lambda _: session.step())
        self._restart.on_click(lambda _: self._begin())
        self._record.on_click(lambda _: session.record(not session.status.recording))
        self._speed.on_update(lambda _: session.set_speed(SPEEDS.get(str(self._speed.value), 1.0)))
        self._scenario.on_update(lambda _: self._begin())

    def _begin(self) -> None:
        name = str(self._scenario.value)
        self._session.restart(name if name in self._session.twin.scenarios else None, max(0, int(self._seed.value)))

    def update(self) -> None:
        """Show what the session does."""
        status = self._session.status
        label = "Pause" if status.playing else "Play"
        if self._play.label != label:
            self._play.label = label
            self._play.icon = viser.Icon.PLAYER_PAUSE if status.playing else viser.Icon.PLAYER_PLAY
        label = f"Stop {RECORD.lower()}ing" if status.recording else RECORD
        if self._record.label != label:
            self._record.label = label
        text = about(self._session)
        if self._title.content != text:
            self._title.content = text
