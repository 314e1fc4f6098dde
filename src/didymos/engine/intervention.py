"""Interventions: what a person does to a run while it goes on, each with the tick before which it happened.

    set     PATH          a parameter that can change during a run gets a value
    set_all PATHS         several of them at once, all or none: a path a line
    steer   setpoints.NAME   a set-point gets an offset that stays until the next one; inputs.NAME likewise, inputs.PART for all
                          inputs of a part at once
    push    LINK          a force [N] in the world's frame acts at the centre of mass of a link until the next one; with three
                          numbers more, a moment [N m] besides
    put     robot         the root link of a robot that floats, or a free object (objects.NAME), gets a pose and a velocity:
                          position, quaternion, velocity, angular velocity in the world's frame (`put.py`)
    put     joints.NAME   a joint gets a position, and a velocity where it is given
    reset   robot         the robot and its program begin anew where the run began; clock, noise, air and objects go on

and, of a run with a pilot (`control/pilot.py`):

    channels  channels    the 20 numbers of the channel table, which is recorded
    drop      boxes       a box falls from under the robot
    remove    boxes       all boxes are gone

A run with the same seed, scenario and interventions gives the same bytes.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from didymos.control.pilot import CHANNELS
from didymos.engine.given import Given
from didymos.errors import InputError

__all__ = ["INTERVENTIONS", "KINDS", "Intervention", "InterventionLog", "load_interventions", "save_interventions"]

INTERVENTIONS = "didymos.interventions"
"""Name under which a recording keeps the interventions of its run."""

_MOST_PARTS = 1_000_000  # of a rotated recording
_LARGEST = 2**28  # [bytes] of interventions: a day with the sticks in hand
_LINE = re.compile(
    r' +- \{tick: (?P<tick>\d+), kind: (?P<kind>\w+), path: (?P<path>"(?:[^"\\]|\\.)*"), value: (?P<value>[^}]*)\}'
)

KINDS = {
    "set": 1, "set_all": None, "steer": None, "push": None, "put": None, "reset": 0, "channels": CHANNELS, "drop": 0, "remove": 0,
}  # fmt: skip
"""How many numbers the value of each kind has; None where its path says."""


@dataclass(frozen=True)
class Intervention:
    """One change by hand, applied before the physics of its tick."""

    tick: int
    kind: str
    path: str
    value: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"found {self.kind!r}, expected one of: {', '.join(KINDS)}", path="kind")
        count = KINDS[self.kind]
        count = max(1, len(self.value)) if count is None else count
        if len(self.value) != count or not all(map(math.isfinite, self.value)):
            raise InputError(f"found {list(self.value)}, expected {count} finite numbers", path=self.path)
        if self.tick < 0:
            raise InputError(f"found tick {self.tick}, expected none before 0", path=self.path)

    @property
    def values(self) -> dict[str, float]:
        """What `set` and `set_all` set, by path."""
        paths = self.path.split("\n")
        if len(paths) != len(self.value):
            raise InputError(f"found {len(self.value)} numbers, expected {len(paths)}", path=self.path)
        return dict(zip(paths, self.value, strict=True))

    @property
    def text(self) -> str:
        """The intervention as one line of JSON; `repr` of the numbers, so that they come back to the bit."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def read(cls, fields: Any) -> Intervention:
        """From the fields of a file; whatever does not fit is an `InputError`."""
        if not isinstance(fields, Mapping) or set(fields) != {"tick", "kind", "path", "value"}:
            raise InputError(f"found {fields!r}, expected the keys tick, kind, path and value", path="interventions")
        value = fields["value"] if isinstance(fields["value"], Sequence) else [fields["value"]]
        try:
            return cls(int(fields["tick"]), str(fields["kind"]), str(fields["path"]), tuple(map(float, value)))
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"found {dict(fields)!r}, expected numbers for tick and value", path="interventions") from None


@dataclass(frozen=True)
class InterventionLog:
    """All that is needed to repeat a run by hand; `seconds` is its length, `piloted` whether it had a channel table,
    `every_input` whether inputs were recorded in every tick (`every_input.py`), `branched` the ticks at which it left runs
    whose past it has.

    The values (`--set`) and programs that a twin was `given` before the run stand there to be read: whoever repeats the run gives
    them again. Its `variant` is part of it.
    """

    twin: str
    scenario: str | None
    seed: int
    seconds: float
    interventions: tuple[Intervention, ...]
    piloted: bool = False
    variant: str | None = None
    every_input: bool = False
    branched: tuple[int, ...] = ()
    given: Given = field(default_factory=Given)

    @property
    def piloted_robots(self) -> tuple[str, ...]:
        """The robots of a world that had a channel table: a pilot says at once where the channels are."""
        return tuple(dict.fromkeys(x.path.partition(".")[0] for x in self.interventions if x.kind == "channels"))


def save_interventions(file: Path, deed: InterventionLog) -> None:
    """Write a deed as YAML that `didymos run --interventions` takes."""
    scenario = (f" --variant {deed.variant}" if deed.variant else "") + (f" --scenario {deed.scenario}" if deed.scenario else "")
    given = "".join(f" --{name} {shlex.quote(value)}" for name, value in deed.given.options)
    lines = [
        f"# didymos run {deed.twin}{scenario}{given} --seed {deed.seed} --seconds {deed.seconds!r} --interventions {file.name}",
        f"twin: {json.dumps(deed.twin)}",
        f"scenario: {json.dumps(deed.scenario)}",
        f"seed: {deed.seed}",
        f"seconds: {deed.seconds!r}",
        *(["piloted: true"] if deed.piloted else []),
        *([f"variant: {json.dumps(deed.variant)}"] if deed.variant else []),
        *([f"set: {_flow_of(deed.given.values)}"] if deed.given.values else []),
        *([f"control: {json.dumps(deed.given.control)}"] if deed.given.control else []),
        *(["every_input: true"] if deed.every_input else []),
        *([f"branched: {list(deed.branched)}  # what was done before was done to another run"] if deed.branched else []),
        "interventions:" if deed.interventions else "interventions: []",
        *(f"  - {_flow(item)}" for item in deed.interventions),
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _flow_of(values: Mapping[str, float]) -> str:
    return "{" + ", ".join(f"{json.dumps(path)}: {value!r}" for path, value in values.items()) + "}"


def _flow(item: Intervention) -> str:
    value = repr(item.value[0]) if len(item.value) == 1 else repr(list(item.value))
    return f"{{tick: {item.tick}, kind: {item.kind}, path: {json.dumps(item.path)}, value: {value}}}"


def load_interventions(file: Path) -> InterventionLog:
    """Read a YAML of `save_interventions`, or the same out of a recording (.mcap)."""
    if file.suffix.lower() == ".mcap":
        return _from_recording(file)
    from didymos.describe.yaml_file import read_yaml

    try:
        head, items = _own_lines(file.read_bytes())
    except (OSError, ValueError, InputError):
        head, items = None, ()  # what is wrong, or written by hand, is the matter of YAML
    raw, _ = read_yaml(file, content=head)
    try:
        items = items or tuple(Intervention.read(item) for item in raw["interventions"] or ())
        scenario = None if raw["scenario"] is None else str(raw["scenario"])
        piloted = raw.get("piloted") is True
        variant = None if raw.get("variant") is None else str(raw["variant"])
        every = raw.get("every_input") is True
        seed, seconds = int(raw["seed"]), float(raw["seconds"])
        branched = tuple(map(int, raw.get("branched") or ()))
        given = Given.told(raw)
        return InterventionLog(str(raw["twin"]), scenario, seed, seconds, items, piloted, variant, every, branched, given)
    except KeyError as error:
        expected = "twin, scenario, seed, seconds and interventions"
        raise InputError(f"there is no key {error}, expected {expected}", file=file) from None
    except (TypeError, ValueError, OverflowError):
        raise InputError("expected numbers for seed and seconds, and a list of interventions", file=file) from None
    except InputError as error:
        raise InputError(error.message, file=file, path=error.path) from None


def _own_lines(content: bytes) -> tuple[bytes | None, tuple[Intervention, ...]]:
    """What stands before the interventions, and these, of a file as `save_interventions` writes it; else None and none.

    Who flies for an hour makes a hundred thousand of them: YAML would take minutes, and is bounded for the sake of twin files.

    Raises:
        ValueError: a value is no number.
    """
    head, mark, rest = content.partition(b"\ninterventions:\n")
    found = [_LINE.fullmatch(line) for line in rest.decode("utf-8").splitlines()]
    if not mark or len(rest) > _LARGEST or not all(found):
        return None, ()
    items = tuple(
        Intervention.read(item.groupdict() | {"path": json.loads(item["path"]), "value": json.loads(item["value"])})
        for item in found if item is not None
    )  # fmt: skip
    return head + b"\ninterventions: []\n", items


def _from_recording(file: Path) -> InterventionLog:
    from didymos.record.log import Log
    from didymos.record.rotation import PART, parts_of

    about = Log.load(file).metadata
    part = about.get(PART, "1")
    if part.isascii() and part.isdigit() and 1 < int(part) < _MOST_PARTS:  # what was done before is in the files before
        earlier = [Log.load(item).metadata for item in parts_of(file, int(part))[:-1]]
        about = {key: value for metadata in (*earlier, about) for key, value in metadata.items()}
    texts = [about[key] for key in sorted(about) if key.startswith(INTERVENTIONS + ".") and not key.endswith(".seconds")]
    try:
        items = tuple(Intervention.read(json.loads(text)) for text in texts)
        seconds = float(about[INTERVENTIONS + ".seconds"])
        piloted = about.get("piloted") == "true"
        scenario, seed, variant = about["scenario"] or None, int(about["seed"]), about.get("variant")
        every = about.get("every_input") == "true"
        given = Given.told(about)
        return InterventionLog(about["twin"], scenario, seed, seconds, items, piloted, variant, every, (), given)
    except KeyError as error:
        raise InputError(f"this recording does not say what was done in it: there is no {error}", file=file) from None
    except (ValueError, RecursionError):
        raise InputError("this recording does not say what was done in it: its notes cannot be read", file=file) from None
