"""What `didymos trim --gains` prints: the gains that a program finds from the model, as a block for the twin file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from didymos.cli.text import number, print_json
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.twin import Twin

__all__ = ["print_gains"]


def print_gains(twin: Twin, scenario: str | None, *, as_json: bool) -> int:
    """Print all gains that the twin's program, or that of a scenario, designs; those that the twin gives are told beside them."""
    from didymos.describe.parameters import flatten
    from didymos.engine.build import choose_scenario
    from didymos.engine.gain_design import designed_gains

    choose_scenario(twin, scenario)
    face = twin if scenario is None else twin.with_program_of(scenario)
    control = face.file.control
    if control is None or face.program is None or not face.program.designs:
        name = "it has no program" if control is None else f"its program {control.program} has none"
        raise InputError(f"there are no gains to find from the model of {twin.name}: {name}", option="gains")
    found = designed_gains(face, all_of_them=True)
    given = {path: value for path, value in flatten(control.gains).items() if path in found}
    if as_json:
        print_json({"twin": twin.name, "program": control.program, "scenario": scenario, "gains": found, "given": given})
        return 0
    print("control:\n  gains:")
    for line in _block(found, given):
        print(f"    {line}")
    return 0


def _block(found: dict[str, float], given: dict[str, Any]) -> list[str]:
    """One line per group of gains: `roll: {kp: 1.2, ki: 0.3}`, with what the twin gives instead."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for path in found:
        group, _, name = path.partition(".")
        groups.setdefault(group, []).append((name, path))
    lines = []
    for group, items in groups.items():
        inside = ", ".join(f"{name}: {number(found[path])}" for name, path in items)
        others = ", ".join(f"{name} {number(given[path])}" for name, path in items if path in given)
        lines.append(f"{group}: {{{inside}}}" + (f"   # the twin gives {others}" if others else ""))
    return lines
