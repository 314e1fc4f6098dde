"""Who carries whom in a world, and names of robots, links and objects in its file that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from didymos.describe.world_file import RobotSpec, WorldFile
from didymos.describe.world_scenario import Robot, Wrong, wrong_end
from didymos.errors import nearest

__all__ = ["carriers_first", "wrong_ends"]


def carriers_first(robots: Mapping[str, RobotSpec]) -> tuple[str, ...] | Wrong:
    """All robots, each after the one that carries it; what is wrong where that is a ring, or a carrier is not there."""
    found: list[str] = []
    for name in robots:
        chain = [name]
        while (on := _carrier(robots, chain[-1])) is not None:
            place = ("robots", chain[-1], "mount", "on")
            if on not in robots:
                return Wrong(f"there is no robot {on!r}{nearest(on, robots)}", place)
            if on in chain:
                ring = (*chain[chain.index(on) :], on)
                return Wrong(f"robots are mounted in a ring: {' on '.join(ring)}", place)
            chain.append(on)
        found += [one for one in reversed(chain) if one not in found]
    return tuple(found)


def _carrier(robots: Mapping[str, RobotSpec], name: str) -> str | None:
    mount = robots[name].mount
    return None if mount is None else mount.on


def wrong_ends(robots: Mapping[str, Robot], file: WorldFile) -> Iterator[Wrong]:
    """Mounts, couplings, targets of sensors and links of parts that name what is not there."""
    for name, robot in robots.items():
        mount = robot.mount
        if mount is not None and mount.on is not None and mount.link is not None:
            yield from wrong_end(f"{mount.on}.{mount.link}", robots, "robots", name, "mount", "link")
    for key, item in file.couplings.items():
        if item.between[0].startswith("objects."):
            text = "begins with an object; put the robot whose input switches it first"
            yield Wrong(text, ("couplings", key, "between"))
        for end in item.between:
            yield from wrong_end(end, robots, "couplings", key, "between")
    for name, robot in robots.items():
        yield from _wrong_targets(name, robot, robots)


def _wrong_targets(name: str, robot: Robot, robots: Mapping[str, Robot]) -> Iterator[Wrong]:
    """Sensors that look at, and parts that sit on, a robot or a link that is not there."""
    twin, description = robot.twin.file, robot.twin.description
    named = [(getattr(item, "target", ""), "sensors", key, "target") for key, item in twin.sensors.items()]
    named += [(part.link, "parts", key, "link") for key, part in twin.parts.items()]
    for target, *keys in named:
        if target and target not in description.links and target not in description.frames:
            yield from wrong_end(target, robots, "robots", name, *keys)
