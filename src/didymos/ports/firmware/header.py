"""The C header of a twin: its readings, set-points and inputs as structs of doubles, for a shared library or a process.

A struct holds what `Robot` lists, in that order, one double each: `state.position.z` is the field `state_position_z`; numbers
that only count on (`scan.ranges.0`, `.1`, ...) are an array. All fields are doubles, so there is no padding, and a struct is the
array that `library.py` and `message.py` speak of. The header names its layout (`Robot.layout`); firmware that was compiled from
the header of another one is refused when it starts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from didymos.control.controller import Controller, Robot
from didymos.engine.simulation import Simulation
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.describe.schema import FirmwareSpec
    from didymos.describe.twin import Twin

__all__ = ["LAYOUT_SIZE", "SYMBOL", "c_header", "check_layout", "library_layout", "process_layout", "robot_of"]

SYMBOL = "didymos_layout"
"""The name under which a library that includes the header tells its layout."""

LAYOUT_SIZE = 16
"""Characters of a layout."""

_KEYWORDS = frozenset({
    "alignas", "alignof", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "constexpr", "continue",
    "default", "delete", "do", "double", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend",
    "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "nullptr", "operator", "private", "protected",
    "public", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "template", "this",
    "throw", "true", "try", "typedef", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "while",
})  # fmt: skip
"""Of C and C++."""


@dataclass(frozen=True)
class _Field:
    """A field of a struct: its name in C, how many doubles, and what the comment says."""

    name: str
    count: int
    about: str


def robot_of(twin: Twin, scenario: str | None = None) -> Robot:
    """What a program that is not the twin's own is told in a scenario."""
    anybody = Controller()
    anybody.rate = float("inf")
    return Simulation(twin, scenario=scenario, control=anybody).robot


def c_header(twin: Twin, robot: Robot, scenario: str | None = None) -> str:
    """The text of the header; `robot` as a program in that scenario is told about it."""
    about = twin.file.firmware
    angles = about.peer is not None and about.peer.options.get("attitude") is not None
    process = process_layout(replace(robot, rate=_rate(twin, about.peer)), angles)
    counts = {"MEASURED": len(robot.measured), "SETPOINTS": len(robot.setpoints), "INPUTS": len(robot.inputs)}
    lines = [
        *_top(twin, scenario),
        "#ifndef DIDYMOS_H", "#define DIDYMOS_H", "", "#include <stdint.h>", "",
        "#ifdef __cplusplus", 'extern "C" {', "#endif", "",
        f'#define DIDYMOS_LAYOUT "{library_layout(twin, robot)}" /* of names and rate; whoever has another one is refused */',
        f'#define DIDYMOS_PROCESS_LAYOUT "{process}" /* the same for a process */',
        *(f"#define DIDYMOS_{name} {count}" for name, count in counts.items()),
        f"#define DIDYMOS_PHYSICS_STEP {twin.file.world.step:.17g} /* s */",
        f"#define DIDYMOS_LIBRARY_RATE {_rate(twin, about.step):.17g} /* Hz: calls of step() in a library */",
        f"#define DIDYMOS_PROCESS_RATE {_rate(twin, about.peer):.17g} /* Hz: questions to a process */",
        "",
        *_struct("measured", "What the sensors say; `stamp` is when a reading was taken, negative before the first.",
                 _fields(robot.measured, "measured.", robot.units)),
        *_struct("setpoints", "What is asked for; those that a scenario does not move are as for the twin's program, 0 mostly.",
                 _fields(robot.setpoints, "setpoints.", robot.units)),
        *_struct("inputs", "What the firmware answers; holds the last answer when step() is called.",
                 _fields(robot.inputs, "inputs.", robot.units)),
        *_LIBRARY,
        *_process(robot, angles),
        "#ifdef __cplusplus", "}", "#endif", "", "#endif",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def library_layout(twin: Twin, robot: Robot) -> str:
    """The layout of a library at the rate that the twin has for one."""
    return replace(robot, rate=_rate(twin, twin.file.firmware.step)).layout


def process_layout(robot: Robot, attitude: bool) -> str:
    """The layout of the messages to a process: it is also told the true attitude, or not."""
    return robot.layout + ("+attitude" if attitude else "")


def check_layout(layout: str, expected: str, file: Path | None = None) -> None:
    """Refuse firmware that was compiled from the header of another layout."""
    if layout != expected:
        what = f"was compiled from a header of the layout {layout!r}, this twin has {expected!r}"
        raise InputError(f"{what}; write it again (didymos show TWIN `header`) and compile", file=file, option=_option(file))


def _option(file: Path | None) -> str | None:
    return "firmware" if file is None else None


def _top(twin: Twin, scenario: str | None) -> list[str]:
    variant = f", variant {twin.variant}" if twin.variant else ""
    lines = [f"/* Readings, set-points and inputs of {_plain(twin.name)}{variant}: {_plain(twin.title)}", ""]
    if scenario is not None:
        spec = twin.scenarios[scenario]
        moved = dict.fromkeys([*(f"setpoints.{name}" for name in spec.setpoints), *(item.target for item in spec.stimuli)])
        lines += [f"   Scenario {scenario}: {_plain(spec.title)}, {spec.seconds:g} s"]
        lines += [f"   It moves {', '.join(moved) or 'nothing'}"]
    rates = ", ".join(f"{name} {sensor.rate:g} Hz" for name, sensor in twin.file.sensors.items())
    return [*lines, f"   Sensors: {rates or 'none'}. SI units, radians, quaternions w first. */", ""]


def _plain(text: str) -> str:
    """A text that ends no comment."""
    return text.replace("*/", "* /").replace("/*", "/ *")


def _rate(twin: Twin, about: FirmwareSpec | None) -> float:
    return about.rate if about is not None else 1.0 / twin.file.world.step


def _struct(name: str, about: str, fields: Sequence[_Field]) -> list[str]:
    if not fields:
        return [f"struct didymos_{name}; /* there are none */", ""]
    width = max(len(_declared(field)) for field in fields)
    rows = [f"    double {_declared(field):<{width}} /* {_plain(field.about)} */" for field in fields]
    return [f"/* {about} */", f"struct didymos_{name} {{", *rows, "};", ""]


def _declared(field: _Field) -> str:
    return f"{field.name};" if field.count == 1 else f"{field.name}[{field.count}];"


def _fields(names: Sequence[str], prefix: str, units: Mapping[str, str]) -> list[_Field]:
    """The fields of names in order; numbers that only count on become an array."""
    fields: list[_Field] = []
    taken: set[str] = set()
    place = 0
    while place < len(names):
        head, _, last = names[place].rpartition(".")
        count = 1
        if head and last == "0":
            while place + count < len(names) and names[place + count] == f"{head}.{count}":
                count += 1
        called = head if count > 1 else names[place]
        unit = units.get(prefix + names[place], "")
        fields.append(_Field(_c_name(called, taken), count, f"{called} [{unit}]" if unit else called))
        place += count
    return fields


def _c_name(name: str, taken: set[str]) -> str:
    """A name of C for a dotted one; two that would be the same get a number."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if plain[:1].isdigit() or plain in _KEYWORDS:
        plain = f"_{plain}"
    unique, number = plain, 2
    while unique in taken:
        unique, number = f"{plain}_{number}", number + 1
    taken.add(unique)
    return unique


_LIBRARY = (
    "/* In a shared library, FILE.so:",
    "   step() is called once a period; time [s]; attitude: NULL, or the true roll, pitch, yaw [rad] where the twin allows it.",
    "   start(), which may be left out, is called before the first step with the counts above; not 0 refuses the robot. */",
    "void step(double time, const struct didymos_measured *measured, const double *attitude,",
    "          const struct didymos_setpoints *setpoints, struct didymos_inputs *inputs);",
    "int start(int measured, int setpoints, int inputs);",
    "",
    "#if defined(__GNUC__) /* the layout that this code was compiled for: looked at before the first step */",
    f'extern __attribute__((weak, visibility("default"))) const char {SYMBOL}[];',
    f"const char {SYMBOL}[] = DIDYMOS_LAYOUT;",
    "#endif",
    "",
)  # fmt: skip


def _process(robot: Robot, attitude: bool) -> list[str]:
    """What goes over the line; a struct without fields has no place in a message."""
    question = ["    struct didymos_measured measured;"] if robot.measured else []
    question += ["    double attitude[3]; /* true roll, pitch, yaw [rad] */"] if attitude else []
    question += ["    struct didymos_setpoints setpoints;"] if robot.setpoints else []
    answer = ["    struct didymos_inputs inputs;"] if robot.inputs else []
    return [
        *_MESSAGES,
        "struct didymos_question {", "    struct didymos_head head;", *question, "};",
        "struct didymos_answer {", "    struct didymos_head head;", *answer, "};",
        "",
    ]  # fmt: skip


_MESSAGES = (
    "/* In a process, peer:COMMAND; the path of its socket is in DIDYMOS_SOCKET, all is little-endian.",
    "   The twin says hello: a head whose size is the bytes of a JSON text that follows (period, layout, names, units).",
    "   The process answers with a hello, {\"layout\": DIDYMOS_PROCESS_LAYOUT}, and is refused where that differs; it may leave",
    "   that out. Then, for each question, it sends an answer with the same count. A head of kind end closes the line. */",
    "#define DIDYMOS_MAGIC \"DID1\"",
    "enum didymos_kind { DIDYMOS_HELLO = 1, DIDYMOS_STEP = 2, DIDYMOS_END = 3 };",
    "struct didymos_head {",
    "    char magic[4];",
    "    uint16_t kind;",
    "    uint16_t size;  /* how many doubles follow; of a hello: how many bytes */",
    "    uint64_t count; /* from 0, one more each step */",
    "    double time;    /* s */",
    "};",
)  # fmt: skip
