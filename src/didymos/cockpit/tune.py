"""Tuning: every parameter that can change during a run, by group and by search, with undo and save."""

from __future__ import annotations

import math
import threading
from typing import Any

import viser

from didymos.cockpit.robots import WORLD, RobotMenu
from didymos.cockpit.session import Session
from didymos.describe.parameters import Parameter
from didymos.describe.values_file import write_values

__all__ = ["Tune", "bounds", "decimals"]

MOST_ROWS = 14
CHANGED = "● "


def bounds(parameter: Parameter) -> tuple[float, float, float] | None:
    """Low, high and step of a slider; None where a number field serves better."""
    value = abs(parameter.value)
    low = parameter.low if parameter.low is not None else -math.inf
    high = parameter.high if parameter.high is not None else math.inf
    if value > 0.0 and not (math.isfinite(low) and math.isfinite(high) and value > 0.1 * max(abs(low), abs(high))):
        low, high = max(low, -4.0 * value if parameter.value < 0.0 else 0.0), min(high, 4.0 * value)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return None
    step = 10.0 ** math.floor(math.log10((high - low) / 200.0))
    return low, high, step


def decimals(step: float) -> int:
    """Digits after the point that a box takes: far more than its steps have, as numbers that are typed may be."""
    return max(0, 8 - math.floor(math.log10(step)))


class Tune:
    """The panel of parameters."""

    def __init__(self, gui: viser.GuiApi, session: Session) -> None:
        self._gui, self._session = gui, session
        self._history: list[tuple[str, float]] = []
        self._rows: dict[str, Any] = {}
        self._asked: dict[str, float] = {}  # what a person wants of parameters, until the page shows what became of it
        self._listing = threading.Lock()  # each letter of a search comes in a thread of its own, and a new run in another
        gui.add_markdown("Change numbers while it runs; ● marks what you changed.")
        self._robot = RobotMenu(gui, tuple(self._all()), self._robot_chosen, first=self._first_robot())
        groups = self._groups()
        self._group = gui.add_dropdown("Group", groups, initial_value=_first(groups))
        whose = " of the robot" if self._robot.value else ""
        self._search = gui.add_text("Search", "", hint=f"Part of a path, in all groups{whose}")
        self._folder = gui.add_folder(None)
        self._more = gui.add_markdown("")
        self._undo = gui.add_button("Undo last change", icon=viser.Icon.ARROW_BACK_UP)
        self._undo_all = gui.add_button("Undo all", icon=viser.Icon.RESTORE)
        self._save = gui.add_button("Save values", icon=viser.Icon.DEVICE_FLOPPY, hint="A YAML of values, for other runs")
        self._group.on_update(lambda _: self._group_chosen())
        self._search.on_update(lambda _: self._list())
        self._undo.on_click(lambda _: self._undo_one())
        self._undo_all.on_click(lambda _: self._undo_every())
        self._save.on_click(lambda _: self._save_values())
        self._list()

    def _all(self) -> dict[str, dict[str, Parameter]]:
        """All that can be tuned: of a world by robot, its own numbers first."""
        return self._session.live.untuned.live

    def _first_robot(self) -> str:
        """The first robot; numbers of the world stand before it and are not what people want first."""
        return next((name for name in self._all() if name != WORLD), WORLD)

    def _live(self) -> dict[str, Parameter]:
        """What can be tuned of the chosen robot."""
        return self._all().get(self._robot.value, {})

    def _own(self, path: str) -> str:
        """A path without the name of its robot."""
        robot = self._robot.value
        return path if robot in ("", WORLD) else path.removeprefix(f"{robot}.")

    def _groups(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_group(self._own(path)) for path in self._live())) or ("none",)

    def _robot_chosen(self) -> None:
        self._show_groups()
        self._group_chosen()

    def _show_groups(self) -> None:
        """Offer the groups of the chosen robot; the one that was chosen stays where it is among them."""
        groups = self._groups()
        if self._group.options != groups:
            chosen = self._group.value
            self._group.options = groups
            self._group.value = chosen if chosen in groups else _first(groups)

    def _group_chosen(self) -> None:
        if self._search.value:
            self._search.value = ""
        self._list()

    def _list(self) -> None:
        with self._listing:
            pieces = self._search.value.casefold().split()
            live = self._live()
            chosen = [
                path for path in live
                if (all(piece in path.casefold() for piece in pieces) if pieces else _group(self._own(path)) == self._group.value)
            ]  # fmt: skip
            for handle in self._rows.values():
                handle.remove()
            self._rows = {}
            with self._folder:
                for path in chosen[:MOST_ROWS]:
                    self._rows[path] = self._row(live[path])
            hidden, nothing = len(chosen) - MOST_ROWS, "" if chosen else "No such parameter."
            self._more.content = f"… and {hidden} more: search for them." if hidden > 0 else nothing

    def _row(self, parameter: Parameter) -> Any:
        value = self._value(parameter.path)
        low, high = (("" if bound is None else f"{bound:g}") for bound in (parameter.low, parameter.high))
        hint = f"{parameter.path} [{parameter.unit}] {low} … {high}  {parameter.doc}".strip()
        limits = bounds(parameter)
        handle: Any
        if limits is not None and limits[0] <= value <= limits[1]:
            low_end, high_end, step = limits
            handle = self._gui.add_slider(
                self._label(parameter), min=low_end, max=high_end, step=step, initial_value=value, hint=hint
            )
        else:
            handle = self._gui.add_number(
                self._label(parameter), value, min=parameter.low, max=parameter.high, step=_step(value), hint=hint
            )
        handle.precision = decimals(handle.step)
        handle.on_update(lambda event: self._changed(parameter.path, float(handle.value)) if event.client is not None else None)
        return handle

    def _value(self, path: str) -> float:
        return self._session.values.get(path, self._session.live.untuned.get(path))

    def refresh_all(self) -> None:
        """Show all parameters as a new run has them; its program may have other gains."""
        self._show_groups()
        self._list()

    def _label(self, parameter: Parameter) -> str:
        own = self._own(parameter.path)
        short = own.removeprefix(_group(own) + ".") if not self._search.value else own
        unit = f" [{parameter.unit}]" if parameter.unit not in ("", "1") else ""
        return (CHANGED if parameter.path in self._session.values else "") + short + unit

    def _changed(self, path: str, value: float) -> None:
        before = self._value(path)
        if value == before:
            return
        if not self._history or self._history[-1][0] != path:
            self._history.append((path, before))
        self._asked[path] = value
        self._session.set(path, value)

    def update(self) -> None:
        """Show what became of changes: a slider on the move is not held up by it."""
        for path, value in list(self._asked.items()):
            if not self._session.is_set(path):
                continue
            if self._asked.get(path) == value:
                del self._asked[path]
            handle, live = self._rows.get(path), self._live()
            if handle is not None and path in live:
                _show(handle, "label", self._label(live[path]))
                if handle.value == value != self._value(path):  # refused; a newer value of the page has its own call
                    handle.value = self._value(path)

    def _undo_to(self, path: str, value: float) -> None:
        self._session.set(path, value)
        self._session.wait()
        self.refresh(path)

    def refresh(self, path: str) -> None:
        """Show a parameter as the run has it."""
        handle = self._rows.get(path)
        if handle is not None:
            value = self._value(path)
            handle.label = self._label(self._live()[path])
            if handle.value != value:
                handle.value = value

    def _undo_one(self) -> None:
        if self._history:
            self._undo_to(*self._history.pop())

    def _undo_every(self) -> None:
        self._history.clear()
        for path in list(self._session.values):
            self._undo_to(path, self._session.live.untuned.get(path))

    def _save_values(self) -> None:
        twin, values = self._session.twin.name, dict(self._session.values)
        name = f"{twin}-tuned.yaml"
        write_values(self._session.folder / name, values, comments=(f"values of {twin} that were tuned in the cockpit",))
        self._session.notify("Saved", f"{len(values)} changed values are in {name}")


def _group(path: str) -> str:
    """The group that a path is listed in: `control.gains`, `parts.motor1`, `links.body`, `world`."""
    names = path.split(".")
    return names[0] if names[0] == "world" else ".".join(names[:2])


def _first(groups: tuple[str, ...]) -> str:
    """The group that people want first: gains, where there are any."""
    return next((group for group in groups if group.startswith("control")), groups[0])


def _show(handle: Any, name: str, value: Any) -> None:
    if getattr(handle, name) != value:
        setattr(handle, name, value)


def _step(value: float) -> float:
    return 10.0 ** math.floor(math.log10(abs(value)) - 1.0) if value else 0.001
