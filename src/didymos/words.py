"""Words of old that have another name now, or none: whoever writes one is told the new one, or what took its place.

`nearest` of errors.py asks here first, so every complaint about an unknown key, path or signal knows the table.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["REMOVED", "RENAMED", "removed", "renamed"]

RENAMED = {
    "joint_trajectory": "joints",
    "quadruped": "legged",
    "wanted": "setpoints",
    "sensed": "measured",
    "grip": "friction_scale",
    "upstream": "input_from",
    "told": "needs",
    "wants": "setpoints",
    "slip_speed": "presliding",  # a way, no speed
    "follow": "mode",  # of fixed_wing
    "minimum_pulse": "minimum_impulse_bit",  # times the thrust
}
"""Old word -> new word: keys of a twin file, steps of a path, first words of a signal."""

_INFLOW = "the inflow of a rotor follows from its thrust_coefficient, torque_coefficient and radius"
_PLACE = "the place of the world's origin is world.earth: latitude, longitude and height"
REMOVED = {
    "latitude": _PLACE,
    "longitude": _PLACE,
    "inflow_coefficient": _INFLOW,
    "translational_lift": _INFLOW,
    "surfaces": "the twin's section 'allocation' says which inputs roll, pitch, yaw and push it (its thrust was throttle)",
    "mixer": "the twin's section 'allocation' has the layout of rotors, or the weights of each",
    "ground_height": "ground effect counts from world.ground.height and from what stands below",
}
"""Old word that no new one stands for -> what took its place."""

_ROOTS = frozenset({"wanted", "sensed"})
"""Old words that began the names of many things; what follows them is known to nobody but the program."""


def removed(name: str) -> str | None:
    """What took the place of a name that ends in an old word, None where it does not."""
    return REMOVED.get(name.rpartition(".")[2])


def renamed(name: str, known: Iterable[str]) -> str | None:
    """What a name with an old word in it is called now, None where it has none or nothing of that name is known."""
    steps = name.split(".")
    new = ".".join(RENAMED.get(step, step) for step in steps)
    if new == name:
        return None
    return new if new in set(known) or (len(steps) > 1 and steps[0] in _ROOTS) else None
