"""The scenario of a designed experiment: that of the present one, with the excitation in the place of what moved before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from didymos.control.stimulus import StimulusSpec
from didymos.describe.twin import Twin
from didymos.describe.yaml_text import block
from didymos.fitting.designed import Design
from didymos.fitting.excitation import Moved
from didymos.fitting.limits import Limit

__all__ = ["plain_scenario", "plain_stimuli", "save_scenario"]

_KEPT = ("start", "control", "set", "gains")
_NONE_BY_DEFAULT = ("before", "offset", "phase")


def plain_stimuli(stimuli: Sequence[StimulusSpec]) -> list[dict[str, Any]]:
    """Stimuli as plain data of a twin file."""
    return [
        {
            "from" if key == "before" else key: value for key, value in item.model_dump(exclude_unset=True).items()
            if key not in _NONE_BY_DEFAULT or value != 0.0
        }
        for item in stimuli
    ]  # fmt: skip


def plain_scenario(
    twin: Twin,
    scenario: str | None,
    seconds: float,
    moved: Sequence[Moved],
    stimuli: Sequence[StimulusSpec],
    limits: Sequence[Limit] = (),
    title: str = "",
) -> dict[str, Any]:
    """A scenario that begins as another does and is moved by these stimuli, which come last, and expects that limits are kept."""
    base = {} if scenario is None else twin.plain_scenario(scenario)
    targets = {item.target for item in moved}
    made: dict[str, Any] = {"title": title} if title else {}
    made |= {"seconds": seconds, **{key: base[key] for key in _KEPT if key in base}}
    setpoints = {name: value for name, value in (base.get("setpoints") or {}).items() if f"setpoints.{name}" not in targets}
    if setpoints:
        made["setpoints"] = setpoints
    others = [item for item in base.get("stimuli") or () if item.get("target") not in targets]
    made["stimuli"] = [*others, *plain_stimuli(stimuli)]
    expected = [item for limit in limits for item in limit.expectations]
    if expected:
        made["expect"] = expected
    return made


def save_scenario(design: Design, name: str, path: Path) -> Path:
    """Write the scenario under a name into a file, below what it will tell."""
    lines = [
        f"# {design.twin}: {design.family}, {design.criterion}-optimal within its limits. 95 % intervals of a fit to a recording",
        "# of it, where the noise is white:",
        *(f"#   {x.path}: {x.value:.5g} +- {x.half_width:.2g} {x.unit}" for x in design.parameters),
        "scenarios:",
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n" + block(name, design.plain, 2), encoding="utf-8")
    return path
