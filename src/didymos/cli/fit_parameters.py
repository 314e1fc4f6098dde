"""What `didymos fit` may move, from its options: `--parameters`, `--per-recording`, `--tie` and `--prior`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from didymos.cli.values import finite, limits, pairs
from didymos.describe.path_patterns import tied_paths, unknown_path
from didymos.errors import InputError, nearest

if TYPE_CHECKING:
    from didymos.describe.schema import FreeSpec
    from didymos.twin import Twin

__all__ = ["free_parameters"]

_FACTOR = 5.0  # either way, where neither the user nor the twin says how far


def free_parameters(
    twin: Twin, parameters: list[str], per_recording: list[str], ties: list[str], priors: list[str]
) -> dict[str, FreeSpec]:
    """What may move, by path: the twin's own list, or what `parameters` say, with what each recording has for itself."""
    chosen = _chosen(twin, parameters) | _per_recording(per_recording)
    for path, text in pairs(ties, "--tie").items():
        ratio, star, leader = (piece.strip() for piece in text.partition("*"))
        if not star:
            raise InputError(f"found {text!r}, expected RATIO*PATH", path=f"--tie {path}")
        tied = {path: finite(ratio, f"--tie {path}")}
        spec = _known(leader, chosen, f"--tie {path}")
        chosen[leader] = spec.model_copy(update={"tied": spec.tied | tied})
    for path, text in pairs(priors, "--prior").items():
        chosen[path] = _with_prior(_known(path, chosen, f"--prior {path}"), text, f"--prior {path}")
    return chosen


def _chosen(twin: Twin, texts: list[str]) -> dict[str, FreeSpec]:
    from didymos.describe.names import whole_links
    from didymos.describe.schema import FreeSpec

    given = twin.file.fit.parameters
    if not texts:
        return dict(given)
    chosen: dict[str, FreeSpec] = {}
    for item in (piece.strip() for text in texts for piece in text.split(",") if piece.strip()):
        path, equals, bounds = (piece.strip() for piece in item.partition("="))
        if equals:
            chosen[path] = FreeSpec(bounds=limits(bounds, f"--parameters {path}"))
        elif path in given:
            chosen[path] = given[path]
        elif whole_links(twin.description, path):
            chosen[path] = FreeSpec()
        else:
            chosen[path] = FreeSpec(bounds=_usual_bounds(twin, path))
    return chosen


def _usual_bounds(twin: Twin, path: str) -> tuple[float, float]:
    """A fifth and five times what a parameter is in the twin, as far as it may go; 0 has no such bounds."""
    ends = []
    paths = tied_paths(path, twin.parameters)
    if not paths:
        raise InputError(unknown_path(path, twin.parameters), path=path)
    for name in paths:
        value, known = twin.get(name), twin.parameters[name]
        low, high = sorted((value / _FACTOR, value * _FACTOR))
        ends.append((low if known.low is None else max(low, known.low), high if known.high is None else min(high, known.high)))
    low, high = max(low for low, _ in ends), min(high for _, high in ends)
    if not low < high:
        raise InputError("has no bounds in the twin, and its value gives none; write PATH=LOW:HIGH", path=path)
    return low, high


def _per_recording(texts: list[str]) -> dict[str, FreeSpec]:
    from didymos.describe.schema import FreeSpec

    chosen = {}
    for path, text in pairs(texts, "--per-recording").items():
        bounds, _, grid = text.partition("/")
        count = finite(grid or "1", f"--per-recording {path}")
        if not 1.0 <= count <= 1e6 or count != round(count):
            raise InputError(f"found a grid of {grid!r}, expected how many values to try", path=f"--per-recording {path}")
        chosen[path] = FreeSpec(bounds=limits(bounds, f"--per-recording {path}"), per_recording=True, grid=int(count))
    return chosen


def _known(path: str, chosen: dict[str, FreeSpec], option: str) -> FreeSpec:
    if path not in chosen:
        hint = nearest(path, chosen) or f" (what moves: {', '.join(chosen) or 'nothing'})"
        raise InputError(f"{path!r} is not among what may move{hint}", path=option)
    return chosen[path]


def _with_prior(spec: FreeSpec, text: str, option: str) -> FreeSpec:
    from didymos.describe.schema import PriorSpec

    mean, colon, sd = (piece.strip() for piece in text.partition(":"))
    if not colon:
        raise InputError(f"found {text!r}, expected MEAN:SD, or :SD about the twin's own value", path=option)
    width = finite(sd, option)
    if not width > 0.0:
        raise InputError(f"found the standard deviation {width:g}, expected one above 0", path=option)
    return spec.model_copy(update={"prior": PriorSpec(mean=finite(mean, option) if mean else None, sd=width)})
