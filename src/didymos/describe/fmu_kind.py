"""FMUs that a twin file names, as a part or as its control program; policies, which are named alike.

    parts:   {lift: {kind: fmu, file: cylinder.fmu, ...}}            the same as kind: cylinder.fmu
    control: {program: fmu, options: {file: controller.fmu, ...}}    the same as program: controller.fmu
    control: {program: policy, options: {file: hover.npz}}           the same as program: hover.npz

An FMU is code, and is named, trusted and looked at as other code is (`code.py`). To look at it, its model description is read;
its library is loaded when a run is made, for a folder that the user trusts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from didymos.control import PROGRAMS
from didymos.control.fmu_program import fmu_program
from didymos.control.policy_file import is_policy
from didymos.errors import InputError
from didymos.fmu.description import read_description
from didymos.kinds import Kinds, is_fmu
from didymos.parts import PARTS
from didymos.parts.fmu_part import fmu_part

__all__ = ["fmu_kind", "with_fmus_named"]

T = TypeVar("T")


def fmu_kind(kinds: Kinds[T], name: str, folder: Path, *, runs: bool) -> T:
    """The kind that an FMU of a folder is; its library is loaded by none of this."""
    made: Any
    if kinds.group == PARTS.group:
        made = fmu_part(read_description(folder / name), runs=runs, kind=name)
    elif kinds.group == PROGRAMS.group:
        made = fmu_program(read_description(folder / name), runs=runs)
    else:
        raise InputError(f"{name} cannot be {kinds.what}: an FMU is a part or a control program")
    return made


def with_fmus_named(raw: Any) -> Any:
    """The plain data of a twin file with every FMU and policy named by its file, where it was named by `kind: fmu` and `file`."""
    if not isinstance(raw, dict):
        return raw
    made = dict(raw)
    if isinstance(raw.get("parts"), dict):
        made["parts"] = {name: _part(record) for name, record in raw["parts"].items()}
    if "control" in raw:
        made["control"] = _control(raw["control"])
    if isinstance(raw.get("scenarios"), dict):
        made["scenarios"] = {name: _in_scenario(scenario) for name, scenario in raw["scenarios"].items()}
    if isinstance(raw.get("variants"), dict):
        made["variants"] = {name: with_fmus_named(overlay) for name, overlay in raw["variants"].items()}
    return made


def _part(record: Any) -> Any:
    if isinstance(record, dict) and record.get("kind") == "fmu" and _names_one(record.get("file")):
        return {"kind": record["file"], **{key: value for key, value in record.items() if key not in ("kind", "file")}}
    return record


def _control(record: Any) -> Any:
    options = record.get("options") if isinstance(record, dict) else None
    file = options.get("file") if isinstance(options, dict) else None
    named = {"fmu": _names_one, "policy": _names_policy}.get(str(record.get("program"))) if isinstance(record, dict) else None
    if isinstance(options, dict) and named is not None and named(file):
        return {**record, "program": options["file"], "options": {key: v for key, v in options.items() if key != "file"}}
    return record


def _in_scenario(scenario: Any) -> Any:
    if isinstance(scenario, dict) and "control" in scenario:
        return {**scenario, "control": _control(scenario["control"])}
    return scenario


def _names_one(file: Any) -> bool:
    return isinstance(file, str) and is_fmu(file)


def _names_policy(file: Any) -> bool:
    return isinstance(file, str) and is_policy(file)
