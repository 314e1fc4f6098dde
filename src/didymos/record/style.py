"""The look of our pictures, and files of them.

Colours are those of Okabe and Ito, which colour-blind readers can tell apart. A picture carries our name in its metadata
(`own_file.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from didymos.errors import InputError
from didymos.record.own_file import NAME

__all__ = ["COLOURS", "figure_file", "new_figure", "style", "unit_label"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195", "#444444")

_STYLE = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#888888",
    "axes.labelcolor": "#333333",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.xmargin": 0.0,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.7,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.handlelength": 1.4,
    "savefig.dpi": 130.0,
    "svg.hashsalt": "didymos",
}
_STAMPS: dict[str, dict[str, str | None]] = {
    ".png": {"Software": NAME},
    ".svg": {"Date": None, "Creator": NAME},
    ".pdf": {"CreationDate": None, "Creator": NAME},
}


@contextmanager
def style() -> Iterator[None]:
    """The look of our pictures."""
    import matplotlib
    from cycler import cycler

    with matplotlib.rc_context(_STYLE | {"axes.prop_cycle": cycler(color=COLOURS)}):
        yield


def new_figure(width: float, height: float) -> Any:
    """An empty figure of a size [inch], without any of pyplot's global state."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08))


def unit_label(unit: str) -> str:
    """A unit as an axis shows it: m/s^2 -> [m/s²]."""
    return f"[{unit.replace('^2', '²').replace('^3', '³').replace(' ', '·')}]" if unit else ""


def figure_file(figure: Any, path: str | Path) -> Path:
    """Save a figure; the same figure gives the same bytes."""
    path = Path(path)
    if path.suffix not in _STAMPS:
        raise InputError(f"a picture is a .png, .svg or .pdf, not {path.suffix!r}", file=path)
    try:
        figure.savefig(path, metadata=_STAMPS[path.suffix])
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from error
    return path
