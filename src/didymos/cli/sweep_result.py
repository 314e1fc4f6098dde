"""How a sweep went, for people and for programs."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from didymos.cli.text import number, print_table

if TYPE_CHECKING:
    from didymos.studies.failure_chance import FailureChance
    from didymos.studies.pass_rate import PassRate
    from didymos.studies.plan import Plan
    from didymos.studies.sweep_summary import SweepSummary
    from didymos.studies.trial import Trial

__all__ = ["NAMED", "print_sweep", "rate_facts", "trial_facts"]

NAMED = 8  # runs that fell short and are named one by one


def trial_facts(trial: Trial) -> dict[str, object]:
    """A run as `--json` prints it."""
    expectations = [{"name": x.name, "value": x.value, "limit": x.limit, "ok": x.ok} for x in trial.verdicts]
    return {"seed": trial.seed, "values": trial.values, "ok": trial.ok, "expectations": expectations, "error": trial.error}


def rate_facts(summary: SweepSummary, plan: Plan, until: float | None) -> dict[str, object]:
    """The pass rate, or the probability of rare failures, as `--json` prints it."""
    rate, chance = _rates(summary, plan, until)
    if chance is not None:
        return {"failure_probability": asdict(chance)}
    return {"pass_rate": {"estimate": rate.estimate, "low": rate.low, "high": rate.high}}


def print_sweep(summary: SweepSummary, plan: Plan, until: float | None, kept: bool) -> None:
    """What was found of each expectation over all runs, and which runs fell short."""
    rate, chance = _rates(summary, plan, until)
    rows = [("runs", str(summary.runs)), ("met", str(summary.met))]
    if chance is None:
        rows.append(("pass rate", f"{number(rate.estimate)}, 95 %: {number(rate.low)} to {number(rate.high)}"))
    else:
        rows += _chance_rows(chance)
    print_table(rows)
    rows_found = []
    for name, found in summary.found.items():
        least, mean, most = (number(value, found.unit) for value in (found.least, found.mean, found.most))
        rows_found.append((name, least, mean, most, str(found.missed)))
    print_table(rows_found, ("expectation", "least", "mean", "most", "missed"))
    if chance is None:
        _name_failed(summary, kept)


def _rates(summary: SweepSummary, plan: Plan, until: float | None) -> tuple[PassRate, FailureChance | None]:
    from didymos.studies.pass_rate import LEVEL, STOPPED_LEVEL, pass_rate
    from didymos.studies.rare_plan import RarePlan

    rate = pass_rate(summary.met, summary.runs, level=LEVEL if until is None else STOPPED_LEVEL)
    return rate, plan.found if isinstance(plan, RarePlan) else None


def _chance_rows(chance: FailureChance) -> list[tuple[str, str]]:
    counted = f"{chance.runs} of the runs count, {chance.failures} of them failed, which says as much as {chance.effective:.0f}"
    if chance.certain:
        found = f"{number(chance.estimate)}, 95 %: {number(chance.low)} to {number(chance.high)}"
    elif chance.failures:
        found = "cannot be said: too few failures speak; make more runs"
    else:
        found = f"below {number(chance.high)}, 95 %; cannot be said better: none that counts failed"
    return [("failure probability", found), ("rests on", counted)]


def _name_failed(summary: SweepSummary, kept: bool) -> None:
    for _, trial in summary.fell_short:
        short = trial.error or ", ".join(verdict.name for verdict in trial.verdicts if verdict.ok is False)
        drawn = "".join(f" {path}={value:.6g}" for path, value in trial.values.items())
        print(f"didymos: seed {trial.seed}{drawn}: {short}", file=sys.stderr)
    others = summary.runs - summary.met - len(summary.fell_short)
    if others:
        print(f"didymos: and {others} more" + ("" if kept else "; -o FOLDER keeps them all"), file=sys.stderr)
