"""Flags of `didymos fit` that ask for a residual model, and what is printed of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from didymos.cli.progress import progress
from didymos.cli.text import number, print_table
from didymos.cli.values import finite
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.cluster.executor import Workers
    from didymos.fitting import Fit, Recording
    from didymos.fitting.segments import Span
    from didymos.twin import Twin

__all__ = ["Residuals", "print_residual", "residual_facts", "with_residual"]

_UNITS = 6  # hidden units of a network where nobody says how many


@dataclass(frozen=True, kw_only=True)
class Residuals:
    """What is learned of that which physics leaves over."""

    residual: Annotated[
        str | None, typer.Option(metavar="linear|network[:N]", help="Learn what physics leaves over; kept if hold-outs gain.")
    ] = None
    residual_link: Annotated[str | None, typer.Option(metavar="NAME", help="Whose correction, if there are several.")] = None
    residual_joint: Annotated[str | None, typer.Option(metavar="NAME", help="Whose correction, if there are several.")] = None
    residual_bound: Annotated[
        str | None, typer.Option(metavar="N[:M]", help="Most force [N] and torque [N m] of a link, torque of a joint.")
    ] = None
    residual_refine: Annotated[
        bool, typer.Option("--residual-refine", help="Refine it on the windows that are judged; slow.")
    ] = False
    residual_only: Annotated[
        bool, typer.Option("--residual-only", help="Leave the physics as it is; --with and --set are kept in -o.")
    ] = False

    @property
    def units(self) -> int:
        """Hidden units, 0 of a linear correction."""
        word, _, count = (self.residual or "").partition(":")
        if word == "network" and (not count or count.isdigit()):
            return int(count or _UNITS) or -1
        if word != "linear" or count:
            raise InputError(f"found {self.residual!r}, expected linear, network or network:N", option="residual")
        return 0

    def prepare(self, twin: Twin, values: dict[str, float]) -> None:
        """Refuse what cannot be; take what was learned before out of the twin, and of the values that it was given."""
        if self.residual is not None:
            from didymos.fitting.residual_part import find_residual_part

            _ = self.units
            blank = find_residual_part(twin, self.residual_link, self.residual_joint).blank()
            twin.set_all(blank)
            for path in values.keys() & blank.keys():
                del values[path]
            return
        for name in ("residual_link", "residual_joint", "residual_bound", "residual_refine", "residual_only"):
            if getattr(self, name):
                raise InputError("goes with --residual only", option=name)


def with_residual(
    fitted: Fit,
    twin: Twin,
    recordings: Sequence[Recording],
    held_out: Sequence[Recording],
    between: Span | None,
    asked: Residuals,
    threads: Workers,
    *,
    quiet: bool,
) -> Fit:
    """A fit with the residual that is learned on top of it, if one is asked for; an interrupt keeps the fit."""
    if asked.residual is None or fitted.interrupted:
        return fitted
    from didymos.fitting.fitted import own_values
    from didymos.fitting.residual_model import learn_residual

    moved = twin.copy()
    moved.set_all(fitted.values())
    force, _, torque = (asked.residual_bound or "").partition(":")
    try:
        with progress(1.0, quiet=quiet, text="residual") as tick:
            found = learn_residual(
                moved, recordings, units=asked.units, hold_out=held_out, window=fitted.window, between=between,
                link=asked.residual_link, joint=asked.residual_joint, refined=asked.residual_refine, threads=threads,
                own=own_values(fitted.parameters, [item.name for item in (*recordings, *held_out)]),
                bound=finite(force, "--residual-bound") if force else None,
                torque_bound=finite(torque, "--residual-bound") if torque else None,
                watch=lambda done, of: tick(done / of, f"training {min(done + 1, of)} of {of}"),
            )  # fmt: skip
    except KeyboardInterrupt:  # what was fitted is kept
        return replace(fitted, interrupted=True)
    return replace(fitted, residual=found, warnings=(*fitted.warnings, *found.warnings))


def residual_facts(fitted: Fit) -> dict[str, Any]:
    """What --json tells of a residual; nothing without one."""
    found = fitted.residual
    if found is None:
        return {}
    recordings: dict[str, Any] = {}
    for item in found.evaluations:
        errors = {"rmse_physics": item.rmse_before, "rmse_corrected": item.rmse_after}
        place = recordings.setdefault("held_out" if item.held_out else "training", {})
        place.setdefault(item.name, {})[item.channel.column.signal] = errors
    judged = found.judgement
    return {
        "residual": {
            "part": found.part, "model": found.name, "refined": found.refined, "kept": found.kept, "verdict": found.verdict,
            "ratio": judged.ratio, "p": judged.chance, "blocks": judged.blocks,
            "loss_physics": judged.physics, "loss_corrected": judged.corrected, "power": found.power, "values": found.values,
            "recordings": recordings, "seconds": found.seconds,
        }
    }  # fmt: skip


def print_residual(fitted: Fit) -> None:
    """The verdict, and errors before the fit, of physics alone and with the correction."""
    found = fitted.residual
    if found is None:
        return
    print_table([("residual", f"{found.name} in {found.part}, {found.seconds:.1f} s: {found.verdict}")])
    before = _before(fitted)
    rows = [
        (Path(item.name).name + (" (held out)" if item.held_out else ""), item.channel.column.signal,
         number(before.get((item.name, item.channel.column.signal))), number(item.rmse_before), number(item.rmse_after))
        for item in found.evaluations
    ]  # fmt: skip
    print_table(rows, ("recording", "signal", "rmse before", "physics", "with correction"))


def _before(fitted: Fit) -> Mapping[tuple[str, str], float]:
    return {(item.name, item.channel.column.signal): item.rmse_before for item in fitted.evaluations}
