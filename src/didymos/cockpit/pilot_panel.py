"""The panel Pilot: the channel table as it is now, what each channel moves, and the buttons of a piloted run."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import viser

from didymos.cockpit.plain_text import plain
from didymos.cockpit.robots import RobotMenu
from didymos.cockpit.session import Session
from didymos.cockpit.sticks import AXES, KEYS
from didymos.control.pilot import CHANNELS, Pilot, SteerSpec

__all__ = ["PilotPanel", "table"]

NOTHING = "(nothing)"
BUTTONS = {"drop": "Drop a box", "remove": "Remove boxes", "reset": "Back to the start"}


def table(pilot: Pilot, unread: Collection[str] = ()) -> str:
    """The 20 channels: number, stick and keys, what each moves and how far, where it is; those that do nothing share a line.

    `unread` are set-points that the program which drives does not read.
    """
    moves: dict[int, list[str]] = {}
    for row in pilot.rows:
        per = " per s" if row.moves else ""
        moves.setdefault(row.channel, []).append(f"{row.target} ({row.span:+g}{per})")
    for name, channel in pilot.buttons.items():
        moves.setdefault(channel, []).append(name)
    lines = ["| | stick | keys | moves | now |", "|---|---|---|---|---|"]
    for channel in sorted({*moves, *AXES}):
        stick, keys, moved = AXES.get(channel, ""), KEYS.get(channel, ""), plain(", ".join(moves.get(channel, ["-"])))
        lines.append(f"| {channel} | {stick} | {keys} | {moved} | {_two_digits(pilot.table[channel])} |")
    rest = [f"{channel}: {_two_digits(pilot.table[channel])}" for channel in range(CHANNELS) if channel not in {*moves, *AXES}]
    idle = [row.target for row in pilot.rows if row.target in {f"setpoints.{name}" for name in unread}]
    lost = f"\n\nThe program that drives does not read {plain(', '.join(idle))}: moving them does nothing." if idle else ""
    return "\n".join(lines) + lost + "\n\nFree: " + " · ".join(rest)


def _two_digits(value: float) -> str:
    """A channel as it is read; one at rest has no sign of its own."""
    return f"{round(value, 2) + 0.0:+.2f}"


class PilotPanel:
    """What each channel moves, and where it is."""

    def __init__(self, gui: viser.GuiApi, session: Session) -> None:
        self._gui, self._session = gui, session
        gui.add_markdown("Press *Fly by hand* on the page: keys, on-screen sticks or a gamepad move these channels.")
        self._robot = RobotMenu(gui, session.robots, self._give, first=session.live.choice.robot)
        self._table = gui.add_markdown("")
        hint = "Restarts: a piloted run keeps the table in its log and can drop boxes"
        self._piloted = gui.add_checkbox("Log channels", session.live.choice.piloted, hint=hint)
        self._piloted.on_update(lambda _: self._switch())
        self._buttons = {kind: gui.add_button(text, visible=False) for kind, text in BUTTONS.items()}
        for kind, button in self._buttons.items():
            button.on_click(lambda _, kind=kind: session.press(kind))
        with gui.add_folder("Let a stick move something else", expand_by_default=False):
            self._stick = gui.add_dropdown("Stick", tuple(AXES.values()), initial_value=AXES[3])
            self._target = gui.add_dropdown("Moves", (NOTHING, *session.live.pilot.handles), initial_value=NOTHING)
            self._span = gui.add_number("Full stick", 1.0, step=0.05, hint="Offset at full stick, or its change per second")
            self._grows = gui.add_checkbox("Per second", False, hint="On: the offset grows while the stick is held")
            gui.add_button("Assign").on_click(lambda _: self._assign())

    def _give(self) -> None:
        """Give the sticks to the robot that was chosen."""
        self._session.fly(self._robot.value)

    def _switch(self) -> None:
        session = self._session
        choice = session.live.choice
        if bool(self._piloted.value) != choice.piloted:
            session.restart(choice.scenario, choice.seed, piloted=bool(self._piloted.value))

    def _assign(self) -> None:
        channel = next((number for number, name in AXES.items() if name == self._stick.value), 3)
        target, span = str(self._target.value), float(self._span.value)
        pilot = self._session.live.pilot
        rows = [row for row in pilot.rows if row.channel != channel]
        if target in pilot.handles and span != 0.0:
            rows.append(SteerSpec(channel=channel, target=target, span=span, moves=bool(self._grows.value)))
        self._session.assign(rows)

    def update(self) -> None:
        """Show the table as it is now, and the buttons that do something."""
        live = self._session.live
        pilot = live.pilot
        flown = live.simulation.robots.get(live.choice.robot or "")
        _show(self._table, "content", table(pilot, () if flown is None else flown.unread_setpoints))
        _show(self._target, "options", (NOTHING, *pilot.handles))
        for kind, button in self._buttons.items():
            _show(button, "visible", live.choice.piloted and kind in pilot.buttons)


def _show(handle: Any, name: str, value: Any) -> None:
    if getattr(handle, name) != value:
        setattr(handle, name, value)
