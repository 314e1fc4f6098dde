"""`didymos show`: what a twin is made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.completion import complete_parameters, complete_scenarios
from didymos.cli.description_options import Arguments, Packages, Reading, Repair, reading
from didymos.cli.options import AsJson, TwinName, Variant, load_twin
from didymos.cli.text import number, print_json, print_table, vector
from didymos.errors import InputError, nearest

if TYPE_CHECKING:
    from didymos import Twin
    from didymos.describe.parameters import Parameter

__all__ = ["parameter_facts", "print_parameters", "show"]


def show(
    twin: TwinName,
    text: Annotated[
        str,
        typer.Argument(metavar="[FILTER]", help="Only parameters whose path holds this.", autocompletion=complete_parameters),
    ] = "",
    parameters: Annotated[bool, typer.Option("--parameters", help="Only parameters; all without FILTER.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Every link, joint, part, sensor, scenario and parameter.")] = False,
    variant: Variant = None,
    package: Packages = None,
    arg: Arguments = None,
    repair: Repair = False,
    header: Annotated[
        bool, typer.Option("--header", help="The C header of its readings, set-points and inputs, for firmware.")
    ] = False,
    scenario: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With its program and its values.", autocompletion=complete_scenarios),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.h", help="With --header: where to.")] = None,
    as_json: AsJson = False,
) -> int:
    """What a twin or a world is made of, on one screen; all of it, some of its parameters, or its C header."""
    import didymos

    read = Reading(package=package, arg=arg, repair=repair)
    if header:
        return _header(load_twin(twin, variant, {}, read=read, quiet=as_json or output is None), scenario, output, as_json)
    if output is not None:
        raise InputError("goes with --header only", option="output")
    from didymos.world import find_world

    if find_world(twin) is not None:
        from didymos.cli.show_world import show_world

        return show_world(didymos.load_world(twin, run_code=False), text, parameters, everything, as_json)
    loaded = didymos.load(twin, variant=variant, run_code=False, **reading(read))
    if scenario is not None:
        from didymos.engine.build import choose_scenario

        choose_scenario(loaded, scenario)
        loaded = loaded.for_scenario(scenario)
    designed = () if loaded.named_code else loaded.gains_to_design
    if designed:
        from didymos.engine.gain_design import with_designed_gains

        loaded, _ = with_designed_gains(loaded)
    chosen = {path: parameter for path, parameter in loaded.parameters.items() if text in path}
    if text and not chosen:
        raise InputError(f"no parameter of {loaded.name} has {text!r} in its path{nearest(text, loaded.parameters)}")
    if as_json:
        print_json({**_as_json(loaded, chosen), "designed": [f"control.gains.{path}" for path in designed]})
        return 0
    if not (parameters or text or everything):
        from didymos.cli.show_summary import print_twin

        print_twin(loaded)
        return 0
    if not (parameters or text):
        _print_structure(loaded)
    print_parameters(chosen)
    if designed:
        print(f"found from the model, because the file does not give them: control.gains {', '.join(designed)}")
    return 0


def _header(twin: Twin, scenario: str | None, output: Path | None, as_json: bool) -> int:
    """Write the C header; code of the twin runs for it, because its programs say which set-points there are."""
    from didymos.ports.firmware.header import c_header, library_layout, robot_of

    robot = robot_of(twin, scenario)
    text = c_header(twin, robot, scenario)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    if as_json:
        facts = {"twin": twin.name, "variant": twin.variant, "scenario": scenario, "layout": library_layout(twin, robot)}
        print_json({**facts, "header": text if output is None else output})
    elif output is None:
        print(text, end="")
    return 0


def _as_json(twin: Twin, parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    about = twin.summary()
    return {
        "twin": twin.name,
        "title": twin.title,
        "mass": about.mass,
        "com": about.com,
        "inertia": about.inertia,
        "step": about.step,
        "integrator": about.integrator,
        "control": about.control,
        "links": [{"name": x.name, "mass": x.mass, "com": x.com, "inertia": x.inertia} for x in about.links],
        "joints": [{"name": x.name, "kind": x.kind, "parent": x.parent, "child": x.child} for x in about.joints],
        "parts": [
            {"name": x.name, "kind": x.kind, "link": x.link, "inputs": x.inputs, "outputs": x.outputs} for x in about.parts
        ],
        "sensors": [{"name": x.name, "kind": x.kind, "link": x.link, "rate": x.rate} for x in about.sensors],
        "objects": [
            {"name": x.name, "shape": x.shape, "moves": x.moves, "mass": x.mass, "position": x.position} for x in about.objects
        ],
        "inputs": about.inputs,
        "own_code": twin.code.stand_ins,
        "variant": twin.variant,
        "variants": [{"name": name, "title": title} for name, title in twin.variants.items()],
        "scenarios": [{"name": name, "title": x.title, "seconds": x.seconds} for name, x in twin.scenarios.items()],
        "parameters": parameter_facts(parameters),
        "notes": [{"file": x.file, "line": x.line, "what": x.what} for x in twin.notes],
    }


def parameter_facts(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Parameters as `--json` prints them."""
    return {
        path: {"value": x.value, "unit": x.unit, "low": x.low, "high": x.high, "live": x.live, "doc": x.doc}
        for path, x in parameters.items()
    }


def _print_structure(twin: Twin) -> None:
    about = twin.summary()
    overall = [
        ("mass", number(about.mass, "kg")),
        ("centre of mass", vector(about.com) + " m"),
        ("inertia", _inertia(about.inertia) + " kg m2"),
        ("step", number(about.step, "s") + f", {about.integrator}"),
        ("control", about.control or "none"),
        ("inputs", " ".join(about.inputs) or "none"),
        *_code(twin),
    ]
    print_table(overall, title=f"{twin.name}: {twin.title}")
    links = [(x.name, number(x.mass), vector(x.com), _inertia(x.inertia)) for x in about.links]
    print_table(links, ("link", "mass [kg]", "centre of mass [m]", "inertia [kg m2]"))
    print_table([(x.name, x.kind, x.parent, x.child) for x in about.joints], ("joint", "kind", "parent", "child"))
    parts = [(x.name, x.kind, x.link, " ".join(x.inputs) or "-", " ".join(x.outputs) or "-") for x in about.parts]
    print_table(parts, ("part", "kind", "link", "inputs", "readouts"))
    sensors = [(x.name, x.kind, x.link, number(x.rate)) for x in about.sensors]
    print_table(sensors, ("sensor", "kind", "link", "rate [Hz]"))
    objects = [(x.name, x.shape, x.moves, number(x.mass) if x.mass else "-", vector(x.position)) for x in about.objects]
    print_table(objects, ("object", "shape", "moves", "mass [kg]", "position [m]"))
    scenarios = [(name, number(x.seconds), x.title) for name, x in twin.scenarios.items()]
    print_table(scenarios, ("scenario", "seconds", "title"))
    print_table(list(twin.variants.items()), ("variant", "title"))


def _code(twin: Twin) -> list[tuple[str, str]]:
    """What code of its own the twin names, and whether it may run."""
    from didymos.describe.trust import is_trusted, quoted

    if not twin.code.stand_ins:
        return []
    may = "trusted" if is_trusted(twin.folder) else f"runs after: didymos trust {quoted(twin.folder)}"
    return [("own code", f"{' '.join(twin.code.stand_ins)} ({may})")]


def print_parameters(parameters: Mapping[str, Parameter]) -> None:
    """A table of parameters."""
    rows = [
        (path, number(x.value), x.unit or "-", number(x.low), number(x.high), "live" if x.live else "-")
        for path, x in parameters.items()
    ]
    print_table(rows, ("parameter", "value", "unit", "low", "high", "live"))


def _inertia(matrix: Any) -> str:
    """The six numbers xx yy zz xy xz yz of a symmetric matrix, shape [3, 3]."""
    rows = [[float(value) for value in row] for row in matrix]
    return vector((rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2]))
