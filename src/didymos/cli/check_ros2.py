"""`didymos check --ros2`: what a twin or a world would show on ROS 2's wire, and what programs of ROS 2 would miss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from didymos.cli.text import INDENT, print_table

if TYPE_CHECKING:
    from didymos.ports.ros2.surface import Surface

__all__ = ["look_at_wire", "print_wire"]


def look_at_wire(path: str, read: Mapping[str, Any]) -> tuple[Surface, dict[str, dict[str, list[str]]]]:
    """What a twin or world would show when it begins, and by robot (empty for a twin alone) and program what is missing.

    It is made ready to run, so code of its folder runs where the user trusts it.
    """
    import didymos
    from didymos.ports.ros2.missing import missing
    from didymos.ports.ros2.surface import surface_of
    from didymos.world import find_world

    simulation = (didymos.load_world(path) if find_world(path) is not None else didymos.load(path, **read)).simulate()
    try:
        surface = surface_of(simulation)
        return surface, {owner.robot_name: missing(surface, owner) for owner in surface.nodes if owner.robot is not None}
    finally:
        simulation.close()


def print_wire(surface: Surface, found: Mapping[str, Mapping[str, list[str]]]) -> None:
    """The same for people."""
    print_table([(owner.name,) for owner in surface.nodes], title="nodes")
    for title, topics in (("topics out", surface.published), ("topics in", surface.subscribed)):
        print_table([(topic.name, topic.type_name, topic.quality) for topic in topics], title=title)
    for kind in ("service", "action"):
        offers = [(item.name, item.type_name) for item in surface.offers if item.kind == kind]
        print_table(offers, title=f"{kind}s")
    print("frames")
    for line in surface.frame_lines():
        print(INDENT + line)
    for robot, tools in found.items():
        for tool, lines in tools.items():
            of = f" of {robot}" if robot else ""
            print(f"{tool} would miss{of}" if lines else f"{tool} misses nothing{of}")
            for line in lines:
                print(INDENT + line)
