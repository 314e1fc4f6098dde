"""Overlays in the scene: arrows of forces and wind, the trail, frames by name."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from didymos.cockpit.pull import Pulled
from didymos.cockpit.scene import ROOT, Puppet
from didymos.cockpit.snapshot import Snapshot
from didymos.engine.link_frames import LinkFrames

__all__ = ["KINDS", "OFF", "FrameLabels", "Overlays", "PullLine"]

KINDS = {
    "thrust": ((240, 140, 0), "Thrust and other forces of parts"),
    "lift": ((47, 158, 68), "Lift"),
    "drag": ((224, 49, 49), "Drag"),
    "contacts": ((214, 51, 108), "Contact points and forces"),
    "pushes": ((112, 72, 232), "Pushes"),
    "sensors": ((250, 176, 5), "What lidars, range finders and cameras look at"),
    "wind": ((34, 139, 230), "Wind at the robot"),
    "trail": ((12, 133, 153), "Trail of the last seconds"),
    "inertia": ((230, 119, 0), "Inertia of links as boxes"),
    "centres": ((224, 49, 49), "Centres of mass"),
}
"""Colour and meaning of each kind of overlay."""

OFF = {"inertia", "centres"}
"""Kinds that are not shown until somebody asks for them."""

WIND = 0.15  # sizes of the robot per m/s
TRAIL_POINTS, TRAIL_PERIOD = 200, 0.1  # and [s] between two of them
Array = NDArray[np.float64]


class Overlays:
    """Draws what a snapshot says of a robot beyond poses. `shown` names the kinds that are on.

    The robot has a name in a world, and a size [m] and a weight [N]: an arrow as long as it is large means its weight.
    """

    def __init__(self, scene: viser.SceneApi, robot: str, size: float, weight: float) -> None:
        self._scene, self._robot, self._size = scene, robot, size
        self._base = f"{ROOT}/overlays/{robot}".rstrip("/")
        self._per_newton = size / max(weight, 1e-9)
        self.shown = set(KINDS)
        self.scale = 1.0
        self._arrows: dict[str, Any] = {}
        self._line: Any = None
        self._trail: deque[tuple[float, Array]] = deque(maxlen=TRAIL_POINTS)

    def draw(self, snapshot: Snapshot, root: int) -> None:
        """Bring all overlays up to a snapshot."""
        newtons, here = self._per_newton * self.scale, snapshot.positions[root]
        acting = snapshot.robots[self._robot]
        for kind, arrows in acting.forces.items():
            self._show(kind, arrows, newtons, here)
        above = here + np.array([0.0, 0.0, 1.2 * self._size])
        self._show("wind", np.array([[above, acting.wind]]), WIND * self._size * self.scale, here)
        self._draw_trail(snapshot.time, here)

    def _show(self, kind: str, arrows: Array, scale: float, here: Array) -> None:
        """Arrows from points [m] along vectors; those too short to be seen are left out.

        They hang at the robot: the page stops drawing what it believes to be out of sight, and it looks only once where
        points are.
        """
        drawn = arrows[np.linalg.norm(arrows[:, 1], axis=1) * scale > 0.02 * self._size]
        node = self._arrows.get(kind)
        if kind not in self.shown or not len(drawn):
            if node is not None:
                node.visible = False
            return
        points = (np.stack([drawn[:, 0], drawn[:, 0] + scale * drawn[:, 1]], axis=1) - here).astype(np.float32)
        if node is None:
            thick = 0.025 * self._size
            self._arrows[kind] = self._scene.add_arrows(
                f"{self._base}/{kind}",
                points,
                KINDS[kind][0],
                shaft_radius=thick,
                head_radius=2.4 * thick,
                head_length=5.0 * thick,
                position=here,
            )
        else:
            node.points, node.position, node.visible = points, here, True

    def _draw_trail(self, time: float, position: Array) -> None:
        if self._trail and time < self._trail[-1][0]:
            self._trail.clear()
        longer = not self._trail or time - self._trail[-1][0] >= TRAIL_PERIOD
        if longer:
            self._trail.append((time, position.copy()))
        if "trail" not in self.shown or len(self._trail) < 2:
            if self._line is not None:
                self._line.visible = False
            return
        if self._line is not None and self._line.visible and not longer:
            return
        points = (np.array([point for _, point in self._trail]) - position).astype(np.float32)
        segments = np.stack([points[:-1], points[1:]], axis=1)
        if self._line is None:
            colour = np.array(KINDS["trail"][0], dtype=np.uint8)
            self._line = self._scene.add_line_segments(
                f"{self._base}/trail", segments, colour, thickness=3.0, thickness_units="screen", position=position
            )
        else:
            self._line.points, self._line.position, self._line.visible = segments, position, True

    def hide(self) -> None:
        """Show no arrows and no trail until the next `draw`."""
        for node in [*self._arrows.values(), *([self._line] if self._line is not None else [])]:
            node.visible = False


class PullLine:
    """What is pulled by hand: a line from where it is held to the pointer, and how hard."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._line: Any = None
        self._text: Any = None

    def draw(self, pulled: Pulled | None) -> None:
        """Show a pull, or none."""
        if pulled is None:
            if self._line is not None:
                self._line.visible = self._text.visible = False
            return
        text = f"{float(np.linalg.norm(pulled.force)):.3g} N"
        points = np.array([[np.zeros(3), pulled.pointer - pulled.point]], dtype=np.float32)
        if self._line is None:
            colour = np.array(KINDS["pushes"][0], dtype=np.uint8)
            base = f"{ROOT}/overlays/pull"
            self._line = self._scene.add_line_segments(
                base, points, colour, thickness=4.0, thickness_units="screen", position=pulled.point
            )
            self._text = self._scene.add_label(f"{base}_text", text, position=pulled.pointer, font_size_mode="screen")
        self._line.points, self._line.position, self._line.visible = points, pulled.point, True
        self._text.text, self._text.position, self._text.visible = text, pulled.pointer, True


class FrameLabels:
    """Axes and names of links and frames."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._nodes: list[Any] = []

    def clear(self) -> None:
        """Show none."""
        for node in self._nodes:
            node.remove()
        self._nodes.clear()

    def show(self, robot: str, links: LinkFrames, puppet: Puppet, pattern: str, size: float) -> int:
        """Show those of a robot of a size [m] whose name contains a pattern; none for an empty one. How many."""
        if not pattern:
            return 0
        before, length = len(self._nodes), 0.35 * size
        text = pattern.casefold().strip("* ")
        for name, frame in (links.links | links.frames).items():
            label = f"{robot}/{name}".lstrip("/")  # as frames are called in a log
            if text in label.casefold():
                path = f"{puppet.node(frame.body).name}/frame_{len(self._nodes)}"
                axes = self._scene.add_frame(
                    path,
                    axes_length=length,
                    axes_radius=0.03 * length,
                    position=frame.pose.position,
                    wxyz=frame.pose.quaternion,
                )
                self._nodes.append(axes)
                self._scene.add_label(f"{path}/name", label, font_size_mode="screen", font_screen_scale=0.8)
        return len(self._nodes) - before
