"""The panel View: how the scene is seen, what is drawn in it, and a push by a button."""

from __future__ import annotations

import viser

from didymos.cockpit.overlays import KINDS
from didymos.cockpit.scene import VIEWS
from didymos.cockpit.session import Session

__all__ = ["ViewPanel"]


class ViewPanel:
    """What the scene shows, and a disturbance by a button."""

    def __init__(self, gui: viser.GuiApi, session: Session, weight: float) -> None:
        self._session = session
        gui.add_markdown("Choose the view and what is drawn; push the robot with the button, or Shift-click it.")
        self.view = gui.add_dropdown("View", VIEWS, initial_value="follow")
        self.shown = {kind: gui.add_checkbox(text, True) for kind, (_, text) in KINDS.items()}
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
