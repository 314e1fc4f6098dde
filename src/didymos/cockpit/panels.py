"""The panels Run and View."""

from __future__ import annotations

import viser

from didymos.cockpit.overlays import MARKS
from didymos.cockpit.scene import VIEWS
from didymos.cockpit.session import Session

__all__ = ["PushPanel", "RunPanel", "status"]

SPEEDS = {"1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1 (real time)": 1.0, "2": 2.0, "5": 5.0, "as fast as it can": float("inf")}
FREE = "(none)"
RECORD = "Record"


def status(session: Session) -> str:
    """The line that is always visible: the clock, how fast it goes, what came late, and why it stopped."""
    pulse, frame = session.pulse, session.frame
    state = "**STOPPED**" if pulse.ended else "**running**" if pulse.playing else "**paused**"
    lines = [f"## t = {frame.time:.2f} s", f"{state} · real-time factor {pulse.factor:.2f} · overruns {pulse.overruns}"]
    if pulse.recording:
        lines.append(f"● recording {pulse.recording}")
    if pulse.ended:
        lines.append(f"**Why:** {pulse.ended}")
    return "\n\n".join(lines)


def about(session: Session) -> str:
    """What the scenario is, and whether it went as expected once its time is over."""
    scenario = session.twin.scenarios.get(session.scenario or "")
    if scenario is None:
        return ""
    lines = [f"*{scenario.title}* ({scenario.seconds:g} s)"]
    marks = {True: "✓", False: "✗ MISSED", None: "not reached"}
    for verdict in session.verdicts:
        value = "-" if verdict.value is None else f"{verdict.value:.4g}"
        lines.append(f"{marks[verdict.ok]} {verdict.name}: {value} {verdict.unit.removesuffix('1')}")
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
        self._scenario = gui.add_dropdown("Scenario", scenarios, initial_value=session.scenario or FREE)
        self._seed = gui.add_number("Seed", session.seed, min=0, step=1, hint="Of all noise: same seed, same bytes")
        self._title = gui.add_markdown("")
        self._play.on_click(lambda _: session.pause() if session.pulse.playing else session.play())
        self._step.on_click(lambda _: session.step())
        self._restart.on_click(lambda _: self._begin())
        self._record.on_click(lambda _: session.record(not session.pulse.recording))
        self._speed.on_update(lambda _: session.set_speed(SPEEDS.get(str(self._speed.value), 1.0)))
        self._scenario.on_update(lambda _: self._begin())

    def _begin(self) -> None:
        name = str(self._scenario.value)
        self._session.restart(name if name in self._session.twin.scenarios else None, max(0, int(self._seed.value)))

    def update(self) -> None:
        """Show what the session does."""
        pulse = self._session.pulse
        label = "Pause" if pulse.playing else "Play"
        if self._play.label != label:
            self._play.label = label
            self._play.icon = viser.Icon.PLAYER_PAUSE if pulse.playing else viser.Icon.PLAYER_PLAY
        label = f"Stop {RECORD.lower()}ing" if pulse.recording else RECORD
        if self._record.label != label:
            self._record.label = label
        text = about(self._session)
        if self._title.content != text:
            self._title.content = text


class PushPanel:
    """A disturbance by a button, and what the scene shows."""

    def __init__(self, gui: viser.GuiApi, session: Session, weight: float) -> None:
        self._session = session
        gui.add_markdown("Choose the view and what is drawn; push the robot with the button, or Shift-click it.")
        self.view = gui.add_dropdown("View", VIEWS, initial_value="follow")
        self.shown = {kind: gui.add_checkbox(text, True) for kind, (_, text) in MARKS.items()}
        self.scale = gui.add_slider("Length of arrows", min=0.1, max=5.0, step=0.1, initial_value=1.0)
        self.frames = gui.add_text("Frames", "", hint="Part of a link's or frame's name; * for all")
        self.collision = gui.add_checkbox("Shapes of contact", False)
        with gui.add_folder("Push"):
            links = tuple(session.twin.description.links)
            self.link = gui.add_dropdown("Link", links, initial_value=session.twin.description.root)
            self.force = gui.add_vector3("Force [N]", (round(0.5 * weight, 2), 0.0, 0.0), step=0.1, hint="World: x, y, z up")
            self.seconds = gui.add_slider("For [s]", min=0.02, max=2.0, step=0.02, initial_value=0.2)
            push = gui.add_button("Push", icon=viser.Icon.HAND_FINGER, color="violet")
            push.on_click(lambda _: self.push(str(self.link.value), self.force.value))

    def push(self, link: str, force: tuple[float, float, float]) -> None:
        """Push a link for the chosen time."""
        self._session.push(link, force, float(self.seconds.value))
