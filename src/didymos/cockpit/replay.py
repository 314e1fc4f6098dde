"""Replay: one or two logs, scrubbed through time, the second as a ghost, the difference of a signal beside."""

from __future__ import annotations

import time as wall
from pathlib import Path

import numpy as np
import viser

from didymos.cockpit.playback import Playback
from didymos.cockpit.plots import HEIGHT, curves_of, scales
from didymos.cockpit.robots import RobotMenu
from didymos.cockpit.session import Session
from didymos.cockpit.signals import is_there, names, pairs, tail, together, unit
from didymos.errors import DidymosError, InputError
from didymos.record.log import Log

__all__ = ["Replay", "find_log", "logs_in"]

NONE = "(none)"
ENDINGS = (".mcap", ".csv")
LONGEST_NAME = 100


def logs_in(folder: Path) -> tuple[str, ...]:
    """Names of the logs in a folder, the newest first."""
    if not folder.is_dir():
        return ()
    files = [file for file in folder.iterdir() if file.suffix.lower() in ENDINGS and file.is_file()]
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
        self.time = 0.0
        self._playing_since: tuple[float, float] | None = None
        self._moved_here = 0.0
        whose = "of this twin or of the real robot" if session.robots == ("",) else "of this world"
        gui.add_markdown(f"Look at a log again, {whose}; a second one runs beside it as a ghost.")
        self._first = gui.add_dropdown("Log", (NONE,), initial_value=NONE)
        self._second = gui.add_dropdown("Ghost", (NONE,), initial_value=NONE)
        self._upload = gui.add_upload_button("Bring a log", icon=viser.Icon.UPLOAD, hint=".mcap or .csv")
        self._open = gui.add_button("Open", icon=viser.Icon.FOLDER_OPEN, color="teal")
        self._scrub = gui.add_slider("t [s]", min=0.0, max=1.0, step=0.01, initial_value=0.0, disabled=True)
        self._play = gui.add_button("Play log", icon=viser.Icon.PLAYER_PLAY, disabled=True)
        self._robot = RobotMenu(gui, session.robots, self._offer, label="Signals of")
        self._signal = gui.add_dropdown("Compare", (NONE,), initial_value=NONE)
        empty = np.zeros(1), np.zeros(1)
        self._plot = gui.add_uplot(empty, curves_of([" "]), scales=scales((0.0, 1.0)), height=HEIGHT, visible=False)
        self._error = gui.add_markdown("")
        self._close = gui.add_button("Back to the run", icon=viser.Icon.ARROW_LEFT, disabled=True)
        self._open.on_click(lambda _: self.open(str(self._first.value), str(self._second.value)))
        self._scrub.on_update(lambda event: self._scrubbed() if event.client is not None else None)
        self._play.on_click(lambda _: self._toggle())
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
            logs = [Log.load(find_log(self._session.folder, name)) for name in (first, second) if name != NONE]
            playbacks = [Playback(self._session.live.simulation, log) for log in logs]
        except DidymosError as error:
            self._session.notify("Not opened", str(error))
            return
        if not playbacks:
            self._session.notify("Not opened", "choose a log first")
            return
        self._session.pause()
        end = max(playback.end for playback in playbacks)
        self._scrub.max, self._scrub.step = max(end, 0.01), max(0.01, round(end / 2000, 2))
        for handle in (self._scrub, self._play, self._close):
            handle.disabled = False
        self.time = self._scrub.value = 0.0
        self._playing_since = None
        self.playbacks = playbacks
        self._offer()

    def _offer(self) -> None:
        """Offer the signals that all logs have, of the chosen robot."""
        if not self.playbacks:
            return
        robot, logs = self._robot.value, [playback.log for playback in self.playbacks]
        common = [name for name in names(logs[0], robot) if all(is_there(log, name) for log in logs)]
        favourites = [name for pair in pairs(tuple(common), robot) for name in pair[1:]]
        self._signal.options = (NONE, *common)
        self._signal.value = (favourites or common or [NONE])[-1]
        self._compare()

    def close(self) -> None:
        """Back to the run, which is where it was."""
        self.playbacks = []
        self._plot.visible = False
        self._error.content = ""
        for handle in (self._scrub, self._play, self._close):
            handle.disabled = True

    def update(self) -> None:
        """Move on where the log plays."""
        if not self.playbacks:
            return
        end = max(playback.end for playback in self.playbacks)
        if self._playing_since is not None:
            since, begin = self._playing_since
            self.time = begin + wall.perf_counter() - since
            if self.time >= end:
                self.time, self._playing_since = end, None
            now = wall.perf_counter()
            if now - self._moved_here > 0.1 or self._playing_since is None:
                self._moved_here = now
                self._scrub.value = round(self.time, 2)
        label = "Play log" if self._playing_since is None else "Pause log"
        if self._play.label != label:
            self._play.label = label

    def _scrubbed(self) -> None:
        self.time, self._playing_since = float(self._scrub.value), None

    def _toggle(self) -> None:
        if not self.playbacks:
            return
        begin = 0.0 if self.time >= max(playback.end for playback in self.playbacks) - 1e-6 else self.time
        self._playing_since = None if self._playing_since is not None else (wall.perf_counter(), begin)

    def _compare(self) -> None:
        name = str(self._signal.value)
        if not self.playbacks or any(not is_there(playback.log, name) for playback in self.playbacks):
            return
        curves = [tail(playback.log, name, -np.inf) for playback in self.playbacks]
        if any(not len(times) for times, _ in curves):
            return
        labels = [f"{name} {unit(self.playbacks[0].log, name)}".strip()]
        if len(curves) == 2:
            (times, values), (other_times, other) = curves
            inside = (times >= other_times[0]) & (times <= other_times[-1])
            error = np.where(inside, np.interp(times, other_times, other) - values, np.nan)
            curves.append((times, error))
            labels += ["ghost", "ghost − log"]
            rmse = float(np.sqrt(np.nanmean(error**2))) if inside.any() else float("nan")
            self._error.content = f"RMSE {rmse:.4g} {unit(self.playbacks[0].log, name)}, ghost against log"
        else:
            self._error.content = ""
        data = together(curves)
        begin, end = float(data[0][0]), float(data[0][-1])
        self._plot.series, self._plot.scales = curves_of(labels), scales((begin, max(end, begin + 1e-3)))
        self._plot.data = data
        self._plot.visible = True

    def _bring(self) -> None:
        """Keep an uploaded log in the folder, under its own name without any path."""
        file = self._upload.value
        name = Path(file.name.replace("\\", "/")).name[-LONGEST_NAME:]
        if Path(name).suffix.lower() not in ENDINGS or name.startswith("."):
            self._session.notify("Not kept", "a log is a .mcap or a .csv")
            return
        target = self._session.folder / name
        if target.exists():
            self._session.notify("Not kept", f"there is a log {name!r} already")
            return
        self._session.folder.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        self.list()
        self._first.value = name
