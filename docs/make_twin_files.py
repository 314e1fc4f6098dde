"""Write the tables of docs/twin_files.md from the types that read a twin file: `python docs/make_twin_files.py`.

The page is text with blocks between `<!-- keys of NAME -->` and `<!-- end -->`; this script fills the blocks and leaves the
text alone. A test compares the page with what this script would write, so it cannot go stale.
"""

from __future__ import annotations

import math
import re
import types
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from didymos.air.earth import EarthSpec
from didymos.contract import Declaration
from didymos.control.allocation_spec import AllocationSetSpec, AllocationSpec
from didymos.control.pilot import BoxesSpec, PilotSpec, SteerSpec
from didymos.control.stimulus import StimulusSpec
from didymos.describe.object_spec import MotionSpec, PoseSpec, TerrainSpec
from didymos.describe.policy_spec import PolicySpec
from didymos.describe.ros2_file import CommandFieldSpec, CommandSpec, ControllerSpec, FramesSpec, MessageSpec, Ros2Spec
from didymos.describe.schema import (
    OF_A_KIND,
    ColumnSpec,
    ContactSpec,
    ControlSpec,
    DescriptionSpec,
    ExpectationSpec,
    FirmwareSpec,
    FirmwaresSpec,
    FitSpec,
    FreeSpec,
    FreeStartSpec,
    GroundSpec,
    ObjectSpec,
    PriorSpec,
    RecordingsSpec,
    RecordSpec,
    ScenarioSpec,
    StartSpec,
    TwinFile,
    Vector,
    WhereSpec,
    WorldSpec,
)
from didymos.describe.task_file import ActSpec, DrawSpec, ObserveSpec, TaskSpec
from didymos.describe.world_file import (
    CouplingSpec,
    MountJointSpec,
    MountSpec,
    PartnerSpec,
    RelativeSpec,
    RobotSpec,
    WorldExpectationSpec,
    WorldFile,
    WorldRecordSpec,
    WorldScenarioSpec,
)
from didymos.kinds import Kinds
from didymos.parts import PARTS, Part, PartSpec
from didymos.parts.aero_data import AeroFile, AeroTables
from didymos.parts.angle_table import AngleTableSpec
from didymos.parts.curve import CurveSpec
from didymos.parts.propeller_data import PropellerFile
from didymos.parts.thrust_table import ThrustGrid
from didymos.sensors import SENSORS, SensorSpec
from didymos.sensors.error import ErrorSpec
from didymos.spec import Spec

PAGE = Path(__file__).parent / "twin_files.md"
_BLOCK = re.compile(r"(<!-- keys of (?P<name>[\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)

RECORDS: dict[str, type[Spec]] = {
    "twin file": TwinFile,
    "description": DescriptionSpec,
    "world": WorldSpec,
    "air": WorldSpec.model_fields["air"].annotation,  # type: ignore[dict-item]
    "wind": WorldSpec.model_fields["wind"].annotation,  # type: ignore[dict-item]
    "earth": EarthSpec,
    "gusts": WorldSpec.model_fields["gusts"].annotation,  # type: ignore[dict-item]
    "wake": WorldSpec.model_fields["wake"].annotation,  # type: ignore[dict-item]
    "magnetic": WorldSpec.model_fields["magnetic"].annotation,  # type: ignore[dict-item]
    "ground": GroundSpec,
    "object": ObjectSpec,
    "terrain": TerrainSpec,
    "motion": MotionSpec,
    "pose": PoseSpec,
    "contact": ContactSpec,
    "curve": CurveSpec,
    "angle table": AngleTableSpec,
    "aero tables": AeroTables,
    "aero file": AeroFile,
    "thrust grid": ThrustGrid,
    "propeller file": PropellerFile,
    "errors": ErrorSpec,
    "allocation": AllocationSpec,
    "hover": AllocationSetSpec,
    "control": ControlSpec,
    "firmwares": FirmwaresSpec,
    "firmware": FirmwareSpec,
    "pilot": PilotSpec,
    "steer": SteerSpec,
    "boxes": BoxesSpec,
    "record": RecordSpec,
    "start": StartSpec,
    "free start": FreeStartSpec,
    "scenario": ScenarioSpec,
    "stimulus": StimulusSpec,
    "expectation": ExpectationSpec,
    "task": TaskSpec,
    "observe": ObserveSpec,
    "act": ActSpec,
    "draw": DrawSpec,
    "policy": PolicySpec,
    "ros2": Ros2Spec,
    "command": CommandSpec,
    "field of a command": CommandFieldSpec,
    "message": MessageSpec,
    "controller": ControllerSpec,
    "frames": FramesSpec,
    "recordings": RecordingsSpec,
    "column": ColumnSpec,
    "where": WhereSpec,
    "fit": FitSpec,
    "free": FreeSpec,
    "prior": PriorSpec,
    "world file": WorldFile,
    "robot": RobotSpec,
    "mount": MountSpec,
    "mount joint": MountJointSpec,
    "coupling": CouplingSpec,
    "world record": WorldRecordSpec,
    "world scenario": WorldScenarioSpec,
    "partner": PartnerSpec,
    "world expectation": WorldExpectationSpec,
    "relative": RelativeSpec,
}
"""The records that have a table of their own, by the name of their block."""

MEANINGS = {
    "WorldFile.title": "one line, shown by `didymos list`",
    "WorldFile.robots": "by name, see [robot](#robot)",
    "WorldFile.couplings": "welds and springs between robots by name, see [coupling](#coupling)",
    "WorldFile.record": "see [record of the world](#record-of-the-world)",
    "WorldFile.scenarios": "runs by name, see [scenario of the world](#scenario-of-the-world)",
    "RobotSpec.start": "keys of [start](#start) that win over those of the twin and of its scenarios",
    "RobotSpec.mount": "where it is held, see [mount](#mount); it floats, or stands as described, without",
    "MountSpec.joint": "by which it is held, see [joint of a mount](#joint-of-a-mount); rigidly without",
    "WorldScenarioSpec.stimuli": "see [stimulus](#stimulus); the target begins with a robot's name, or with `world`",
    "WorldScenarioSpec.robots": "what single robots do, see [partner](#partner); the others do what they always do",
    "WorldExpectationSpec.relative": "where a robot is as seen from another, see [relative](#relative)",
    "WorldScenarioSpec.expect": "see [expectation of the world](#expectation-of-the-world)",
    "TwinFile.title": "one line, shown by `didymos list`",
    "TwinFile.description": "the robot description, see [description](#description)",
    "TwinFile.world": "clock, gravity, air, wind, gusts, ground and objects, see [world](#world)",
    "TwinFile.allocation": "which inputs roll, pitch, yaw and push it, see [allocation](#allocation)",
    "TwinFile.contacts": "friction with a direction by name, see [contacts](#contacts)",
    "TwinFile.variants": "overlays by name, see [variants](#variants)",
    "TwinFile.parts": "force laws by name, see [parts](#parts)",
    "TwinFile.sensors": "sensors by name, see [sensors](#sensors)",
    "TwinFile.control": "the control program, see [control](#control)",
    "TwinFile.firmware": "what firmware is told that takes the program's place, see [firmware](#firmware)",
    "TwinFile.pilot": "what the channels of a gamepad do, see [pilot](#pilot)",
    "TwinFile.record": "rates of the log, see [record](#record)",
    "TwinFile.start": "the state in which a run begins, see [start](#start)",
    "TwinFile.scenarios": "runs by name, see [scenarios](#scenarios)",
    "TwinFile.tasks": "what policies learn, by name, see [tasks](#tasks)",
    "WorldFile.tasks": "what policies learn of all robots together, by name, see [tasks](#tasks); names begin with the robot's",
    "TaskSpec.title": "one line",
    "TaskSpec.observe": "what a policy sees: a list of signals, or see [observe](#observe)",
    "TaskSpec.act": "by `inputs.NAME`, `setpoints.NAME` or `joints.NAME`, or a pattern of them: [low, high], or see [act](#act)",
    "TaskSpec.start": "where episodes begin, by path below `start`: [low, high], or see [draw](#draw)",
    "TaskSpec.randomize": "parameters by path, or `setpoints.NAME`, for each episode: [low, high], or see [draw](#draw)",
    "TwinFile.ros2": "topics under the names of the robot's own programs, frames, see [ros2](#ros2)",
    "TwinFile.recordings": "how recordings of the real robot are read, see [recordings](#recordings)",
    "TwinFile.fit": "what may be fitted to recordings, see [fit](#fit)",
    "RecordingsSpec.columns": "by name, see [column](#column)",
    "RecordingsSpec.windows_where": "where windows of a recording may begin, see [where](#where)",
    "FitSpec.parameters": "by path: [low, high], or a record, see [free](#free)",
    "FreeSpec.prior": "what is known beforehand, see [prior](#prior)",
    "WorldSpec.integrator": "`rk4` for what flies or floats, `implicitfast` for contact",
    "WorldSpec.air": "see [air](#air)",
    "WorldSpec.wind": "see [wind](#wind)",
    "WorldSpec.earth": "place, gravity, turning and shape of the Earth, see [earth](#earth)",
    "WorldSpec.gusts": "see [gusts](#gusts)",
    "WorldSpec.wake": "of rotors on other robots, see [wake](#wake)",
    "WorldSpec.magnetic": "see [magnetic](#magnetic)",
    "WorldSpec.ground": "see [ground](#ground); no ground without it",
    "WorldSpec.objects": "what stands in the world by name, see [objects](#objects)",
    "WorldSpec.file": "an SDF world or an MJCF scene that joins the world, see [surroundings](surroundings.md#a-world-file)",
    "ObjectSpec.shape": "what it is; `size`, `file` and `terrain` belong to some of them",
    "ObjectSpec.terrain": "of a terrain, see [terrain](#terrain)",
    "ObjectSpec.motion": "a trajectory, see [motion](#motion)",
    "MotionSpec.poses": "of a path: timed poses, see [pose](#pose); held before the first and after the last",
    "StartSpec.objects": "free bodies by name, see [free start](#free-start)",
    "GroundSpec.height": "of the plane above the world's origin",
    "StartSpec.position": "of the root link in the world [m]",
    "StartSpec.velocity": "of the root link in its own frame [m/s]",
    "StartSpec.angular_velocity": "of the root link in its own frame [rad/s]",
    "RecordSpec.rate": "truth, joints, set-points, inputs, readouts of parts",
    "PilotSpec.steer": "what channels move, see [steer](#steer)",
    "PilotSpec.boxes": "see [boxes](#boxes)",
    "SteerSpec.channel": "0 to 19",
    "BoxesSpec.count": "in the world at once",
    "BoxesSpec.side": "of a cube",
    "BoxesSpec.mass": "of one",
    "ControlSpec.rate": "calls of the program; its period must be whole physics steps",
    "ScenarioSpec.title": "one line, shown by `didymos show`",
    "ScenarioSpec.seconds": "how long the run lasts",
    "ScenarioSpec.start": "keys of [start](#start) that differ from the twin's",
    "ScenarioSpec.stimuli": "see [stimulus](#stimulus)",
    "ScenarioSpec.expect": "see [expectation](#expectation)",
    "StimulusSpec.kind": "the shape, see [drive](drive.md#stimuli)",
    "StimulusSpec.value": "of `constant`, `pulse` and `bump`",
    "StimulusSpec.from": "of `step` and `ramp`: the value before",
    "StimulusSpec.to": "of `step` and `ramp`: the value after",
    "StimulusSpec.at": "of `step`: when",
    "StimulusSpec.start": "of `pulse`, `bump`, `ramp`, `sine`, `chirp`, `triangle`, `trapezoid`, `rows`",
    "StimulusSpec.end": "of `pulse`, `bump`, `ramp`, `chirp`; of `sine`, `triangle`, `trapezoid`, where they do not go on",
    "StimulusSpec.amplitude": "of `sine`, `chirp`, `triangle`, `trapezoid`",
    "StimulusSpec.frequency": "of `sine`; of `chirp` at `start`",
    "StimulusSpec.to_frequency": "of `chirp` at `end`",
    "StimulusSpec.phase": "of `sine` and `chirp`",
    "StimulusSpec.offset": "of `sine`, `chirp`, `triangle`, `trapezoid`",
    "StimulusSpec.period": "of `triangle`",
    "StimulusSpec.rise": "of `trapezoid`: from zero to the amplitude",
    "StimulusSpec.hold": "of `trapezoid`: at the amplitude",
    "StimulusSpec.file": "of `file`: a CSV or MCAP beside `twin.yaml`; of `rows`: a text file",
    "StimulusSpec.column": "of `file` and `held`: the signal in it; of `rows`: the number of the value, from 1",
    "ExpectationSpec.name": "what the verdict is called",
    "ExpectationSpec.after": "samples from here on count",
    "ExpectationSpec.before": "samples up to here count [s]; to the end without it",
    "ExpectationSpec.low": "lower bound of the measure",
    "ExpectationSpec.high": "upper bound of the measure",
    "PartSpec.kind": "the force law",
    "PartSpec.link": "link or frame on which it acts; its forces are in that frame",
    "PartSpec.joint": "joint that it turns",
    "CurveSpec.kind": "one variable, two variables, or pieces of cubics",
    "CurveSpec.coefficients": "ascending powers (surface: the second variable's fastest; spline: from the cube down), up to 512",
    "SensorSpec.kind": "what it measures",
    "SensorSpec.link": "link or frame at which it sits",
    "SensorSpec.joints": "which joints; all without it",
}
"""What keys mean whose type does not say so itself."""


def bundled(kinds: Kinds[Any]) -> dict[str, Any]:
    """Our own kinds of a role; an installed package has pages of its own."""
    return {source.name: kinds[source.name] for source in kinds.sources() if source.package == "didymos"}


def reachable(spec: type[Spec] | None = None) -> set[type[Spec]]:
    """Every record that a record may hold; those of twin files and world files without one."""
    if spec is None:
        return reachable(TwinFile) | reachable(WorldFile)
    found = {spec}
    if spec is TwinFile:
        found |= {inner for kinds in OF_A_KIND.values() for kind in bundled(kinds).values() for inner in reachable(kind.spec)}
    for field in spec.model_fields.values():
        for inner in _records(field.annotation):
            found |= reachable(inner)
    return found


def _records(annotation: Any) -> list[type[Spec]]:
    if isinstance(annotation, type) and issubclass(annotation, Spec):
        return [annotation]
    return [record for argument in get_args(annotation) for record in _records(argument)]


def key_of(spec: type[Spec], name: str) -> str:
    """The key as the file writes it: `from` is a word of Python, so its field has another name."""
    return "from" if spec is StimulusSpec and name == "before" else name


def unit_of(field: FieldInfo) -> str:
    """Unit of a number, empty for all that is none; a star stands for one that depends on what is measured or moved."""
    extra = field.json_schema_extra
    return str(extra["unit"]) if isinstance(extra, dict) and extra.get("number") else ""


def bounds_of(field: FieldInfo) -> str:
    """Bounds of a number in signs, empty where it has none."""
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    given = [(sign, getattr(rule, name)) for rule in field.metadata for name, sign in signs.items() if hasattr(rule, name)]
    return ", ".join(f"{sign} {bound:g}" for sign, bound in given if bound is not None)


def _what(annotation: Any) -> str:
    """A type in words."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _what(inside[0])
    if origin is Literal:
        return " or ".join(f"`{word}`" for word in inside)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_what(item) for item in inside if item is not type(None)))
    named = {
        Vector: "[x, y, z]", ErrorSpec: "[errors](#errors)", CurveSpec: "[curve](#curve)",
        AngleTableSpec: "[angle table](#angle-table)", AeroTables: "list of [aero files](#aero-tables)",
        ThrustGrid: "[thrust grid](#thrust-grid)", PropellerFile: "[propeller file](#propeller-file)",
    }  # fmt: skip
    if annotation in named:
        return named[annotation]
    simple = {str: "text", float: "number", int: "whole number", bool: "true or false", dict: "mapping", tuple: "list"}
    return simple.get(origin or annotation, "mapping")


def _default(field: FieldInfo) -> str:
    value = field.default
    if field.is_required():
        return "**needed**"
    if value is None or value in ("", {}, ()) or isinstance(value, Spec):
        return "-"
    return f"{value:g}" if isinstance(value, float) else f"`{value}`"


def _meaning(spec: type[Spec], key: str, field: FieldInfo) -> str:
    if field.description and key != "from":
        return field.description
    return next((MEANINGS[f"{base.__name__}.{key}"] for base in spec.__mro__ if f"{base.__name__}.{key}" in MEANINGS), "")


def row(spec: type[Spec], name: str) -> str:
    """One line of a table: key, type or unit, default, bounds, whether it can change during a run, meaning."""
    field, key = spec.model_fields[name], key_of(spec, name)
    unit, extra = unit_of(field), field.json_schema_extra
    relative = spec in (StimulusSpec, ExpectationSpec)  # their numbers are in the unit of what they move or measure
    kind = f"number [{'*' if relative and unit == '1' else unit}]" if unit else _what(field.annotation)
    axes = "; or [x, y, z]" if isinstance(extra, dict) and extra.get("axes") else ""
    live = "live" if isinstance(extra, dict) and extra.get("live") and not relative else ""
    return f"| `{key}` | {kind} | {_default(field)} | {bounds_of(field)} | {live} | {_meaning(spec, key, field)}{axes} |"


def table(spec: type[Spec], *, without: type[Spec] | None = None) -> str:
    """The table of a record's keys, or of those that it adds to a base record; numbers of an array stand in one line."""
    names = [name for name in spec.model_fields if without is None or name not in without.model_fields]
    arrays = arrays_of(spec)
    lines = dict.fromkeys(array_row(arrays[name]) if name in arrays else row(spec, name) for name in names)
    return "| key | value | default | bounds | | meaning |\n|---|---|---|---|---|---|\n" + "\n".join(lines) + "\n"


def arrays_of(spec: type[Spec]) -> dict[str, Declaration]:
    """The arrays of a part by the names of their numbers."""
    parameters = spec.contract.parameters if issubclass(spec, PartSpec) and spec is not PartSpec else ()
    return {name: item for item in parameters for name in item.columns}


def array_row(item: Declaration) -> str:
    """One line for all numbers of an array."""
    units = ", ".join(f"[{unit}]" for unit in dict.fromkeys(item.units))
    keys = f"`{item.columns[0]}` to `{item.columns[-1]}` ({len(item.columns)})"
    return f"| {keys} | numbers {units} | {item.default:g} | | live | {item.doc} |"


_SIGNALS = {"input": "input", "needs": "of `input_from`", "state": "state", "output": "readout"}
"""What the declared numbers of a part are called on the page that are no keys of the file."""


def _signal(item: Declaration) -> str:
    """One line of the table of a part's signals: what it is, its names, unit, range and meaning."""
    names = [f"`{name}`" for name in item.names]
    name = ", ".join(names) if item.columns else " to ".join(dict.fromkeys((names[0], names[-1])))
    role = _SIGNALS[item.role] + ("" if item.recorded else ", not recorded")
    low, high = item.range
    limits = "any" if math.isinf(low) and math.isinf(high) else f"{low:g} to {high:g}"
    return f"| {role} | {name} | [{item.unit}] | {limits if item.role == 'input' else ''} | {item.doc} |"


def signals(part: type[Part]) -> str:
    """The table of what a part is fed with, integrates and reads out."""
    items = (*part.inputs, *part.needed, *part.states, *part.outputs)
    return "| signal | name | unit | range | meaning |\n|---|---|---|---|---|\n" + "".join(f"{_signal(item)}\n" for item in items)


def _parts() -> str:
    text = "Every part:\n\n" + table(PartSpec)
    for kind, part in bundled(PARTS).items():
        text += f"\n### {kind}\n\n{(part.__doc__ or '').splitlines()[0]}\n\n"
        if part.parameters or part.options:
            text += table(part.spec, without=PartSpec) + "\n"
        text += signals(part)
    return text


def _sensors() -> str:
    text = "Every sensor:\n\n" + table(SensorSpec)
    for name, kind in bundled(SENSORS).items():
        quantities = ", ".join(f"`{quantity.name}` [{quantity.unit}]" for quantity in kind.quantities)
        text += f"\n### {name}\n\n{(kind.spec.__doc__ or '').splitlines()[0]} Measures {quantities}.\n\n"
        text += table(kind.spec, without=SensorSpec)
    return text


def _block(name: str) -> str:
    if name == "parts":
        return _parts()
    return _sensors() if name == "sensors" else table(RECORDS[name])


def filled(text: str) -> str:
    """A page with every block as the types are now."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n{_block(found['name'])}\n{found[3]}", text)


def main() -> None:
    """Bring the page up to date."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
