"""Learn what physics leaves over, and keep it only where recordings that it has not seen come closer.

The physics stays as it is. A correction (`parts/correction.py`, `parts/joint_correction.py`) is trained

    linear       by ridge regression of the force that is left over in short windows (`equation_error.py`)
    network      by Levenberg and Marquardt on the same windows (`small_network.py`)
    refined      by Gauss and Newton on the errors of the windows, or whole recordings, that are judged (`multiple_shooting.py`);
                 where recordings are not cut into windows this is the only way

with ridge and weight decay chosen by cross-validation. It is judged (`paired_judgement.py`) on the recordings named as hold-
outs, or, without any, by leaving out one recording after the other (of a single one: one quarter after the other). Ranges,
ridge and decay are found from the training data of each fold alone. What is kept is trained on all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.cluster.executor import Workers
from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting.evaluation import Evaluation, evaluate
from didymos.fitting.paired_judgement import PairedJudgement, judge_pair
from didymos.fitting.recording import Recording
from didymos.fitting.residual_cells import Cell, cut_cells
from didymos.fitting.residual_part import ResidualPart, find_residual_part
from didymos.fitting.residual_runs import ResidualRuns
from didymos.fitting.residual_training import Trained, Trainer
from didymos.fitting.segments import Segment, Span, cut
from didymos.parts.learned import UNITS

__all__ = ["ResidualModel", "learn_residual"]

_Array = NDArray[np.float64]
_Predictions = list[list[_Array] | None]
_POWER = {"torque": "velocity", **{f"force_{axis}": f"velocity_{axis}" for axis in "xyz"},
          **{f"torque_{axis}": f"rate_{axis}" for axis in "xyz"}}  # fmt: skip
"""The velocity along which each output does work."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ResidualModel:
    """What was learned in a part, and whether it is worth keeping.

    `values` by path are empty where it is not kept. In `evaluations`, `before` is physics alone, `after` with the correction;
    those that are held out come from functions that had not seen them. `power` [W] is the mean that the correction puts in over
    the training data, None where it cannot be told.
    """

    part: str
    units: int
    refined: bool
    kept: bool
    verdict: str
    values: Mapping[str, float]
    judgement: PairedJudgement
    evaluations: tuple[Evaluation, ...]
    power: float | None
    windows: int
    seconds: float
    warnings: tuple[str, ...]

    @property
    def name(self) -> str:
        """linear, or network and its hidden units."""
        return f"network:{self.units}" if self.units else "linear"


def learn_residual(
    twin: Twin,
    recordings: Sequence[Recording],
    *,
    units: int = 0,
    hold_out: Sequence[Recording] = (),
    window: float | None = None,
    between: Span | None = None,
    link: str | None = None,
    joint: str | None = None,
    bound: float | None = None,
    torque_bound: float | None = None,
    refined: bool = False,
    own: Mapping[str, Mapping[str, float]] | None = None,
    threads: Workers = None,
    watch: Callable[[int, int], None] | None = None,
) -> ResidualModel:
    """Train the correction of a twin whose physics stays as it is, and judge it by what it has not seen.

    Args:
        twin: as it was fitted, with a part of kind `correction` or `joint_correction`.
        recordings: as `read_recordings` gives them; windows and features begin at the measured state, so they have to tell it.
        units: hidden units of a network; 0 for a linear correction.
        hold_out: recordings to judge by; without any, each of `recordings` by what the others teach.
        window: length [s] of windows that are judged; whole recordings without.
        between: times [s] of each recording between which it is looked at.
        link, joint: where the part acts, if there are several.
        bound: of the force [N] of a link, or of the torque [N m] of a joint; the part's own, else an ample one, by default.
        torque_bound: of the torque [N m] of a link.
        refined: refine on the windows that are judged, which takes a run of all of them for each weight.
        own: by name of a recording, what it has for itself, by path.
        threads: how many, all cores by default; or an executor (`cluster/executor.py`). The result is the same.
        watch: told how many trainings are done, and of how many.
    """
    began = time.perf_counter()
    if not 0 <= units <= len(UNITS):
        text = f"found {max(units, 0)} hidden units, expected 1 to {len(UNITS)} of them, or a linear correction"
        raise InputError(text, option="residual")
    part = find_residual_part(twin, link, joint)
    bounds = _bounds(twin, part, bound, torque_bound)
    runs = ResidualRuns(twin, part, recordings, [dict((own or {}).get(item.name, {})) for item in recordings], threads)
    cells = cut_cells(twin, recordings, window, between)
    trainer = Trainer(runs, cells, units=units, bounds=bounds, refined=refined)
    folds = [] if hold_out else _folds(cells, len(recordings))
    tell = watch or (lambda done, of: None)
    tell(0, len(folds) + 1)
    if hold_out:
        kept_apart = ResidualRuns(twin, part, hold_out, [dict((own or {}).get(item.name, {})) for item in hold_out], threads)
        judged = cut(twin, hold_out, window, between=between)
        trained = trainer.train(range(len(cells)))
        judgement, evaluations = _judge(kept_apart, judged, kept_apart.predictions(judged, trained_values(part, trained)))
    else:
        segments: list[Segment] = []
        said: _Predictions = []
        for done, fold in enumerate(folds):
            others = trainer.train([i for i in range(len(cells)) if i not in fold])
            here = [segment for i in fold for segment in cells[i].segments]
            segments, said = segments + here, said + runs.predictions(here, trained_values(part, others))
            tell(done + 1, len(folds) + 1)
        judgement, evaluations = _judge(runs, segments, said)
        trained = trainer.train(range(len(cells))) if judgement.better else others
    kept = judgement.better and not trained.is_empty
    values = trained_values(part, trained) if kept else {}
    if kept:
        every = [segment for cell in cells for segment in cell.segments]
        evaluations = _judge(runs, every, runs.predictions(every, values), held_out=False)[1] + evaluations
    tell(len(folds) + 1, len(folds) + 1)
    verdict = f"the correction is kept: {judgement.why}" if kept else f"no correction is worth keeping: {judgement.why}"
    return ResidualModel(
        part=part.name, units=units, refined=refined or window is None, kept=kept, verdict=verdict, values=values,
        judgement=judgement, evaluations=evaluations, power=_power(part, trained) if kept else None,
        windows=sum(len(cell.segments) for cell in cells), seconds=time.perf_counter() - began,
        warnings=tuple(_warnings(part, trained)) if kept else (),
    )  # fmt: skip


def trained_values(part: ResidualPart, trained: Trained) -> dict[str, float]:
    """All numbers of a part by path."""
    return trained.function.values(part, trained.limits)


def _bounds(twin: Twin, part: ResidualPart, bound: float | None, torque_bound: float | None) -> dict[str, float]:
    """Bounds by path: as asked for, or those of the twin that are not 0."""
    found = {path: twin.get(path) for path in dict.fromkeys(part.limits) if twin.get(path) > 0.0}
    for path in part.limits:
        of_link = len(part.kind.limits) > 1
        given = torque_bound if of_link and path.endswith("torque_limit") else bound
        if given is not None:
            if not given > 0.0:
                raise InputError(f"found {given:g}, expected a bound above 0", option="residual_bound")
            found[path] = given
    return found


def _folds(cells: Sequence[Cell], recordings: int) -> list[list[int]]:
    """Cells that are left out together: those of a recording, or each, where there is one recording only."""
    if recordings == 1:
        return [[i] for i in range(len(cells))]
    return [here for r in range(recordings) if (here := [i for i, cell in enumerate(cells) if cell.recording == r])]


def _judge(
    runs: ResidualRuns, segments: Sequence[Segment], corrected: _Predictions, *, held_out: bool = True
) -> tuple[PairedJudgement, tuple[Evaluation, ...]]:
    """A judgement of predictions beside those of physics alone, and both at every sample."""
    physics = runs.predictions(segments, {runs.part.path("scale"): 0.0})
    both = [i for i in range(len(segments)) if physics[i] is not None and corrected[i] is not None]
    chosen = [segments[i] for i in both]
    before, after = ([item for i in both if (item := said[i]) is not None] for said in (physics, corrected))
    judgement = judge_pair(runs.recordings, segments, physics, corrected)
    return judgement, evaluate(runs.recordings, chosen, before, after, held_out=held_out)


def _power(part: ResidualPart, trained: Trained) -> float | None:
    """The mean power [W] that the correction puts in over the training data."""
    motions = [_POWER[output] for output in part.outputs]
    if not set(motions) <= set(part.features):
        return None
    velocity = trained.features[:, [part.features.index(name) for name in motions]]
    return float(np.einsum("no,no->n", trained.forces, velocity).mean())


def _warnings(part: ResidualPart, trained: Trained) -> list[str]:
    found = []
    largest = np.abs(trained.forces).max(axis=0)
    for output, path, force in zip(part.outputs, part.limits, largest.tolist(), strict=True):
        if force > trained.limits[path]:
            limit = trained.limits[path]
            found.append(f"{output} of {part.name} would reach {force:.3g} and is held below its bound, {limit:.3g}")
    power = _power(part, trained)
    if power is not None and power > 0.0:
        text = f"{part.name} puts in {power:.3g} W on average over the training data"
        found.append(f"{text}: look at a long run before you trust it")
    return found
