"""What a twin or a world is made of, on one screen: 24 lines of 80 letters, whatever its size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from didymos.cli.text import number, vector

if TYPE_CHECKING:
    from didymos import Twin, World

__all__ = ["print_twin", "print_world"]

WIDTH, HEIGHT = 80, 24
_HEAD = 12  # letters of the word before a row


def print_twin(twin: Twin) -> None:
    """Print a twin: what it weighs, what it has, what it can do, and how to see more."""
    about = twin.summary()
    program = about.control or "none"
    rate = twin.file.control.rate if twin.file.control is not None else None
    rows: list[tuple[str, str | Sequence[str]]] = [
        ("mass", f"{number(about.mass, 'kg')}, centre at {vector(round(x, 9) + 0.0 for x in about.com)} m"),
        ("step", f"{number(about.step, 's')}, {about.integrator}"),
        ("control", program + (f" at {number(rate, 'Hz')}" if rate is not None else "")),
        ("inputs", about.inputs),
        ("links", [x.name for x in about.links]),
        ("joints", [x.name for x in about.joints if x.kind != "fixed"]),
        ("parts", _by_kind((x.name, x.kind) for x in about.parts)),
        ("sensors", _by_kind((x.name, x.kind) for x in about.sensors)),
        ("objects", [x.name for x in about.objects]),
        ("scenarios", list(twin.scenarios)),
        ("tasks", list(twin.file.tasks)),
        ("variants", list(twin.variants)),
        ("parameters", _counted(twin.parameters)),
    ]
    if twin.code.stand_ins:
        from didymos.describe.trust import is_trusted

        may = "(trusted)" if is_trusted(twin.folder) else "(runs after didymos trust)"
        rows.append(("own code", [*twin.code.stand_ins, may]))
    _print(twin.name, twin.title, rows, next(iter(twin.scenarios), None))


def print_world(world: World) -> None:
    """Print a world: its robots, what stands in it, and how to see more."""
    surroundings = world.first.twin.file.world
    twins = {name: robot.twin for name, robot in world.robots.items()}
    kinds = Counter(twin.name for twin in twins.values())
    rows: list[tuple[str, str | Sequence[str]]] = [
        ("robots", list(twins)),
        ("twins", [f"{count} {name}" for name, count in kinds.items()]),
        ("mass", number(sum(twin.summary().mass for twin in twins.values()), "kg of all robots")),
        ("step", f"{number(surroundings.step, 's')}, {surroundings.integrator}"),
        ("ground", "none" if surroundings.ground is None else f"at {number(surroundings.ground.height, 'm')}"),
        ("control", sorted({twin.file.control.program for twin in twins.values() if twin.file.control is not None})),
        ("objects", list(surroundings.objects)),
        ("scenarios", list(world.scenarios)),
        ("parameters", _counted(world.parameters)),
    ]
    _print(world.name, world.title, rows, next(iter(world.scenarios), None))


def _print(name: str, title: str, rows: Sequence[tuple[str, str | Sequence[str]]], scenario: str | None) -> None:
    print(_cut(f"{name}: {title}"))
    for head, content in rows:
        if isinstance(content, str):
            print(_cut(f"  {head:{_HEAD}}{content}"))
        elif content:
            print(f"  {f'{head}':{_HEAD}}{_fitted(content, WIDTH - 2 - _HEAD)}")
    print()
    run = f"didymos run {name}" + (f" --scenario {scenario}" if scenario is not None else "")
    show = f"didymos show {name}"
    for line in (f"{show} --all    everything", f"{show} mass     parameters by a part of their path", run):
        print(_cut(f"  {line}"))


def _fitted(names: Sequence[str], width: int) -> str:
    """As many names as fit a line, and how many there are more."""
    for count in range(len(names), 0, -1):
        left = len(names) - count
        text = " ".join(names[:count]) + (f" ... {left} more" if left else "")
        if len(text) <= width:
            return text
    return names[0][: width - 3] + "..."


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 3] + "..."


def _by_kind(items: Iterable[tuple[str, str]]) -> list[str]:
    """Things by their kind: `generic_engine (motor1..4)`."""
    from didymos.record.panel import joined

    kinds: dict[str, list[str]] = {}
    for name, kind in items:
        kinds.setdefault(kind, []).append(name)
    return [kind if names == [kind] else f"{kind} ({joined(names)})" for kind, names in kinds.items()]


def _counted(parameters: Mapping[str, object]) -> list[str]:
    """How many there are below each first word of their paths."""
    counts = Counter(path.partition(".")[0] for path in parameters)
    return [f"{len(parameters)}:", *(f"{count} {head}" for head, count in counts.items())]
