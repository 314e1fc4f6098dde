"""What the engine warns of: not printed, not written into the user's folder, but counted in its data and told on request.

Left alone, the engine prints every first warning and appends it to a file MUJOCO_LOG.TXT in the current folder.
"""

from __future__ import annotations

import mujoco

__all__ = ["keep_quiet", "warnings_of"]


def _say_nothing(_text: str) -> None:
    """The engine counts its warnings by itself; `warnings_of` reads them."""


def keep_quiet() -> None:
    """Keep the engine from printing and from writing files; a handler that somebody else hung in stays."""
    if mujoco.get_mju_user_warning() is None:
        mujoco.set_mju_user_warning(_say_nothing)


def warnings_of(data: mujoco.MjData) -> tuple[str, ...]:
    """Every kind of warning that a run has led to, and how often."""
    found = []
    for kind, warning in enumerate(data.warning):
        if warning.number > 0:
            text = " ".join(mujoco.mju_warningText(kind, warning.lastinfo).split())
            found.append(f"{text} ({warning.number} times)" if warning.number > 1 else text)
    return tuple(found)
