"""Units that are wrong by a factor that has a name: 2 pi, 180/pi, 1000, the ratio of a gear.

A factor of more than three is told before anything is fitted. A smaller one (a ratio of 10 over 2 pi is 1.6) may as well be one
of the parameters that are to be found, so that is known after the fit: what parameters explain is gone then,

    |log f|  <=  |log f_0| / 2,        f_0, f: spread of what was recorded over that of the twin, before and after
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting.recording import Recording
from didymos.fitting.segments import Segment

__all__ = ["check_units"]

_Array = NDArray[np.float64]
_MATCH = 0.08  # how near to a named factor a ratio has to be
_ALIKE = 0.9  # correlation from which on two signals have the same shape
_NEAR, _FAR = 0.25, math.log(3.0)  # logs of factors: nearer to 1 is none, farther no parameter explains
_EXPLAINED = 0.5  # of the log of a factor: no more than this is left where parameters explain it
_TURN = 2.0 * math.pi


def check_units(
    twin: Twin, recordings: Sequence[Recording], segments: Sequence[Segment], before: Sequence[Sequence[_Array]],
    after: Sequence[Sequence[_Array]] | None = None,
) -> None:
    """Refuse a column that looks like the twin's signal times a named factor; one that is only judged (weight 0) may.

    What the twin says, by segment and channel, before a fit and, where there was one, after it.
    """  # fmt: skip
    named = _factors(twin)
    for index, recording in enumerate(recordings):
        of_it = [i for i, segment in enumerate(segments) if segment.recording == index]
        for k, channel in enumerate(recording.channels):
            if channel.column.weight == 0.0 or channel.is_orientation or not of_it:
                continue
            real = np.concatenate([channel.rows[segments[i].samples[k]] for i in of_it]).ravel()
            factor = _factor(real, np.concatenate([before[i][k] for i in of_it]).ravel())
            left = None if after is None else _factor(real, np.concatenate([after[i][k] for i in of_it]).ravel())
            if factor is None or abs(math.log(factor)) < (_FAR if left is None else _NEAR):
                continue
            if left is not None and abs(math.log(left)) <= _EXPLAINED * abs(math.log(factor)):
                continue
            for name, value in named.items():
                if abs(factor / value - 1.0) < _MATCH:
                    raise InputError(
                        f"is {factor:.3g} times what the twin does, which is {name}: wrong units?"
                        f" Give the column a scale of {1 / value:.6g}",
                        file=recording.file, path=channel.column.name,
                    )  # fmt: skip


def _factor(real: _Array, ours: _Array) -> float | None:
    """How much more a recording moves than the twin, shape [n] each; None where they do not have the same shape."""
    if not (np.std(real) * np.std(ours) > 0.0) or abs(float(np.corrcoef(real, ours)[0, 1])) < _ALIKE:
        return None
    return float(np.std(real) / np.std(ours))


def _factors(twin: Twin) -> dict[str, float]:
    """Factors that mistaken units leave behind, by name."""
    factors = {"2 pi (rad for revolutions)": _TURN, "180/pi (degrees for rad)": 180.0 / math.pi, "1000 (milli)": 1000.0}
    for name, part in twin.file.parts.items():
        ratio = getattr(part, "ratio", 1.0)
        if ratio != 1.0:
            factors[f"the ratio {ratio:g} of {name} (motor for output)"] = ratio
            factors[f"the ratio of {name} over 2 pi (motor revolutions for rad at the output)"] = ratio / _TURN
            factors[f"the ratio of {name} times 2 pi"] = ratio * _TURN
            factors[f"the ratio of {name} times 180/pi (degrees at the motor for rad at the output)"] = ratio * 180.0 / math.pi
    return factors | {f"one over {name}": 1.0 / value for name, value in factors.items()}
