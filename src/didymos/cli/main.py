"""The command `didymos`: its verbs, and what every one of them does with an error.

Exit status: 0 ok, 1 the run failed or fell short of its scenario's expectation, 2 bad input, 70 a defect of ours,
130 interrupted, 141 the reader of a verb's output left while it went on. With `--json`, stdout holds exactly one JSON object
in every one of these cases. `DIDYMOS_DEBUG=1` adds the traceback of whatever went wrong.
"""

from __future__ import annotations

import atexit
import gc
import itertools
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from didymos.cli.bash_completion import mend_bash_script
from didymos.cli.bench import bench
from didymos.cli.check import check
from didymos.cli.cockpit import cockpit
from didymos.cli.command_list import Commands
from didymos.cli.compare import compare
from didymos.cli.crosscheck import crosscheck
from didymos.cli.design import design
from didymos.cli.export import export
from didymos.cli.falsify import falsify
from didymos.cli.fit import fit
from didymos.cli.fit_propeller import fit_propeller
from didymos.cli.flags import in_flags
from didymos.cli.greeting import greet
from didymos.cli.list import list_twins
from didymos.cli.log import log
from didymos.cli.new import new
from didymos.cli.plot import plot
from didymos.cli.polar import polar
from didymos.cli.report import report
from didymos.cli.run import run
from didymos.cli.serve import serve
from didymos.cli.shadow import shadow
from didymos.cli.show import show
from didymos.cli.standard_streams import UNREAD, drop_output, have_streams, is_full
from didymos.cli.sweep import sweep
from didymos.cli.text import print_json
from didymos.cli.train import train
from didymos.cli.trim import trim
from didymos.cli.trust import trust
from didymos.cli.validate import validate
from didymos.errors import DidymosError
from didymos.portable import check_portable, restart_portable, wishes_portable

__all__ = ["app", "main"]

INTERNAL, INTERRUPTED = 70, 130

app = typer.Typer(
    name="didymos",
    cls=Commands,
    help="Digital twins of robots: describe, simulate, drive, compare, fit.",
    epilog="Example: didymos run quadcopter --scenario climb --record climb.mcap --plot climb.png",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
app.command("list", epilog="Example: didymos list")(list_twins)
app.command(epilog="Example: didymos show quadcopter --parameters links.body")(show)
app.command(epilog="Example: didymos check my_robot/twin.yaml")(check)
app.command(epilog="Example: didymos run quadcopter --seconds 5 --set links.body_FLU.mass=1.2 --record hover.mcap")(run)
app.command(epilog="Example: didymos cockpit quadcopter --scenario hover --play")(cockpit)
app.command(epilog="Example: didymos plot hover.mcap imu.gyro imu.accel -o imu.png")(plot)
app.command(epilog="Example: didymos log flight.ulg --signal '*gyro*' --plot flight.png")(log)
app.command(epilog="Example: didymos compare real.csv hover.mcap --shift 0.25 -o overlay.png")(compare)
app.command(epilog="Example: didymos fit power_unit sine.csv --hold-out step.csv -o fitted.yaml --report fit.html")(fit)
app.command(epilog="Example: didymos validate power_unit sine.csv --with fitted.yaml")(validate)
app.command(
    epilog="Example: didymos design power_unit --scenario chirp --noise out_pos_rad=6e-5 --noise out_vel_rad_s=0.01 -o best.yaml"
)(design)
app.command(epilog="Example: didymos sweep quadcopter --vary links.body_FLU.mass=0.4:0.8 --runs 50 --plot mass.png")(sweep)
app.command(epilog="Example: didymos report runs -o runs.html")(report)
app.command(
    epilog="Example: didymos falsify quadcopter --scenario climb --vary links.body_FLU.mass=0.4:0.8 --vary"
    " scenarios.climb.stimuli.0.end=3:6 --plot worst.png"
)(falsify)
app.command(epilog="Example: didymos serve quadcopter --port ros2 --record flight.mcap")(serve)
app.command(epilog="Example: didymos shadow quadcopter --robot ros2:0 --record beside.mcap")(shadow)
app.command(epilog="Example: didymos train quadcopter --task hover --minutes 3 -o hover")(train)
app.command(epilog="Example: didymos bench quadcopter --json")(bench)
app.command(epilog="Example: didymos trim skywalker_2013 --airspeed 12:25:1 --plot trim.png")(trim)
app.command(epilog="Example: didymos crosscheck quadcopter --scenario hover --contact drop -o crosscheck.png")(crosscheck)
app.add_typer(export, name="export")
app.command("fit-propeller", epilog="Example: didymos fit-propeller bench.csv --density 1.19")(fit_propeller)
app.command(epilog="Example: didymos polar naca2412 --reynolds 200000 --reynolds 500000 -o naca2412.csv")(polar)
app.command(epilog="Example: didymos trust my_robot")(trust)
app.command(epilog="Example: didymos new rover --from rover.urdf.xacro --into twins")(new)


def _print_version(chosen: bool) -> None:
    if chosen:
        from importlib.metadata import version

        print(version("didymos"))
        raise typer.Exit(0)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and leave.")
    ] = False,
) -> None:
    """Options of the command itself, before any verb; without one, a greeting."""
    if context.invoked_subcommand is None:
        greet()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit status; `arguments` without the program's name, `sys.argv` by default."""
    if arguments is None:
        _spare_the_collector()
        _spare_the_cores()
        have_streams()
    given = _spelt_out(list(sys.argv[1:] if arguments is None else arguments))
    as_json = "--json" in given
    mend_bash_script(given)
    status = UNREAD
    try:
        _be_portable("--portable" in given, ours=arguments is None)
        status = int(app(args=given, prog_name="didymos", standalone_mode=False) or 0)
        if status == INTERRUPTED:  # Typer turns the interrupt into this status, which no verb returns
            raise KeyboardInterrupt
        sys.stdout.flush()
    except DidymosError as error:
        return _fail(in_flags(error), error.exit_status, as_json)
    except typer.TyperException as error:
        return _fail(_sentence(error), error.exit_code, as_json)
    except BrokenPipeError:  # without a word; what the verb found stays its status
        drop_output()
    except SystemExit as leaving:  # Typer's answer to a reader that leaves while a verb goes on; else it has completed a line
        if not isinstance(leaving.__context__, BrokenPipeError):
            raise
        return UNREAD
    except OSError as error:
        if is_full(error):
            drop_output()
            return _fail(f"output cannot be written: {error.strerror}", 2, as_json)
        if error.filename is None:
            return _defect(error, as_json)
        return _fail(f"{error.filename}: {error.strerror}", 2, as_json)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED, as_json)
    except MemoryError:
        return _fail("there is not enough memory for this; what was recorded until then is in its file", 1, as_json)
    except Exception as error:
        return _defect(error, as_json)
    return status


def _be_portable(asked: bool, *, ours: bool) -> None:
    """Start anew where that is asked for and this process is not so; another's (not `ours`) has to be already."""
    if ours and (asked or wishes_portable()):
        restart_portable([sys.executable, *sys.orig_argv[1:]])
    check_portable(asked)


def _spare_the_collector() -> None:
    """A process that is ours looks for garbage rarely, and not at its end: what it imports is none, and took it half a second."""
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)


def _spare_the_cores() -> None:
    """A process that is ours multiplies small matrices by one thread, unless its user says otherwise, and before numpy is there.

    Threads of OpenBLAS wait for each other by spinning: on a busy machine they made a solution in 2 dimensions a hundred times
    slower. Runs are what we share among cores, and sums by one thread have the same last bits on any number of them.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _spelt_out(arguments: list[str]) -> list[str]:
    """`--gamepad` without a device means any, `--foxglove` its own port: Typer knows no option whose value may be left out."""
    spelt: list[str] = []
    for argument, following in itertools.zip_longest(arguments, arguments[1:], fillvalue="-"):
        spelt.append(argument)
        if argument == "--gamepad" and following.startswith("-"):
            spelt.append("any")
        if argument == "--foxglove" and not following.isdigit():
            spelt.append("8765")
    return spelt


def _fail(message: str, status: int, as_json: bool) -> int:
    """Say what went wrong: one line on stderr, and the object that `--json` promises on stdout."""
    if os.environ.get("DIDYMOS_DEBUG"):
        traceback.print_exc()
    line = " ".join(message.split())
    print(f"didymos: {line}", file=sys.stderr)
    if as_json:
        print_json({"error": line})
    return status


def _sentence(error: typer.TyperException) -> str:
    """Typer's message, with the way to the help of the verb that was meant."""
    context = getattr(error, "ctx", None)
    where = f"; see '{context.command_path} --help'" if context is not None else ""
    return error.format_message().rstrip(".") + where


def _defect(error: Exception, as_json: bool) -> int:
    hint = "this is a defect of Didymos, please report it; DIDYMOS_DEBUG=1 shows where"
    return _fail(f"internal error: {type(error).__name__}: {error} ({hint})", INTERNAL, as_json)


if __name__ == "__main__":
    sys.exit(main())
