"""The panel View: how the scene is seen, what is drawn in it, and a push by a button."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import viser

from didymos.cockpit.overlays import KINDS, OFF
from didymos.cockpit.robots import Figure, RobotMenu, named, twins_of
from didymos.cockpit.scene import VIEWS
from didymos.cockpit.session import Session

__all__ = ["ALL", "ViewPanel"]

ALL = "all robots"


class ViewPanel:
    """What the scene shows, and a disturbance by a button."""

    def __init__(self, gui: viser.GuiApi, session: Session, figures: Mapping[str, Figure]) -> None:
        self._session, self._figures = session, figures
        self._twins = twins_of(session.twin)
        robots = tuple(self._twins)
        whom = "the robot" if robots == ("",) else "a robot"
        gui.add_markdown(f"Choose the view and what is drawn; pull {whom} with Ctrl and the mouse, push it by Shift-click.")
        self.view = gui.add_dropdown("View", VIEWS, initial_value="follow")
        self.target = RobotMenu(gui, (ALL, *robots) if robots != ("",) else robots, lambda: self.looked(), label="Look at")
        self.looked: Callable[[], None] = lambda: None  # what happens when another one is looked at
        self.shown = {kind: gui.add_checkbox(text, kind not in OFF) for kind, (_, text) in KINDS.items()}
        self.scale = gui.add_slider("Length of arrows", min=0.1, max=5.0, step=0.1, initial_value=1.0)
        self.frames = gui.add_text("Frames", "", hint="Part of a link's or frame's name; * for all")
        self.names = gui.add_checkbox("Names of robots", True) if robots != ("",) else None
        self.collision = gui.add_checkbox("Shapes of contact", False)
        hint = "The robot is pulled by dragging it; the view turns beside it"
        self.plain_drag = gui.add_checkbox("Drag without Ctrl", False, hint=hint)
        with gui.add_folder("Push"):
            self.robot = RobotMenu(gui, robots, self._chosen)
            first = self._twins[self.robot.value].description
            self.link = gui.add_dropdown("Link", tuple(first.links), initial_value=first.root)
            force = (round(self._strength(self.robot.value), 2), 0.0, 0.0)
            self.force = gui.add_vector3("Force [N]", force, step=0.1, hint="World: x, y, z up")
            self.seconds = gui.add_slider("For [s]", min=0.02, max=2.0, step=0.02, initial_value=0.2)
            push = gui.add_button("Push", icon=viser.Icon.HAND_FINGER, color="violet")
            push.on_click(lambda _: self.push(self.robot.value, str(self.link.value), self.force.value))

    @property
    def robot_in_view(self) -> str | None:
        """The robot that the view is about; None for all of them."""
        return None if self.target.value == ALL else self.target.value

    def _strength(self, robot: str) -> float:
        """A push [N] that a robot feels: half of its weight."""
        return 0.5 * self._figures[robot].weight

    def _chosen(self) -> None:
        """Offer the links of another robot, and a force that suits it."""
        description = self._twins[self.robot.value].description
        self.link.options, self.link.value = tuple(description.links), description.root
        self.force.value = (round(self._strength(self.robot.value), 2), 0.0, 0.0)

    def size_of_push(self, robot: str) -> float:
        """How hard a click pushes a robot [N]: as the panel says of the chosen one."""
        x, y, z = self.force.value if robot == self.robot.value else (0.0, 0.0, 0.0)
        return float((x * x + y * y + z * z) ** 0.5) or self._strength(robot)

    def push(self, robot: str, link: str, force: tuple[float, float, float]) -> None:
        """Push a link for the chosen time."""
        self._session.push(named(robot, link), force, float(self.seconds.value))
