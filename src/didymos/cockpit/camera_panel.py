"""The folder Cameras of the panel View: what each camera of the robot sees, as the robot gets it."""

from __future__ import annotations

from typing import Any

import numpy as np
import viser

from didymos.cockpit.plain_text import plain
from didymos.cockpit.robots import named, twins_of
from didymos.cockpit.session import Session
from didymos.cockpit.snapshot import Snapshot
from didymos.describe.names import cameras
from didymos.engine.cameras import View

__all__ = ["CameraPanel", "for_the_eye"]

WIDEST = 400  # [pixel]: a picture in a panel needs no more
DARK = np.full((90, 160, 3), 60, np.uint8)


def for_the_eye(view: View) -> np.ndarray:
    """A picture of a view, not wider than the panel: its colours, or else its depth, near is bright; shape [h, w, 3]."""
    if view.colour is not None:
        picture = view.colour
    elif view.depth is not None:
        measured = np.isfinite(view.depth)
        farthest = float(view.depth[measured].max()) if measured.any() else 1.0
        grey = np.where(measured, 255.0 * (1.0 - view.depth / max(farthest, 1e-6)), 0.0).astype(np.uint8)
        picture = np.repeat(grey[:, :, None], 3, axis=2)
    else:
        picture = DARK
    return np.ascontiguousarray(picture[:: (every := max(1, -(-picture.shape[1] // WIDEST))), ::every])


class CameraPanel:
    """The latest picture of each camera; `update` sends only new ones."""

    def __init__(self, gui: viser.GuiApi, session: Session) -> None:
        gui.add_markdown("What the robot's cameras see. They take pictures where `enabled` is 1, as some scenarios have it.")
        self._pictures: dict[str, Any] = {}
        self._notes: dict[str, Any] = {}
        self._drawn: dict[str, float | None] = {}
        self._switches: dict[str, str] = {}
        eyes = [(robot, name) for robot, twin in twins_of(session.twin).items() for name in cameras(twin)]
        for robot, eye in eyes:
            name = named(robot, eye)
            self._switches[name] = named(robot, f"sensors.{eye}.enabled")
            self._notes[name] = gui.add_markdown("")
            self._pictures[name] = gui.add_image(DARK, format="jpeg", jpeg_quality=70, visible=False)

    def update(self, snapshot: Snapshot) -> None:
        """Show the pictures of a snapshot."""
        for name, handle in self._pictures.items():
            view = snapshot.views.get(name)
            text = f"**{plain(name)}**" + ("" if view is not None else f" is switched off: {plain(self._switches[name])} is 0")
            if view is not None and view.time is not None:
                text += f" at t = {view.time:.2f} s"
                if self._drawn.get(name) != view.time:
                    self._drawn[name] = view.time
                    handle.image = for_the_eye(view)
            if handle.visible != (view is not None):
                handle.visible = view is not None
            if self._notes[name].content != text:
                self._notes[name].content = text
