"""A shadow in the browser: the robot solid, its twin as a ghost, errors, alarms, and what-ifs.

The page is that of any cockpit. Its run is the what-if: a simulation that begins where the robot is, each time that it is started
anew, with all that the cockpit does to a run. While none is looked at, the scene belongs to the robot.

    with watch_shadow(shadow, port=8080) as page:
        print(page.url)
        shadow.run()
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import viser
from numpy.typing import NDArray

from didymos.cockpit.cockpit import Cockpit
from didymos.cockpit.error_log import ErrorLog
from didymos.cockpit.live_run import Programs, RunChoice, from_its_start
from didymos.cockpit.open_loop import OpenLoop
from didymos.cockpit.outlook_thread import OutlookThread
from didymos.cockpit.plot_source import PlotSource, of_errors
from didymos.cockpit.session import Session
from didymos.cockpit.shadow_feed import Known, ShadowFeed, Update
from didymos.cockpit.shadow_panel import ShadowPanel, status_line
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.simulation import Simulation
from didymos.record.log import Log
from didymos.shadow.branch import branch
from didymos.shadow.shadow import Shadow

__all__ = ["ShadowView", "watch_shadow"]

_LATENCIES = 1000  # of the newest updates
_TURN = 5e-4  # [s] after which a thread lets another one go on: the shadow waits no longer than that for the page
_Array = NDArray[np.float64]


class ShadowView:
    """All that the page shows of a shadow; `draw` and `write` belong to the page's thread."""

    def __init__(self, shadow: Shadow) -> None:
        self._shadow = shadow
        observer = shadow.observer
        self.feed = ShadowFeed()
        units = [channel.unit for channel in observer.channels for _ in range(channel.size)]
        self.errors = ErrorLog(dict(zip(observer.names, units, strict=True)))
        self.open_loop = OpenLoop(observer.twin, observer.stepper.signals, shadow.scenario)
        self.ahead = OutlookThread(self.feed, observer.twin, observer.stepper, shadow.scenario)
        self._waiting: list[Update] = []  # newer than the estimate that is shown
        self._latencies: deque[float] = deque(maxlen=_LATENCIES)
        self._shown: Known | None = None
        self._told = 0
        self._plotted: tuple[Log, int, PlotSource] | None = None
        self._branched = False
        shadow.listen(self.feed)

    def begin(self, what: Twin | World, choice: RunChoice, programs: Programs | None) -> Simulation:
        """A what-if: a simulation from where the robot is now; before the robot is found, from its start.

        In the shadow's own scenario it goes on where the robot is; another one begins now. There are no boxes to drop.
        """
        known = self.feed.known
        if known is None:
            return from_its_start(what, choice, programs)
        twin = known.twin.copy()
        twin.file = twin.file.model_copy(update={"pilot": twin.file.pilot.model_copy(update={"drop": None})})
        assert not isinstance(programs, Mapping)  # by robot, of a world
        return branch(
            known.estimate, twin, origin=self._shadow.observer.stepper, scenario=choice.scenario, control=programs,
            seed=choice.seed, at=None if choice.scenario == self._shadow.scenario else 0.0, piloted=choice.piloted,
        )  # fmt: skip

    def build(self, gui: viser.GuiApi, session: Session) -> None:
        """The panel, in the tab that is open now."""
        self._session, self._live = session, session.live
        self.panel = ShadowPanel(gui, self.feed, self.ahead)
        self.panel.what_if.on_click(lambda _: self.what_if())
        self.panel.back.on_click(lambda _: self.back())

    @property
    def plotted(self) -> PlotSource:
        """Innovations as plots; another one where the robot's clock went back, or an alarm was raised."""
        made = self.errors.log, len(self.feed.alarms)
        if self._plotted is None or self._plotted[:2] != made:
            self._plotted = (*made, of_errors(self.errors, self.feed.alarms))
        return self._plotted[2]

    @property
    def shows_robot(self) -> bool:
        """Whether the scene belongs to the robot, not to a what-if."""
        return self._shown is not None and not self._branched

    def what_if(self) -> None:
        """Branch where the robot is now, and play."""
        choice = self._session.live.choice
        self._session.restart(choice.scenario, choice.seed)
        self._session.play()

    def back(self) -> None:
        """Look at the robot again; the what-if stands still."""
        self._session.pause()
        self._session.wait()
        self._live, self._branched = self._session.live, False

    def take(self) -> None:
        """Take what came, up to the newest estimate: robot and ghost are of the same time."""
        self._waiting += [self.feed.updates.popleft() for _ in range(len(self.feed.updates))]
        last = max((i for i, update in enumerate(self._waiting) if update.known is not None), default=-1)
        updates, self._waiting = self._waiting[: last + 1], self._waiting[last + 1 :]
        if updates:
            self.open_loop.horizon = float(self.panel.horizon.value)
            self.open_loop.advance(updates)
            self.errors.add(updates)
            self._latencies.extend(update.latency for update in updates)
            self._shown = updates[-1].known
        if self._session.live is not self._live:
            self._live, self._branched = self._session.live, True

    @property
    def positions(self) -> list[_Array]:
        """Positions of all joints [nq]: of the robot, and of the ghost where it is shown."""
        assert self._shown is not None
        ghost = self.open_loop.qpos if self.panel.ghost.value else None
        return [self._shown.estimate.qpos] if ghost is None else [self._shown.estimate.qpos, ghost]

    @property
    def robot(self) -> _Array | None:
        """Positions of all joints of the robot [nq], for a ghost beside a what-if."""
        return None if self._shown is None or not self._branched else self._shown.estimate.qpos

    @property
    def status(self) -> str:
        """The lines that are always visible."""
        known = self._shown
        drift = None if known is None or known.clock is None else known.clock.drift
        return status_line(0.0 if known is None else known.estimate.time, self._latencies, drift)

    def close(self) -> None:
        """Look ahead no more."""
        self.ahead.close()

    def write(self) -> None:
        """Bring texts up to date, and tell everybody of a new alarm."""
        self.panel.update(shows_robot=self.shows_robot)
        for alarm in self.feed.alarms:
            if alarm.number > self._told:
                self._told = alarm.number
                self._session.notify(f"Alarm {alarm.number}", str(alarm))


def watch_shadow(
    shadow: Shadow, *, folder: str | Path = "recordings", host: str = "127.0.0.1", port: int = 8080, token: str | None = None,
    light: bool = False,
) -> Cockpit:  # fmt: skip
    """A cockpit of a shadow, before or while it runs on a thread of the caller's; see `Cockpit`."""
    sys.setswitchinterval(min(sys.getswitchinterval(), _TURN))
    view = ShadowView(shadow)
    return Cockpit(
        shadow.twin, scenario=shadow.scenario, folder=folder, host=host, port=port, token=token, light=light, shadow=view
    )
