"""Pushes: forces [N] and moments [N m] from outside, world frame, that act at the centres of mass of links until they change.

The engine takes forces on bodies at the bodies' own centres of mass (`xfrc_applied`). A link that is part of a larger body has
its centre elsewhere; with the arm r from the body's centre to the link's, in the body's frame, the body feels

    f,    t = (R r) x f + m

with a moment m of its own, if the force acts at another point of the link. R turns with the body, so the wrench is written in
every evaluation, before the engine adds its forces up. Forces that go this way are known to the engine's force and torque
sensors.

Who pushes writes into our state (`PUSHES`, then force and moment for each link). The arms lie in the model, in one row per link,
since masses can change during a run.
"""

from __future__ import annotations

import numpy as np

from didymos.compiled import kernel
from didymos.engine.layout import DATA
from didymos.native import doubles, row_at, word

__all__ = ["PUSHED_LINK", "PUSHES", "WRENCH", "act_on_links"]

PUSHED_LINK = np.dtype([("body", np.int64), ("arm", np.float64, 3)])
"""A link's row in the model: its body, and the arm [m] from the body's centre of mass to its own."""

PUSHES = np.dtype([("used", np.float64)])
"""Before the forces on links: 1 once anybody pushed."""

WRENCH = 6
"""Numbers of a push: its force, then its moment."""

_XMAT, _XFRC_APPLIED = DATA["xmat"], DATA["xfrc_applied"]


@kernel
def act_on_links(data: int, count: int, links: int, forces: int) -> None:
    """Write the wrenches of all pushes; `links` is the address of the model's rows, `forces` of wrenches, [count, 6]."""
    wrenches = word(data + _XFRC_APPLIED)
    for i in range(count):
        wrench = doubles(wrenches + 48 * row_at(links, i, PUSHED_LINK).body)
        for k in range(6):
            wrench[k] = 0.0
    for i in range(count):
        push = doubles(forces + 48 * i)
        fx, fy, fz, mx, my, mz = push[0], push[1], push[2], push[3], push[4], push[5]
        if fx == 0.0 and fy == 0.0 and fz == 0.0 and mx == 0.0 and my == 0.0 and mz == 0.0:
            continue
        link = row_at(links, i, PUSHED_LINK)
        arm, matrix = link.arm, doubles(word(data + _XMAT) + 72 * link.body)
        x = matrix[0] * arm[0] + matrix[1] * arm[1] + matrix[2] * arm[2]
        y = matrix[3] * arm[0] + matrix[4] * arm[1] + matrix[5] * arm[2]
        z = matrix[6] * arm[0] + matrix[7] * arm[1] + matrix[8] * arm[2]
        wrench = doubles(wrenches + 48 * link.body)
        wrench[0] += fx
        wrench[1] += fy
        wrench[2] += fz
        wrench[3] += y * fz - z * fy + mx
        wrench[4] += z * fx - x * fz + my
        wrench[5] += x * fy - y * fx + mz
