"""The page: scene and panels around a session, brought up to date some thirty times a second."""

from __future__ import annotations

import threading
import time as wall
from typing import Any

import numpy as np
import viser.transforms as tf

from didymos.cockpit.camera_panel import CameraPanel
from didymos.cockpit.overlays import Overlays
from didymos.cockpit.panels import PushPanel, RunPanel, status
from didymos.cockpit.pilot_panel import PilotPanel
from didymos.cockpit.plots import Plots
from didymos.cockpit.replay import Replay
from didymos.cockpit.scene import Puppet, World, extent_of, light_up
from didymos.cockpit.sensor_overlay import SensorOverlay
from didymos.cockpit.server import Server
from didymos.cockpit.session import Session
from didymos.cockpit.tune import Tune
from didymos.describe.names import cameras

__all__ = ["Page"]

RATE, LIGHT_RATE = 30, 10  # [1/s] pictures, usually and for slow machines; texts and plots change at the slower one
GHOST = (51, 154, 240)
DISTANCE = 2.3  # sizes of the robot from it to the camera
FROM = np.array([0.9, 0.5, 0.5])  # the way from the robot to the camera
PLOTS_WIDTH = 330  # pixels


class Page:
    """Shows a session to everybody who opens it. All pages share one state: the same view, the same panels."""

    def __init__(self, server: Server, session: Session, *, light: bool = False) -> None:
        self._server, self._session = server, session
        self._viser = server.viser
        self._scene, gui = self._viser.scene, self._viser.gui
        self._closed = threading.Event()
        self._rate = LIGHT_RATE if light else RATE
        self.pictures = 0
        simulation = session.simulation
        extent = extent_of(simulation.shown.model, simulation.data.qpos)
        self._size, self._weight = extent.size, float(np.sum(simulation.model.body_mass)) * 9.81
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="medium", brand_color=(11, 114, 133))
        gui.set_panel_label(f"Didymos · {session.twin.name}")
        self._scene.set_up_direction("+z")
        light_up(self._scene, shadows=not light)
        self._stage()
        self._middle = extent.middle - session.frame.positions[self._root]
        self._viser.initial_camera.position = self._middle + FROM * DISTANCE * self._size
        self._viser.initial_camera.look_at = self._middle
        self._viser.initial_camera.near = 0.01 * self._size
        self._viser.on_client_connect(lambda client: self._place_camera(client) if client.camera.aspect < 1.0 else None)
        self._status = gui.add_markdown(status(session))
        tabs = gui.add_tab_group()
        with tabs.add_tab("Run"):
            self._run = RunPanel(gui, session)
        with tabs.add_tab("Tune"):
            self._tune = Tune(gui, session)
        with tabs.add_tab("Pilot"):
            self._pilot = PilotPanel(gui, session)
        with tabs.add_tab("View"):
            self._push = PushPanel(gui, session, self._weight)
        with tabs.add_tab("Replay"):
            self.replay = Replay(gui, session)
        beside = gui.add_panel()
        with beside.add_tab("Plots"):
            self._plots = Plots(gui, session.log)
        self._cameras: CameraPanel | None = None
        if cameras(session.twin):
            with beside.add_tab("Cameras"):
                self._cameras = CameraPanel(gui, session)
        gui.main_panel.dock_right()
        beside.dock_left()
        beside.set_width(PLOTS_WIDTH)
        self._push.frames.on_update(lambda _: self._show_frames())
        self._push.collision.on_update(lambda _: self._puppet.show_collision(bool(self._push.collision.value)))
        self._push.view.on_update(lambda _: self._place_cameras())
        self._thread = threading.Thread(target=self._work, name="didymos-page", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop drawing."""
        self._closed.set()
        self._thread.join(5.0)

    def _stage(self) -> None:
        """Build the scene of the session's model."""
        simulation = self._session.simulation
        self._generation = self._session.generation
        self._world = World(self._scene, simulation.shown.model, self._size)
        self._puppet = Puppet(self._scene, simulation.shown.model, "robot")
        self._marks = Overlays(self._scene, self._size, self._weight)
        self._sights = SensorOverlay(self._scene, simulation.twin, simulation.links, self._puppet, self._size)
        self._ghost: Puppet | None = None
        self._root = simulation.links.root_body(simulation.model)
        for geom, node in self._puppet.visual.items():
            link = simulation.links.link_of_geom(simulation.shown.model, geom)
            if link is not None:
                self._pushable(node, link)

    def _pushable(self, node: Any, link: str) -> None:
        def clicked(event: Any) -> None:
            direction = np.asarray(event.ray_direction, dtype=np.float64)
            if self._push.view.value == "on board":
                direction = tf.SO3(self._session.frame.quaternions[self._root]) @ direction
            size = float(np.linalg.norm(self._push.force.value)) or 0.5 * self._weight
            force = size * direction / max(float(np.linalg.norm(direction)), 1e-9)
            self._push.push(link, (float(force[0]), float(force[1]), float(force[2])))

        node.on_click(modifier="shift")(clicked)

    def _work(self) -> None:
        count = 0
        due = wall.perf_counter()
        while not self._closed.is_set():
            self._draw(count % (self._rate // LIGHT_RATE) == 0)
            count += 1
            due = max(due, wall.perf_counter() - 1.0 / self._rate) + 1.0 / self._rate
            self._closed.wait(max(0.0, due - wall.perf_counter()))

    def _draw(self, slow: bool) -> None:
        frame = self._session.frame
        with self._viser.atomic():
            if len(frame.positions) != len(self._puppet.bodies):  # a piloted run has boxes
                self._world.root.remove()
                self._stage()
            if self.replay.playbacks:
                self.replay.update()
                self._draw_replay()
            else:
                if self._ghost is not None:
                    self._ghost.remove()
                    self._ghost = None
                self._puppet.pose(frame.positions, frame.quaternions)
                self._marks.shown = {kind for kind, box in self._push.shown.items() if box.value}
                self._marks.scale = float(self._push.scale.value)
                self._marks.draw(frame, self._root)
                self._sights.draw(frame.ranges, "sights" in self._marks.shown)
                self._world.look(str(self._push.view.value), frame.positions[self._root], frame.quaternions[self._root])
            if slow:
                self._write()
        self.pictures += 1

    def _write(self) -> None:
        session = self._session
        text = status(session)
        if self._status.content != text:
            self._status.content = text
        if session.generation != self._generation:
            self._generation = session.generation
            self._tune.refresh_all()
            self._plots.renew(session.log)
        self._run.update()
        self._pilot.update()
        if self._cameras is not None:
            self._cameras.update(session.frame)
        self.replay.list()
        if not self.replay.playbacks and (session.pulse.playing or session.frame.time != getattr(self, "_plotted", None)):
            self._plotted = session.frame.time
            self._plots.update(session.log, session.frame.time)

    def _draw_replay(self) -> None:
        playbacks, camera, simulation = self.replay.playbacks, self._session.camera, self._session.simulation
        self._marks.hide()
        self._sights.draw({}, False)
        poses = [camera.poses(simulation.model, playback.at(self.replay.time)) for playback in playbacks]
        self._puppet.pose(*poses[0])
        if len(poses) == 2:
            if self._ghost is None:
                self._ghost = Puppet(self._scene, simulation.shown.model, "ghost", tint=GHOST)
            self._ghost.pose(*poses[1])
        elif self._ghost is not None:
            self._ghost.remove()
            self._ghost = None
        self._world.look(str(self._push.view.value), poses[0][0][self._root], poses[0][1][self._root])

    def _show_frames(self) -> None:
        found = self._marks.show_frames(self._session.simulation.links, self._puppet, str(self._push.frames.value))
        if self._push.frames.value and not found:
            self._session.notify("Frames", f"no link or frame has {str(self._push.frames.value)[:60]!r} in its name")

    def _place_cameras(self) -> None:
        """Bring every camera where the chosen view begins."""
        for client in self._viser.get_clients().values():
            self._place_camera(client)

    def _place_camera(self, client: Any) -> None:
        view, aspect = str(self._push.view.value), client.camera.aspect
        distance = DISTANCE * self._size * (1.0 if aspect >= 1.0 else min(1.0 / aspect, 3.0))
        with client.atomic():
            if view == "on board":
                client.camera.position, client.camera.look_at = (0.0, 0.0, 0.3 * self._size), (10.0 * self._size, 0.0, 0.0)
                return
            middle = self._middle + (self._session.frame.positions[self._root] if view == "free" else 0.0)
            if aspect < 1.0:  # the panels cover the lower half of a phone
                middle = middle - np.array([0.0, 0.0, 0.35 * distance])
            client.camera.position, client.camera.look_at = middle + FROM * distance, middle
