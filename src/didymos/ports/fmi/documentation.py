"""What an exported FMU says of itself to a person: a page in its documentation folder, where FMI looks for one."""

from __future__ import annotations

from html import escape

from didymos.ports.fmi.script import INSTALL, Chosen

__all__ = ["documentation"]

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{name}</title></head><body>
<h1>{name}: {title}</h1>
<p>A digital twin of a robot, as an FMU for co-simulation (FMI {fmi}.0), made by Didymos {version}.</p>
<h2>What it needs</h2>
<p>Python 3.11 or later with Didymos in it: the library of this FMU loads no Python of its own, it uses the one that runs it.</p>
<pre>{install}</pre>
<p>A tool that is written in Python (FMPy, for one) needs nothing else. Any other tool has to have libpython loaded before
it loads this FMU, and to find the packages: on Linux, LD_PRELOAD=libpython3.11.so.1.0 and PYTHONPATH=.../site-packages.</p>
<h2>What it does</h2>
<ul>
<li>Twin: {twin}{variant}. Scenario: {scenario}. Seed: {seed}.</li>
<li>A communication step is a whole number of the twin's ticks (the step size of the default experiment); any other is
refused.</li>
<li>Readings, positions and velocities are those of the instant at which a step ends. What parts and the control program tell, and
what was commanded, belongs to the last tick that has passed.</li>
<li>Inputs: set-points of the twin's program, and what is added to what it commands. Both hold while a step goes on.</li>
<li>Parameters are tunable between steps; <code>start.*</code> and <code>seed</code> count until the initialization ends.</li>
<li>The state can be saved and set again, to the bit.</li>
</ul>
<h2>What it may do to your machine</h2>
<p>Whoever loads an FMU runs it: its library and its script, <code>resources/didymos_fmu_*.py</code>, have all rights of the user.
{code} Load it only if you trust whom you have it from.</p>
</body></html>
"""


def documentation(fmi: int, chosen: Chosen, named_code: tuple[str, ...]) -> dict[str, str]:
    """Texts of the pages by their file names."""
    import didymos

    own = ", ".join(named_code)
    page = _PAGE.format(
        name=escape(chosen.name), title=escape(chosen.title), fmi=fmi, version=didymos.__version__, install=escape(INSTALL),
        twin=f"the bundled {escape(chosen.twin)}" if chosen.twin else "in the folder resources/twin",
        variant=f", variant {escape(chosen.variant)}" if chosen.variant else "", scenario=escape(chosen.scenario or "none"),
        seed=chosen.seed,
        code=f"The twin brings code of its own, which runs too: {escape(own)}." if own else "The twin brings no code of its own.",
    )  # fmt: skip
    return {"index.html": page, "_main.html": page} if fmi == 2 else {"index.html": page}
