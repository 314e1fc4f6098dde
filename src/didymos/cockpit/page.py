"""The page: scene and panels around a session, brought up to date some thirty times a second."""

from __future__ import annotations

import threading
import time as wall
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import viser
from numpy.typing import NDArray

from didymos.cockpit.camera_panel import CameraPanel
from didymos.cockpit.keepsakes import Keepsakes
from didymos.cockpit.layouts import Layouts
from didymos.cockpit.live_run import LiveRun
from didymos.cockpit.pilot_panel import PilotPanel
from didymos.cockpit.plot_feed import PlotFeed
from didymos.cockpit.plot_source import PlotSource, of_run
from didymos.cockpit.pose_panel import PosePanel
from didymos.cockpit.replay import Replay
from didymos.cockpit.robots import figures_of, twins_of
from didymos.cockpit.run_events import alarm_events
from didymos.cockpit.run_panel import RunPanel, status_text
from didymos.cockpit.scene import horizon_of, light_up
from didymos.cockpit.server import Server
from didymos.cockpit.session import Session
from didymos.cockpit.stage import Stage
from didymos.cockpit.timeline import Timeline
from didymos.cockpit.tune import Tune
from didymos.cockpit.view_panel import ViewPanel
from didymos.describe.names import cameras

if TYPE_CHECKING:
    from didymos.cockpit.shadow_view import ShadowView
from didymos.web.shapes import extent_of, is_bare

__all__ = ["Page"]

RATE, LIGHT_RATE = 30, 10  # [1/s] pictures, usually and for slow machines; texts and plots change at the slower one
DISTANCE = 2.3  # sizes of the robot from it to the camera
FROM = np.array([0.9, 0.5, 0.5])  # the way from the robot to the camera
IDLE = 1.0  # rest after a picture, in the time that it took: of many robots there are fewer pictures, and the run goes on


class Page:
    """Shows a session to everybody who opens it. All pages share one state: the same view, the same panels."""

    def __init__(
        self, server: Server, session: Session, *, light: bool = False, shadow: ShadowView | None = None
    ) -> None:
        self._session, self._viser, self.shadow = session, server.viser, shadow
        self._closed = threading.Event()
        self._rate = LIGHT_RATE if light else RATE
        self.pictures = 0
        simulation = session.live.simulation
        extent = extent_of(simulation.shown.model, simulation.data.qpos)
        self._size, self._figures = extent.size, figures_of(simulation)
        near = 0.01 * min(figure.extent.size for figure in self._figures.values())
        self._horizon = horizon_of(self._size, near)
        width: Literal["medium", "large"] = "medium" if shadow is None else "large"  # one more tab
        self._viser.gui.configure_theme(
            show_logo=False, show_share_button=False, control_width=width, brand_color=(11, 114, 133)
        )
        self._viser.gui.set_panel_label(f"Didymos · {session.twin.name}")
        self._viser.scene.set_up_direction("+z")
        light_up(self._viser.scene, shadows=not light)
        self._live = session.live
        self._build_stage(self._live)
        self._middle, self._middles = extent.middle - self._focus(None), {
            name: figure.extent.middle - self._focus(name) for name, figure in self._figures.items()
        }
        self._viser.initial_camera.position = self._middle + FROM * DISTANCE * self._size
        self._viser.initial_camera.look_at = self._middle
        self._viser.initial_camera.near = near
        self._viser.initial_camera.far = 2.0 * self._horizon
        server.gone = session.let_go
        server.connected = lambda client: self._place_camera(client) if client.camera.aspect < 1.0 else None
        self.timeline = Timeline(session, server.feed)
        self._build_panels(self._viser.gui)
        self._plots = PlotFeed(server.feed, session.twin.name, Layouts(), session.notify)
        self._run_source = of_run(session.live.log)
        self._keepsakes = Keepsakes(server.feed, session, self._viser.send_file_download)
        self._thread = threading.Thread(target=self._work, name="didymos-page", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop drawing."""
        self._closed.set()
        self._thread.join(5.0)
        if self.shadow is not None:
            self.shadow.close()

    def _build_stage(self, live: LiveRun) -> None:
        """Build the scene of a run's model."""
        self._stage = Stage(self._viser.scene, live.simulation, self._size, self._horizon, self._figures)
        self._stage.on_push(self._push)
        self._stage.on_pull(self._pull, modifier="cmd/ctrl")

    def _build_panels(self, gui: viser.GuiApi) -> None:
        session = self._session
        self._status = gui.add_markdown(status_text(session))
        tabs = gui.add_tab_group()
        if self.shadow is not None:
            with tabs.add_tab("Shadow"):
                self.shadow.build(gui, session)
        with tabs.add_tab("Run"):
            self._run = RunPanel(gui, session)
        with tabs.add_tab("Tune"):
            self._tune = Tune(gui, session)
        with tabs.add_tab("Pilot"):
            self._pilot = PilotPanel(gui, session)
        self._cameras: CameraPanel | None = None
        with tabs.add_tab("View"):
            self._view = ViewPanel(gui, session, self._figures)
            if any(map(cameras, twins_of(session.twin).values())):
                with gui.add_folder("Cameras"):
                    self._cameras = CameraPanel(gui, session)
        with tabs.add_tab("Pose"):
            self._pose = PosePanel(gui, session, self._figures, self._viser.scene)
        with tabs.add_tab("Replay"):
            self.replay = Replay(gui, session)
        self.timeline.close_replay = self.replay.close
        self._run.played = self.timeline.go_live
        gui.main_panel.dock_right()
        self._view.frames.on_update(lambda _: self._show_frames())
        self._view.collision.on_update(lambda _: self._stage.show_collision(bool(self._view.collision.value)))
        if is_bare(session.live.simulation.shown.model):
            self._view.shown["inertia"].value = True  # there is nothing else of the robot to see
        names = self._view.names
        if names is not None:
            names.on_update(lambda _: self._stage.show_names(bool(names.value)))
        self._view.plain_drag.on_update(lambda _: self._stage.drag_plainly(self._pull, bool(self._view.plain_drag.value)))
        self._view.view.on_update(lambda _: self._place_cameras())
        self._view.looked = self._place_cameras

    @property
    def _target(self) -> str | None:
        """The robot that the view is about, None for all; nobody is on board of all."""
        target = self._view.robot_in_view
        return self._session.robots[0] if target is None and self._view.view.value == "on board" else target

    def _focus(self, target: str | None) -> NDArray[np.float64]:
        """Where a view of a robot, or of all of them (None), is centred now [m]."""
        if self.shadow is not None and self.shadow.shows_robot:
            return self._stage.focus(*self._stage.body_poses(self.shadow.positions[0]), target)[0]
        snapshot = self._session.live.snapshot
        return self._stage.focus(snapshot.positions, snapshot.quaternions, target)[0]

    def _push(self, robot: str, link: str, direction: NDArray[np.float64]) -> None:
        """Push a link the way a person looks at it, as hard as the panel says."""
        force = self._view.size_of_push(robot) * direction / max(float(np.linalg.norm(direction)), 1e-9)
        self._view.push(robot, link, (float(force[0]), float(force[1]), float(force[2])))

    @property
    def _shows_run(self) -> bool:
        """Whether the scene shows the run as it is now, not its past, a replay or a shadow's robot."""
        return self.timeline.is_live and not self.replay.playbacks and not (self.shadow is not None and self.shadow.shows_robot)

    def _pull(self, phase: str, robot: str, link: str, point: NDArray[np.float64], pointer: NDArray[np.float64]) -> None:
        """Pull a link by the point that was grabbed to the pointer."""
        if phase == "end" or not self._shows_run or not np.isfinite([*point, *pointer]).all():
            self._session.let_go()
            return
        if phase == "start":
            figure = self._figures[robot]
            self._session.pull(robot, link, point, figure.weight / figure.extent.size, figure.weight)
        self._session.pull_to(pointer)

    def _work(self) -> None:
        count = 0
        due = wall.perf_counter()
        while not self._closed.is_set():
            began = wall.perf_counter()
            self._draw(count % (self._rate // LIGHT_RATE) == 0)
            count += 1
            now = wall.perf_counter()
            due = max(due, now - 1.0 / self._rate) + 1.0 / self._rate
            self._closed.wait(max(IDLE * (now - began), due - now))

    def _draw(self, slow: bool) -> None:
        if self.shadow is not None:
            self.shadow.take()
        live = self._session.live
        snapshot, view, target = live.snapshot, str(self._view.view.value), self._target
        with self._viser.atomic():
            if not self._stage.fits(snapshot):
                self.replay.close()
                self._pose.renew()
                self._stage.remove()
                self._build_stage(live)
                self._stage.drag_plainly(self._pull, bool(self._view.plain_drag.value))
            self.timeline.hidden = self.shadow is not None and self.shadow.shows_robot and not self.replay.playbacks
            self.timeline.update(self.replay.playbacks)
            positions = self.timeline.positions
            if positions is not None and not self.timeline.hidden:
                self._stage.draw_replay(positions, view, target)
            elif self.shadow is not None and self.shadow.shows_robot:
                self._stage.draw_replay(self.shadow.positions, view, target)
            else:
                shown = {kind for kind, box in self._view.shown.items() if box.value}
                ghost = self.shadow.robot if self.shadow is not None else self._run.ghost_at(snapshot.time)
                scale = float(self._view.scale.value)
                self._stage.draw(snapshot, view, target, shown, scale, ghost, hold=self._pose.moving)
            if slow:
                self._write(live)
        self.pictures += 1

    def _write(self, live: LiveRun) -> None:
        """Bring texts and plots up to a run."""
        shadow = self.shadow
        looked_at = None if self.timeline.is_live else self.timeline.time
        robot = shadow is not None and shadow.shows_robot
        text = shadow.status if shadow is not None and robot else status_text(self._session, looked_at, self.replay.shown)
        if shadow is not None:
            shadow.write()
        if self._status.content != text:
            self._status.content = text
        if live is not self._live:  # its program may have other gains and signals
            self._live = live
            self._tune.refresh_all()
            self._pose.renew()
            self._stage.renew(live.simulation)
            self._run_source = of_run(live.log)
        self._run.update(replay=bool(self.replay.playbacks))
        self._tune.update()
        self._pose.update(live.snapshot, self._stage.root, shown=self._shows_run)
        self._pilot.update()
        if self._cameras is not None:
            self._cameras.update(live.snapshot)
        self.replay.list()
        self._plot(live)

    def _plot(self, live: LiveRun) -> None:
        """Bring the plots up to what the scene shows: a replay, a shadow's robot, or the run."""
        shadow, replay = self.shadow, self.replay
        source: PlotSource | None = replay.plotted if replay.playbacks else None
        if source is not None:
            self._plots.update(source, self.timeline.time, lambda: self.timeline.events)
        elif shadow is not None and shadow.shows_robot:
            self._plots.update(shadow.plotted, shadow.errors.time, lambda: alarm_events(shadow.feed.alarms))
        else:
            self._plots.update(self._run_source, live.snapshot.time, lambda: self.timeline.events)

    def _show_frames(self) -> None:
        pattern = str(self._view.frames.value)
        if self._stage.show_frames(pattern) == 0 and pattern:
            self._session.notify("Frames", f"no link or frame has {pattern[:60]!r} in its name")

    def _place_cameras(self) -> None:
        """Bring every camera where the chosen view begins."""
        for client in self._viser.get_clients().values():
            self._place_camera(client)

    def _place_camera(self, client: Any) -> None:
        view, aspect, target = str(self._view.view.value), client.camera.aspect, self._target
        size, middle = self._size, self._middle
        if target:
            size, middle = self._figures[target].extent.size, self._middles[target]
        elif target is None:  # robots may have spread since the run began
            size = max(size, self._stage.spread(self._session.live.snapshot.positions))
        distance = DISTANCE * size * (1.0 if aspect >= 1.0 else min(1.0 / aspect, 3.0))
        with client.atomic():
            if view == "on board":
                client.camera.position, client.camera.look_at = (0.0, 0.0, 0.3 * size), (10.0 * size, 0.0, 0.0)
                return
            middle = middle + (self._focus(target) if view == "free" else 0.0)
            if aspect < 1.0:  # the panels cover the lower half of a phone
                middle = middle - np.array([0.0, 0.0, 0.35 * distance])
            client.camera.position, client.camera.look_at = middle + FROM * distance, middle
