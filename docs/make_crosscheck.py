"""Fill the tables of docs/crosscheck.md and draw its pictures: `python docs/make_crosscheck.py`; a minute or two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import didymos
from didymos.crosscheck.contact_check import ContactFinding, check_contact
from didymos.crosscheck.findings import MechanismFinding
from didymos.crosscheck.libraries import require_engines
from didymos.crosscheck.mechanism_check import check_mechanism
from didymos.crosscheck.picture import plot_crosscheck
from didymos.describe.bundled import bundled

HERE = Path(__file__).parent
PAGE = HERE / "crosscheck.md"

CASES = {
    "sledge": ("drop", "slide", "ramp"), "quadcopter": ("drop", "slide", "ramp"), "hexacopter": ("drop",), "daedalus": ("drop",),
    "meldog": ("drop", "stand"), "omni_base": ("drop", "roll"), "plane_1wing": ("drop",), "plane_3wing_2motor": ("drop",),
    "skywalker_2013": ("drop",),
}  # fmt: skip
VARIANTS = {"omni_base": "rollers"}
DRAWN = ("sledge", "quadcopter", "meldog", "omni_base")

FEET = "".join(
    f'<collision><origin xyz="{x} {y} -0.05"/><geometry><sphere radius="0.02"/></geometry></collision>'
    for x in (-0.3, 0.3) for y in (-0.2, 0.2)
)  # fmt: skip
SLEDGE = f"""<robot name="sledge"><link name="box">
  <inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>{FEET}
</link></robot>"""


def twin_of(name: str) -> didymos.Twin:
    """A bundled twin in the variant that is compared, or a sledge of 4 kg on four feet, friction 0.3."""
    if name != "sledge":
        return didymos.load(name, variant=VARIANTS.get(name))
    world = {"ground": {"friction": 0.3}, "step": 0.001, "contact_time": 0.005, "gravity": 9.81, "friction_cone": "elliptic"}
    return didymos.Twin.from_urdf(SLEDGE, description={"file": "robot.urdf", "base": "floating"}, world=world)


def mechanisms() -> Iterator[str]:
    """The lines of the first table."""
    yield "| twin | freedoms | model | engine | 5 s apart | its step costs | half of it | along | states | residual | verdict |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for name in bundled():
        twin = didymos.load(name)
        found = check_mechanism(twin, scenario=next(iter(twin.scenarios)))
        engine, motion, replay = found.engine, found.trajectory, found.replay
        if engine is None or motion is None or replay is None:
            yield f"| {name} | " + " | " * 9 + f"{found.verdict} |"
            continue
        errors = (found.model_error, engine.largest, motion.difference, motion.own_step, motion.half_step)
        cells = [name, str(found.freedoms), *(f"{error:.0e}" for error in errors), replay.scenario, str(replay.states)]
        yield f"| {' | '.join([*cells, f'{replay.residual:.0e}', found.verdict])} |"


def contacts() -> Iterator[str]:
    """The lines of the second table; pictures on the way."""
    yield "| twin | case | figure | ours | Drake | closed form | within their softness |"
    yield "|---|---|---|---|---|---|---|"
    for name, cases in CASES.items():
        twin = twin_of(name)
        title = f"{name}:{VARIANTS[name]}" if name in VARIANTS else name
        found = [check_contact(twin, case) for case in cases]
        for finding in found:
            yield from rows(title, finding)
        if name in DRAWN:
            plot_crosscheck(title, MechanismFinding(), found, HERE / "pictures" / f"crosscheck_{name}.png")


def rows(name: str, finding: ContactFinding) -> Iterator[str]:
    """The lines of one case."""
    if finding.not_comparable is not None:
        yield f"| {name} | {finding.case} | | | | | {finding.verdict} |"
    for x in finding.figures:
        closed = "" if x.closed_form is None else f"{x.closed_form:.4g} {x.unit}"
        verdict = "" if x.tolerance is None else "agree" if x.agrees else "differ"
        yield f"| {name} | {finding.case} | {x.name} | {x.ours:.4g} {x.unit} | {x.theirs:.4g} {x.unit} | {closed} | {verdict} |"


def main() -> None:
    """Write both tables between their marks."""
    require_engines()
    page = PAGE.read_text(encoding="utf-8")
    for mark, lines in (("mechanisms", mechanisms()), ("contacts", contacts())):
        table = "\n".join(lines)
        between = re.compile(f"(<!-- {mark} -->\n).*?(<!-- end -->)", re.DOTALL)
        page = between.sub(lambda match, table=table: f"{match[1]}{table}\n{match[2]}", page, count=1)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
