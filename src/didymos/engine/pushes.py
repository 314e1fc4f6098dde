"""Pushes: forces [N] from outside, in the world's frame, that act at the centres of mass of links until they change.

The engine takes forces on bodies at the bodies' own centres of mass (`xfrc_applied`). A link that is part of a larger body has
its centre elsewhere; with the arm r from the body's centre to the link's, in the body's frame, the body feels

    f,    t = (R r) x f

R turns with the body, so the wrench is written in every evaluation, before the engine adds its forces up. Forces that go this
way are known to the engine's force and torque sensors.

Who pushes writes into `userdata`: three numbers for each link, and before them 1 once anybody did. The arms lie in the
model, in one row per link, since masses can change during a run.
"""

from __future__ import annotations

from didymos.compiled import kernel
from didymos.engine.layout import DATA
from didymos.engine.memory import doubles, word

__all__ = ["PUSH_WORDS", "act_on_links"]

PUSH_WORDS = 4
"""Numbers of a link's row in the model: its body, and the arm [m] from the body's centre of mass to its own."""

_XMAT, _XFRC_APPLIED = DATA["xmat"], DATA["xfrc_applied"]


@kernel
def act_on_links(data: int, rows: int, count: int, forces: int) -> None:
    """Write the wrenches of all pushes; `rows` and `forces` are addresses of the model's rows and of `userdata`'s numbers."""
    given = doubles(forces)
    if given[0] == 0.0:
        return
    wrenches = word(data + _XFRC_APPLIED)
    for link in range(count):
        wrench = doubles(wrenches + 48 * int(doubles(rows + 8 * PUSH_WORDS * link)[0]))
        for i in range(6):
            wrench[i] = 0.0
    for link in range(count):
        fx, fy, fz = given[1 + 3 * link], given[2 + 3 * link], given[3 + 3 * link]
        if fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        row = doubles(rows + 8 * PUSH_WORDS * link)
        matrix = doubles(word(data + _XMAT) + 72 * int(row[0]))
        x = matrix[0] * row[1] + matrix[1] * row[2] + matrix[2] * row[3]
        y = matrix[3] * row[1] + matrix[4] * row[2] + matrix[5] * row[3]
        z = matrix[6] * row[1] + matrix[7] * row[2] + matrix[8] * row[3]
        wrench = doubles(wrenches + 48 * int(row[0]))
        wrench[0] += fx
        wrench[1] += fy
        wrench[2] += fz
        wrench[3] += y * fz - z * fy
        wrench[4] += z * fx - x * fz
        wrench[5] += x * fy - y * fx
