"""Files of aerodynamic tables by other programs: what is read of them, and the sentence for what is damaged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tables import SIZES, TableBench

from didymos.describe.tables.jsbsim import read_jsbsim
from didymos.describe.tables.polars import read_polar
from didymos.describe.tables.readers import table_readers
from didymos.errors import InputError
from didymos.parts.aero_data import AeroBuilder
from didymos.parts.aero_table import AeroTable
from didymos.twin import load

POLAR = """
       XFOIL         Version 6.99

 Calculated polar for: OWN FOIL

 1 1 Reynolds number fixed          Mach number fixed

 xtrf =   1.000 (top)        1.000 (bottom)
 Mach =   0.000     Re =     {re} e 6     Ncrit =   9.000

   alpha    CL        CD       CDp       CM     Top_Xtr  Bot_Xtr
  ------ -------- --------- --------- -------- -------- --------
  -8.000  -0.6000   {cd}   0.00175  -0.0400   0.6693   0.9969
   0.000   0.2400   {cd}   0.00175  -0.0533   0.6693   0.9969
   8.000   1.0800   {cd}   0.00191  -0.0539   0.5779   1.0000
"""
PLANE = """xflr5 v6.48

 Plane name: own
 Polar name: T1-15.0 m/s

  alpha,Beta,CL,CDi,CDv,CD,CY,Cl,Cm,Cn
  -5.0,0.0,-0.2,0.002,0.01,0.012,0.0,0.001,0.05,0.002
   5.0,0.0,0.6,0.02,0.01,0.03,0.0,0.001,-0.05,0.002
"""
AVL = """
 ---------------------------------------------------------------
 Vortex Lattice Output -- Total Forces
 Configuration: own
  Sref =  0.45000       Cref =  0.24000       Bref =  1.8800
  Xref = 0.10000       Yref =  0.0000       Zref =  0.0000
 Run case:  -unnamed-
  Alpha =   3.00000     pb/2V =  -0.00000     p'b/2V =  -0.00000
  Beta  =   0.00000     qc/2V =   0.00000
  Mach  =     0.000     rb/2V =  -0.00000     r'b/2V =  -0.00000
  CXtot =   0.01000     Cltot =  -0.00000     Cl'tot =  -0.00000
  CYtot =  -0.00000     Cmtot =  -0.04000
  CZtot =  -0.50000     Cntot =  -0.00000     Cn'tot =  -0.00000
  CLtot =   0.50000
  CDtot =   0.02000
  CDvis =   0.00000     CDind = 0.0120000
  CLff  =   0.50000     CDff  = 0.0120000    | Trefftz
  CYff  =  -0.00000         e =    0.9000    | Plane
   elevator        =   0.00000
   ruddervator     =   0.00000
 ---------------------------------------------------------------
 Stability-axis derivatives...
                             alpha                beta
                  ----------------    ----------------
 z' force CL |    CLa =   5.000000    CLb =  -0.000000
 y  force CY |    CYa =  -0.000000    CYb =  -0.300000
 x' mom.  Cl'|    Cla =  -0.000000    Clb =  -0.100000
 y  mom.  Cm |    Cma =  -1.200000    Cmb =  -0.000000
 z' mom.  Cn'|    Cna =  -0.000000    Cnb =   0.080000
                     roll rate  p'      pitch rate  q'        yaw rate  r'
                  ----------------    ----------------    ----------------
 z' force CL |    CLp =  -0.000000    CLq =   7.000000    CLr =  -0.000000
 y  force CY |    CYp =  -0.200000    CYq =  -0.000000    CYr =   0.170000
 x' mom.  Cl'|    Clp =  -0.500000    Clq =   0.000000    Clr =   0.200000
 y  mom.  Cm |    Cmp =  -0.000000    Cmq =  -9.000000    Cmr =   0.000000
 z' mom.  Cn'|    Cnp =  -0.060000    Cnq =  -0.000000    Cnr =  -0.070000
                  elevator     d01     ruddervator  d02
                  ----------------    ----------------
 z' force CL |   CLd01 =   0.008000   CLd02 =   0.000000
 y  force CY |   CYd01 =  -0.000000   CYd02 =   0.003000
 x' mom.  Cl'|   Cld01 =  -0.000000   Cld02 =   0.000200
 y  mom.  Cm |   Cmd01 =  -0.020000   Cmd02 =   0.000000
 z' mom.  Cn'|   Cnd01 =  -0.000000   Cnd02 =  -0.001000
 Trefftz drag| CDffd01 =   0.000100 CDffd02 =  -0.000000
 span eff.   |    ed01 =   0.000000    ed02 =   0.000000

 Neutral point  Xnp =   0.200000
 Clb Cnr / Clr Cnb  =   0.437500    (  > 1 if spirally stable )
"""
STILL = 0.5 * 1.225 * 15.0**2 * 0.45


def flow(alpha: float, beta: float = 0.0) -> tuple[float, float, float]:
    return 15.0 * math.cos(alpha) * math.cos(beta), -15.0 * math.sin(beta), -15.0 * math.sin(alpha) * math.cos(beta)


def lift_and_drag(answer: Any, alpha: float) -> tuple[float, float]:
    x, z = answer.force[0] / STILL, answer.force[2] / STILL
    return z * math.cos(alpha) + x * math.sin(alpha), z * math.sin(alpha) - x * math.cos(alpha)


def test_polars_of_two_reynolds_numbers_become_one_table(tmp_path: Path) -> None:
    (tmp_path / "slow.txt").write_text(POLAR.format(re="0.100", cd="0.03000"))
    (tmp_path / "fast.txt").write_text(POLAR.format(re="0.300", cd="0.01000"))
    bench = TableBench(tmp_path, tables=[{"file": ["fast.txt", "slow.txt"], "format": "xfoil"}])
    alpha, reynolds = math.radians(4.0), 1.225 * 15.0 * 0.24 / 1.7894e-5
    lift, drag = lift_and_drag(bench(flow(alpha)), alpha)
    assert lift == pytest.approx(0.66, rel=1e-9)
    assert drag == pytest.approx(0.03 - 0.02 * (reynolds - 1e5) / 2e5, rel=1e-4)
    assert bench(flow(alpha)).torque[1] == pytest.approx(-STILL * 0.24 * (-0.0533 - 0.0006 / 2), rel=1e-9)


def test_a_section_becomes_a_wing_by_lifting_line(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(POLAR.format(re="0.100", cd="0.01000"))
    wing = {"file": "p.txt", "format": "xfoil", "aspect_ratio": 6.0, "oswald": 0.95}
    induced = 1.08 / (math.pi * 0.95 * 6.0)
    alpha = math.radians(8.0) + induced
    bench = TableBench(tmp_path, tables=[wing])
    assert lift_and_drag(bench(flow(alpha - 1e-12)), alpha) == pytest.approx((1.08, 0.01 + 1.08 * induced), rel=1e-9)


def test_a_plane_of_xflr5_has_all_six_coefficients(tmp_path: Path) -> None:
    (tmp_path / "plane.txt").write_text(PLANE)
    polar = read_polar(tmp_path / "plane.txt")
    assert list(polar.values) == ["CL", "CD", "CY", "Cl", "Cm", "Cn"]
    np.testing.assert_allclose(polar.values["CD"], [0.012, 0.03])
    np.testing.assert_allclose(polar.values["Cl"], [0.001, 0.001])


def test_derivatives_of_avl_act_in_the_axes_that_they_were_made_in(tmp_path: Path) -> None:
    (tmp_path / "own.st").write_text(AVL)
    files = [{"file": "own.st", "controls": {"ruddervator": "-z"}}]
    bench = TableBench(tmp_path, tables=files, limit_y=0.3, limit_z=0.3)
    base = math.radians(3.0)
    lift, drag = lift_and_drag(bench(flow(base)), base)
    assert (lift, drag) == pytest.approx((0.5, 0.02), rel=1e-9)
    higher = base + math.radians(2.0)
    lift, drag = lift_and_drag(bench(flow(higher)), higher)
    assert lift == pytest.approx(0.5 + 5.0 * math.radians(2.0), rel=1e-9)
    assert drag == pytest.approx(0.02 + (lift**2 - 0.25) / (math.pi * 0.9 * 1.88**2 / 0.45), rel=1e-9)
    p, r = 0.4, 0.3  # of the body, forward-right-down
    answer = bench(flow(base, 0.1), (p, 0.0, -r))
    roll_rate, yaw_rate = (1.88 / 30.0 * (a * p + b * r) for a, b in
                           ((math.cos(base), math.sin(base)), (-math.sin(base), math.cos(base))))  # fmt: skip
    rolling = -0.1 * 0.1 - 0.5 * roll_rate + 0.2 * yaw_rate
    turning = 0.08 * 0.1 - 0.06 * roll_rate - 0.07 * yaw_rate
    roll, yaw = answer.torque[0] / (STILL * 1.88), -answer.torque[2] / (STILL * 1.88)
    assert roll == pytest.approx(math.cos(base) * rolling - math.sin(base) * turning, rel=1e-9)
    assert yaw == pytest.approx(math.sin(base) * rolling + math.cos(base) * turning, rel=1e-9)
    moved = bench(flow(base), deflection={"y": 0.5, "z": 1.0})
    assert -moved.torque[1] / (STILL * 0.24) == pytest.approx(-0.04 - 0.02 * math.degrees(0.15), rel=1e-9)
    assert -moved.force[1] / STILL == pytest.approx(-0.003 * math.degrees(0.3), rel=1e-9)


GRID = "alpha [deg], beta [deg], CL, CD\n0, 0, 0.1, 0.02\n0, 5, 0.1, 0.02\n5, 0, 0.5, 0.03\n5, 5, 0.5, 0.03\n"
FUNCTIONS = (
    '<fdm_config><aerodynamics><axis name="{axis}"><function name="f">\n{body}\n</function></axis></aerodynamics></fdm_config>'
)
DAMAGED = {
    "hole.csv": (GRID.replace("5, 5, 0.5, 0.03\n", ""), r"hole\.csv: has no row for alpha = 5, beta = 5"),
    "twice.csv": (GRID + "5, 5, 0.5, 0.03\n", r"twice\.csv:6: is the same point of the grid as line 5"),
    "word.csv": (GRID.replace("0.5, 0.03", "0.5, x", 1), r"word\.csv:4: found 'x', expected a number"),
    "short.csv": (GRID + "9, 0, 1\n", r"short\.csv:6: found 3 cells, the head has 4"),
    "name.csv": (GRID.replace("beta", "betta"), r"name\.csv:1: found the column 'betta', did you mean 'beta'"),
    "unit.csv": (GRID.replace("alpha [deg]", "alpha [grad]"), r"unit\.csv:1: alpha has the unit 'grad'"),
    "nan.csv": (GRID.replace("0.1, 0.02", "nan, 0.02", 1), r"nan\.csv:2: found 'nan', expected a number"),
    "empty.csv": ("", r"empty\.csv: is empty"),
    "none.pol": ("nothing here\n", r"none\.pol: has no line of column names that begins with 'alpha'"),
    "cut.pol": (POLAR.format(re="0.1", cd="0.01")[:-50], r"cut\.pol:15: found 2 numbers, expected 5 or more"),
    "control.st": (AVL, r"control\.st: has the control 'ruddervator', did you mean 'rudder'\?; say by `controls`"),
    "cut.st": (AVL.split(" Stability")[0], r"cut\.st: has no 'Stability-axis derivatives'"),
    "bad.xml": ("<fdm_config>", r"bad\.xml:1: is not well-formed XML"),
    "what.xml": (FUNCTIONS.format(axis="LIFT", body="<property>my/own</property>"), r"what\.xml:2: reads 'my/own', which is not"),
    "random.xml": (FUNCTIONS.format(axis="LIFT", body="<random/>"), r"random\.xml:2: <random> has 0 arguments"),
    "self.xml": (FUNCTIONS.format(axis="LIFT", body="<property>f</property>"), r"self\.xml:1: f needs its own value"),
    "axis.xml": (FUNCTIONS.format(axis="UP", body="<value>1</value>"), r"axis\.xml:1: found axis 'UP'"),
    "fall.xml": (FUNCTIONS.format(axis="LIFT", body="<table><independentVar>aero/alpha-rad</independentVar><tableData>0 1\n0 2"
                                  "</tableData></table>"), r"fall\.xml:2: breakpoints must ascend"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_one_sentence_with_its_place(tmp_path: Path, name: str) -> None:
    text, expected = DAMAGED[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=expected):
        TableBench(tmp_path, tables=[{"file": name}])


def test_only_files_that_came_with_the_twin_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "twin"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text(GRID)
    (folder / "body.urdf").write_text('<robot name="r"><link name="body"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
                                      'izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>')  # fmt: skip
    sizes = "area: 1, span: 1, chord: 1"
    (folder / "twin.yaml").write_text("description: {file: body.urdf, base: floating}\nparts:\n  wing: {kind: aero_table, "
                                      f"link: body, {sizes}, tables: [{{file: ../secret.csv}}]}}\n")  # fmt: skip
    with pytest.raises(InputError, match=r"twin\.yaml:3.*'\.\./secret\.csv' is outside of the twin's folder"):
        load(folder)


def test_properties_of_an_aircraft_are_named_by_the_twin_file(tmp_path: Path) -> None:
    body = "<product><property>my/own</property><property>fcs/mine</property><value>2</value></product>"
    (tmp_path / "a.xml").write_text(FUNCTIONS.format(axis="LIFT", body=body))
    files = [{"file": "a.xml", "properties": {"my/own": "-2*dflap", "fcs/mine": 3.0}}]
    answer = TableBench(tmp_path, tables=files, limit_flap=0.5)(flow(0.0), deflection={"flap": 1.0})
    assert answer.force[2] == pytest.approx(-2.0 * 0.5 * 3.0 * 2.0 * 4.4482216152605, rel=1e-12)
    wrong = {"link": "body", **SIZES, "tables": [{"file": "a.xml", "properties": {"my/own": "dflop", "fcs/mine": 1.0}}]}
    with pytest.raises(InputError, match="found 'dflop', did you mean 'dflap'"):
        AeroTable.spec.model_validate(wrong, context=table_readers(tmp_path))


def test_every_function_of_a_file_is_flattened_as_python_would_evaluate_it(tmp_path: Path) -> None:
    alpha = 0.12
    cases = {
        "<sum><value>2</value><product><value>3</value><p>aero/alpha-rad</p></product></sum>": 2.0 + 3.0 * alpha,
        "<difference><v>2</v><p>aero/alpha-rad</p><v>0.5</v></difference>": 1.5 - alpha,
        "<quotient><v>2</v><p>aero/alpha-rad</p></quotient>": 2.0 / alpha,
        "<quotient><p>aero/alpha-rad</p><v>4</v></quotient>": alpha / 4.0,
        "<pow><p>aero/alpha-rad</p><v>3</v></pow>": alpha**3,
        "<abs><p>-aero/alpha-rad</p></abs>": alpha,
        "<max><v>0.1</v><p>aero/alpha-rad</p><v>0.05</v></max>": alpha,
        "<avg><v>1</v><p>aero/alpha-rad</p></avg>": 0.5 + 0.5 * alpha,
        "<ifthen><gt><p>aero/alpha-rad</p><v>0.1</v></gt><v>7</v><v>8</v></ifthen>": 7.0,
        "<todegrees><p>aero/alpha-rad</p></todegrees>": math.degrees(alpha),
        "<sin><p>aero/alpha-rad</p></sin>": math.sin(alpha),
    }
    for body, expected in cases.items():
        (tmp_path / "a.xml").write_text(FUNCTIONS.format(axis="Z", body=body))
        answer = TableBench(tmp_path, tables=[{"file": "a.xml"}], extension="hold")(flow(alpha))
        assert -answer.force[2] / 4.4482216152605 == pytest.approx(expected, rel=1e-12), body


def test_mutated_files_raise_nothing_but_sentences(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    table = "<table><independentVar>aero/beta-deg</independentVar><tableData>0 1\n1 2</tableData></table>"
    body = f"<product><property>aero/alpha-rad</property>{table}</product>"
    xml = FUNCTIONS.format(axis="LIFT", body=body)
    sources = {"a.csv": GRID, "a.pol": POLAR.format(re="0.1", cd="0.01"), "a.st": AVL, "a.xml": xml}
    read = refused = 0
    for name, text in sources.items():
        for _ in range(150):
            raw = bytearray(text.encode())
            for _ in range(random.integers(1, 6)):
                raw[random.integers(len(raw))] = random.integers(256)
            (tmp_path / name).write_bytes(raw[: random.integers(1, len(raw) + 1)] if random.random() < 0.3 else raw)
            try:
                TableBench(tmp_path, tables=[{"file": name, "controls": {"ruddervator": "z"}}])
                read += 1
            except (InputError, ValueError):  # a ValueError becomes a sentence with the line of the twin file
                refused += 1
    assert read > 50
    assert refused > 50


def test_a_huge_expression_is_refused(tmp_path: Path) -> None:
    deep = "<abs>" * 150 + "<p>aero/alpha-rad</p>" + "</abs>" * 150
    (tmp_path / "a.xml").write_text(FUNCTIONS.format(axis="LIFT", body=f"<sum>{deep}{deep.replace('abs', 'sin')}</sum>"))
    with pytest.raises(InputError, match="more than 256 intermediate results"):
        read_jsbsim(tmp_path / "a.xml", {}, AeroBuilder())
