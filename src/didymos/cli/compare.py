"""`didymos compare`: what differs in two logs, whether it may, and an overlay picture."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.completion import complete_limits, complete_signals
from didymos.cli.logs import of_robot, open_log
from didymos.cli.options import AsJson, RobotName
from didymos.cli.text import number, print_json, print_table
from didymos.cli.values import pairs, settings

if TYPE_CHECKING:
    from didymos import Log
    from didymos.record.compare import Comparison, SignalError
    from didymos.record.compare_rank import Rank

__all__ = ["compare"]

WORST = 10  # lines of the table
NOT_COMPARED = {"only_in_a": "only in A", "only_in_b": "only in B", "no_overlap": "no common time"}


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="The reference: a log of any kind that didymos log reads.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="What is held against it: another log.")],
    signal: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this signal; repeatable.", autocompletion=complete_signals),
    ] = None,
    rename: Annotated[
        list[str] | None, typer.Option(metavar="IN_B=IN_A", help="A signal with another name in B; repeatable.")
    ] = None,
    twin: Annotated[
        str | None,
        typer.Option(metavar="TWIN", help="Whose recordings.columns say what the columns of A mean; the twin of B by default."),
    ] = None,
    robot: RobotName = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SIGNAL=VALUE", help="How far a signal, prefix or pattern may be away at most, else exit 1; repeatable.",
            autocompletion=complete_limits,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every signal, instead of the ten that differ most, or of a line for each robot.")
    ] = False,
    shift: Annotated[float, typer.Option(metavar="S", help="Added to the time stamps of B [s].")] = 0.0,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.png", help="Draw both.")] = None,
    as_json: AsJson = False,
) -> int:
    """What differs in two logs, and an overlay picture of it; of worlds, a line for each robot.

    Samples are aligned by time stamp. An error is ranked over the range of its own signal. Exit status 1 if a limit is exceeded.
    """
    import didymos

    log_a, log_b = open_log(a), open_log(b)
    if robot is not None:  # a robot of a world may be held against its twin alone
        worlds = [bool(log.robots) for log in (log_a, log_b)]
        log_a, log_b = (of_robot(log, robot) if is_world or not any(worlds) else log
                        for log, is_world in zip((log_a, log_b), worlds, strict=True))  # fmt: skip
    names = {**_columns(twin, log_a, log_b), **pairs(rename or (), "--rename")}
    limits = settings(limit or (), "--limit")
    result = didymos.compare(log_a, log_b, signals=signal or None, rename=names, shift=shift, limits=limits)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        replace(result, labels=(a.name, b.name)).plot(output)
    facts = result.to_json()
    if as_json:
        print_json({**facts, "plot": output})
        return 1 if result.beyond else 0
    by_robot = len(log_a.robots) > 1 and not (signal or everything)
    if by_robot:
        _print_robots(result, log_a.robots)
    else:
        print(_sentence(result))
    if result.limits or not by_robot:
        _print_signals(result, list(result.limits) if by_robot else None, everything or bool(signal))
    for key, meaning in NOT_COMPARED.items():
        if facts[key]:
            names_left = facts[key]
            print(f"{meaning}: {_counted(names_left, log_a) if by_robot else _some(names_left, everything)}", file=sys.stderr)
    if output is not None:
        print(f"overlay: {output}")
    for name in result.beyond:
        x, most = result.signals[name], number(result.limits[name], result.signals[name].unit)
        print(f"didymos: {name}: {number(x.max, x.unit)} away at {x.time_of_max:.6g} s, at most {most}", file=sys.stderr)
    return 1 if result.beyond else 0


def _sentence(result: Comparison) -> str:
    """What matters, in words."""
    shares = {rank.name: rank.share for rank in result.ranks}
    told = [
        f"{name} (RMSE {result.signals[name].rmse:.3g}{_unit(result.signals[name])}, {_part(shares[name])} its range)"
        for name in result.matter
    ]
    if not told:
        return f"no difference: all {len(result.signals)} signals agree but for rounding and noise"
    most = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
    return f"differs most: {most}"


def _unit(error: SignalError) -> str:
    return f" {error.unit}" if error.unit not in ("", "1") else ""


def _part(share: float) -> str:
    return f"{100.0 * share:.2g} % of" if share < 1.0 else f"{share:.3g} times"


def _print_signals(result: Comparison, names: list[str] | None, everything: bool) -> None:
    """The signals with the largest errors over their own range; those with a limit first, those that repeat others last."""
    ranks = [rank for rank in result.ranks if names is None or rank.name in names]
    hidden = [rank for rank in ranks if rank.hidden and rank.name not in result.limits and not everything]

    def group(rank: Rank) -> tuple[bool, bool]:
        return rank.name not in result.limits, rank.repeats and not everything

    shown = sorted((rank for rank in ranks if rank not in hidden), key=group)
    groups = [[rank.name] for rank in shown] if everything else _told_once(shown, result)
    share_of = {rank.name: _part(rank.share).removesuffix(" of") for rank in shown}
    rows = []
    for name, *like_it in groups:
        x, most = result.signals[name], result.limits.get(name)
        row = (name, x.unit or "-", number(x.rmse), number(x.max), number(x.time_of_max), share_of[name], str(x.samples))
        mark = "-" if most is None else f"{number(most)} {'BEYOND' if x.max > most else 'ok'}"
        rows.append((*row, *([mark] if result.limits else []), *([_names(like_it)] if any(map(_has_more, groups)) else [])))
    heads: tuple[str, ...] = ("signal", "unit", "rmse", "max", "at [s]", "of range", "samples")
    heads += ("limit",) if result.limits else ()
    print_table(rows, (*heads, "like it") if any(map(_has_more, groups)) else heads)
    left = len(shown) - sum(map(len, groups))
    more = [f"{left} more differ"] if left else []
    for why in ("noise", "dust"):
        count = sum(rank.hidden == why for rank in hidden)
        what = "by no more than noise" if why == "noise" else "by rounding at most"
        more += [f"{count} differ {what}"] if count else []
    if more:
        print(f"  {', '.join(more)}: --all lists every signal")


def _told_once(ranks: Sequence[Rank], result: Comparison) -> list[list[str]]:
    """The signals of the table, those with a limit each by itself, and those that are like them."""
    from didymos.record.compare_rank import told_once

    return told_once(ranks, result.signals, max(WORST, len(result.limits)), result.limits)


def _has_more(group: Sequence[str]) -> bool:
    return len(group) > 1


def _names(names: Sequence[str]) -> str:
    return " ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "") if names else "-"


def _some(names: Sequence[str], everything: bool) -> str:
    shown = list(names) if everything else list(names)[:WORST]
    return " ".join(shown) + (f" and {len(names) - len(shown)} more" if len(names) > len(shown) else "")


def _print_robots(result: Comparison, robots: Sequence[str]) -> None:
    """A line for each robot: how far it was away, and the signal that differs most for how much it moves."""
    from didymos.record.robots import robot_of

    known, rows = set(robots), []
    errors: dict[str, list[SignalError]] = {}
    for name, error in result.signals.items():
        errors.setdefault(robot_of(name, known), []).append(error)
    for robot in (*robots, ""):
        own = errors.get(robot, [])
        if own:
            differ = [error for error in own if error.max > 0.0]
            moving = [error for error in differ if not error.name.startswith("tf.")]  # poses of links repeat those of the robot
            worst = _differs_most(moving or differ)
            away = _away(result, robot)
            told = ("-",) * 4 if worst is None else (worst.name, worst.unit or "-", number(worst.rmse), number(worst.max))
            rows.append((robot or "(world)", str(len(own)), str(len(differ)), *map(number, away), *told))
    moved = ("position rmse [m]", "max [m]")
    print_table(rows, ("robot", "signals", "differ", *moved, "differs most", "unit", "rmse", "max"))
    print("  --robot NAME lists the signals of one, --all those of all, --signal PATTERN some")


def _differs_most(errors: Sequence[SignalError]) -> SignalError | None:
    """The signal with the largest error beside the most that any of the same unit moves; None of none."""
    spreads: dict[str, float] = {}
    for error in errors:
        spreads[error.unit] = max(spreads.get(error.unit, 0.0), float(error.a.std()))
    return max(errors, key=lambda x: (x.rmse / spreads[x.unit] if spreads[x.unit] > 0.0 else 0.0, x.rmse), default=None)


def _away(result: Comparison, robot: str) -> tuple[float | None, float | None]:
    """How far a robot of B was from that of A [m]: root of the mean square, and at most."""
    axes = [result.signals.get(f"{robot}.truth.position.{axis}") for axis in "xyz"]
    found = [axis for axis in axes if axis is not None]
    if len(found) < 3:
        return None, None
    x, y, z = found
    square = x.error**2 + y.error**2 + z.error**2
    return float(square.mean() ** 0.5), float(square.max() ** 0.5)


def _counted(names: Sequence[str], log: Log) -> str:
    """How many signals of which robots."""
    from didymos.record.robots import robot_of

    known = set(log.robots)
    counts = Counter(robot_of(name, known) or "(others)" for name in names)
    return ", ".join(f"{count} of {robot}" for robot, count in counts.items())


def _columns(twin: str | None, a: Log, b: Log) -> dict[str, str]:
    """Signals of B by the columns of A that measure them, as a twin says; without one, as the bundled twin that B is a run of."""
    import didymos

    if twin is None:
        twin = b.metadata.get("twin", "")
        if twin not in didymos.bundled():
            return {}
    known = didymos.load(twin, run_code=False).file.recordings.columns
    plain = {name: x.signal for name, x in known.items() if x.signal is not None and x.scale == 1.0 and not (x.unit or x.columns)}
    return {signal: name for name, signal in plain.items() if name in a and signal in b and signal not in a}
