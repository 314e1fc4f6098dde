"""Hold the bundled twins against recordings of their robots: docs/validation.md. `python docs/make_validation.py DATA`; minutes.

DATA is the folder of the recordings, one folder in it for each twin; what is not there is left out of the page, and said on it.
The page is written from what `validate` finds; nothing on it is typed by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import didymos
from didymos.fitting import read_recordings, validate
from didymos.fitting.validate import Validation

PAGE = Path(__file__).parent / "validation.md"
RECORDINGS = (  # twin, files below DATA, window [s]
    ("power_unit", "power_unit/*.csv", None),
    ("omni_base", "omni_base/*.csv", None),
    ("crazyflie", "crazyflie/*.csv", 0.5),
)
HEAD = """# The bundled twins against their robots

Every recording of a real robot that we have, every signal of it, by the twin as its file has it: RMSE, beside the original
simulator's where it was published. Made by `python docs/make_validation.py DATA` ([validate](validate.md)); each line by

```text
didymos validate TWIN FILES
```

A twin whose numbers were fitted to the same recording is marked by its page: [power_unit](twins/power_unit.md) (the sine),
[omni_base](twins/omni_base.md) (the square), [crazyflie](twins/crazyflie.md) (all flights; each is left out once on its page).
"""


def number(value: float | None) -> str:
    """Three digits, or a dash."""
    return "-" if value is None else f"{value:.3g}"


def signals(found: Validation) -> list[str]:
    """A table of recordings and signals."""
    lines = ["", "| recording | signal | RMSE | published |", "|---|---|---|---|"]
    for row in found.rows:
        name = Path(row.recording).name
        lines.append(f"| {name} | `{row.signal}` | {number(row.after)} | {number(row.reference)} |")
    return lines


def windows(found: Validation) -> list[str]:
    """A table of recordings and what predictions from measured states come to: sums over the samples of a window."""
    names = list(found.windows)
    title = f"sums of errors over windows of {found.window:g} s"
    lines = ["", f"| {title} | windows | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    rows = {Path(name).name: errors for name, errors in found.windows_by_recording.items()}
    rows["all"] = found.windows
    if found.windows_as_filed:
        rows["all, nothing fitted to any"] = found.windows_as_filed
    for name, errors in rows.items():
        count = max(item.windows for item in errors.values())
        lines.append(f"| {name} | {count} | {' | '.join(number(errors[key].facts()['sum']) for key in names)} |")
    return lines


def own(found: Validation) -> list[str]:
    """What was fitted to each recording before it was judged."""
    if not found.own:
        return []
    lines = ["", "Fitted to each recording before it was judged:", ""]
    for name, values in found.own.items():
        lines.append(f"- {Path(name).name}: " + ", ".join(f"`{path}` {value:.4g}" for path, value in values.items()))
    return lines


def chapter(name: str, files: Sequence[Path], window: float | None) -> list[str]:
    """All about one twin."""
    twin = didymos.load(name)
    found = validate(twin, read_recordings(twin, [str(file) for file in files]), window=window)
    tables = windows(found) if window is not None else signals(found)
    said = [f"- {text}" for text in found.findings]
    return ["", f"## {name}", *tables, *own(found), *(["", "What the recordings have wrong:", "", *said] if said else [])]


def main(data: Path) -> None:
    """The page."""
    lines = [HEAD.rstrip()]
    for name, pattern, window in RECORDINGS:
        files = sorted(data.glob(pattern))
        lines += chapter(name, files, window) if files else ["", f"## {name}", "", "No recordings were at hand."]
    text = "\n".join(lines) + "\n"
    PAGE.write_text(text.replace(f"{data}/", ""), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
