"""Replay: one or two logs on the timeline, the second as a ghost, the difference of a signal beside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import viser

from didymos.cockpit.plain_text import plain
from didymos.cockpit.plot_source import PlotSource, of_replay
from didymos.cockpit.robots import RobotMenu, named
from didymos.cockpit.session import Session
from didymos.cockpit.signals import is_there, names, tail, units
from didymos.engine.playback import Playback
from didymos.errors import DidymosError, InputError
from didymos.record.formats import LOG_ENDINGS
from didymos.record.log import Log
from didymos.record.setpoint_pairs import pairs
from didymos.record.stream import Kind, StreamLayout
from didymos.web.words_of_log import words_of_log

__all__ = ["Replay", "find_log", "logs_in"]

NONE = "(none)"
LONGEST_NAME = 100


def logs_in(folder: Path) -> tuple[str, ...]:
    """Names of the logs in a folder, the newest first."""
    if not folder.is_dir():
        return ()
    files = [file for file in folder.iterdir() if file.suffix.lower() in LOG_ENDINGS and file.is_file()]
    return tuple(file.name for file in sorted(files, key=lambda file: (-file.stat().st_mtime, file.name)))


def find_log(folder: Path, name: str) -> Path:
    """The log of a name in a folder; any other name, in particular a path, is an `InputError`."""
    if name not in logs_in(folder):
        raise InputError(f"there is no log {name[:LONGEST_NAME]!r} here")
    return folder / name


class Replay:
    """The panel of replay. While `playbacks` is not empty, the page shows them instead of the run."""

    def __init__(self, gui: viser.GuiApi, session: Session) -> None:
        self._session = session
        self.playbacks: list[Playback] = []
        self.shown: tuple[str, ...] = ()
        """Names of the files that are shown."""
        whose = "of this twin or of the real robot" if session.robots == ("",) else "of this world"
        gui.add_markdown(f"Look at a log again, {whose}; a second one runs beside it as a ghost. The timeline plays it.")
        self._first = gui.add_dropdown("Log", (NONE,), initial_value=NONE)
        self._second = gui.add_dropdown("Ghost", (NONE,), initial_value=NONE)
        self._upload = gui.add_upload_button("Bring a log", icon=viser.Icon.UPLOAD, hint=" ".join(LOG_ENDINGS))
        self._open = gui.add_button("Open", icon=viser.Icon.FOLDER_OPEN, color="teal")
        self._robot = RobotMenu(gui, session.robots, self._offer, label="Signals of")
        self._signal = gui.add_dropdown("Compare", (NONE,), initial_value=NONE)
        self.plotted: PlotSource | None = None
        self._error = gui.add_markdown("")
        self._close = gui.add_button("Back to the run", icon=viser.Icon.ARROW_LEFT, disabled=True)
        self._open.on_click(lambda _: self.open(str(self._first.value), str(self._second.value)))
        self._signal.on_update(lambda _: self._compare())
        self._close.on_click(lambda _: self.close())
        self._upload.on_upload(lambda _: self._bring())
        self.list()

    def list(self) -> None:
        """Offer the logs that are in the folder now."""
        logs = logs_in(self._session.folder)
        for menu in (self._first, self._second):
            if menu.options != (NONE, *logs):
                chosen = str(menu.value)
                menu.options = (NONE, *logs)
                menu.value = chosen if chosen in logs else NONE

    def open(self, first: str, second: str) -> None:
        """Show one or two logs of the folder."""
        try:
            files = [find_log(self._session.folder, name) for name in (first, second) if name != NONE]
        except DidymosError as error:
            self._session.notify("Not opened", str(error))
        else:
            self.show(*files)

    def show(self, *files: Path) -> None:
        """Show one or two logs."""
        try:
            logs = [self._read(file) for file in files]
            playbacks = [Playback(self._session.live.simulation, log) for log in logs]
        except DidymosError as error:
            self._session.notify("Not opened", str(error))
            return
        if not playbacks:
            self._session.notify("Not opened", "choose a log first")
            return
        self._session.pause()
        self._close.disabled = False
        self.playbacks, self.shown = playbacks, tuple(file.name for file in files)
        self._choose(*files)
        self._offer()

    def _read(self, file: Path) -> Log:
        """A log in the words of the twin, where the twin file knows those of the file."""
        log, unread = words_of_log(self._session.twin, Log.load(file), file.name)
        for text in unread:
            self._session.notify("Not shown", text)
        return log

    def _choose(self, *files: Path) -> None:
        """Let the menus say which logs are shown, where they are in the folder."""
        self.list()
        for menu, file in zip((self._first, self._second), (*files, None), strict=False):
            inside = file is not None and file.parent.resolve() == self._session.folder.resolve() and file.name in menu.options
            menu.value = file.name if file is not None and inside else NONE

    def _offer(self) -> None:
        """Offer the signals that all logs have, of the chosen robot."""
        if not self.playbacks:
            return
        robot, logs = self._robot.value, [playback.log for playback in self.playbacks]
        common = [name for name in names(logs[0], robot) if all(is_there(log, name) for log in logs)]
        favourites = [name for pair in pairs(tuple(common), robot) for name in pair[1:]]
        favourites = favourites or [name for name in (named(robot, "truth.position.z"),) if name in common]
        self._signal.options = (NONE, *common)
        self._signal.value = (favourites or common or [NONE])[-1]
        self._compare()

    def close(self) -> None:
        """Back to the run, which is where it was."""
        self.playbacks, self.shown = [], ()
        self.plotted = None
        self._error.content = ""
        self._close.disabled = True

    def _compare(self) -> None:
        name = str(self._signal.value)
        if not self.playbacks or any(not is_there(playback.log, name) for playback in self.playbacks):
            return
        curves = [tail(playback.log, name, -np.inf) for playback in self.playbacks]
        if any(not len(times) for times, _ in curves):
            return
        log, unit = self.playbacks[0].log, units(self.playbacks[0].log).get(name, "rad")
        ghost: Log | None = None
        difference: Log | None = None
        self._error.content = ""
        if len(curves) == 2:
            (times, values), (other_times, other) = curves
            inside = (times >= other_times[0]) & (times <= other_times[-1])
            error = np.where(inside, np.interp(times, other_times, other) - values, np.nan)
            rmse = float(np.sqrt(np.nanmean(error**2))) if inside.any() else float("nan")
            self._error.content = f"RMSE {rmse:.4g} {plain(unit)}, ghost against log"
            ghost, difference = self.playbacks[1].log, Log([StreamLayout("", Kind.SCALARS, (name,), (unit,))])
            difference.append(0, times, error[:, None])
        self.plotted = of_replay(log, ghost, difference, name)

    def _bring(self) -> None:
        """Keep an uploaded log in the folder, under its own name without any path."""
        file = self._upload.value
        name = Path(file.name.replace("\\", "/")).name[-LONGEST_NAME:]
        if Path(name).suffix.lower() not in LOG_ENDINGS or name.startswith("."):
            self._session.notify("Not kept", f"a log ends in {', '.join(LOG_ENDINGS)}")
            return
        target = self._session.folder / name
        if target.exists():
            self._session.notify("Not kept", f"there is a log {name!r} already")
            return
        self._session.folder.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        self.list()
        self._first.value = name
