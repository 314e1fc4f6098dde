"""Set a robot free: its root link gets a free joint."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from didymos.describe.description import Description
from didymos.describe.formats.engine_spec import check_compiles, unique
from didymos.errors import InputError

__all__ = ["float_base", "why_not_floating"]


def float_base(description: Description) -> Description:
    """The description with a free joint, named ``<root>_free``, under its root link, if that has none already.

    The pose that the root had in the world is where it starts. The description given is left as it is.
    """
    if description.floating:
        return description
    root, file = description.root, description.source
    if reason := why_not_floating(description):
        raise InputError(f"link {root!r} cannot float: {reason}", file=file)
    spec = description.spec.copy()
    body = spec.body(description.links[root].body)
    body.add_freejoint(name=unique(f"{root}_free", {joint.name for joint in spec.joints}))
    check_compiles(spec, file)
    return replace(description, spec=spec, floating=True)


def why_not_floating(description: Description) -> str | None:
    """Why the root link cannot be set free, as the end of a sentence about it; None where it can."""
    if description.held_by is not None:
        return description.held_by
    body = description.spec.body(description.links[description.root].body)
    if body.joints:
        names = ", ".join(repr(joint.name) for joint in body.joints)
        return f"it moves in the world by joint {names} already"
    return None if _welded_mass(description) else "neither it nor a link welded to it has mass"


def _welded_mass(description: Description) -> float:
    """Mass [kg] of the root link and all that is welded to it."""
    root = description.spec.body(description.links[description.root].body)
    masses = {link.body: link.mass for link in description.links.values()}
    total, pending = 0.0, deque([root])
    while pending:
        body = pending.popleft()
        total += masses.get(body.name, 0.0)
        pending.extend(child for child in body.bodies if not child.joints)
    return total
