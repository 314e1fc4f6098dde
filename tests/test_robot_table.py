"""The table of robots: a row for every file of a package, with a verdict, and a page of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import didymos

ROOT = Path(__file__).parents[1]
SOURCE = str(Path(didymos.__file__).parents[1])

MASS = '<inertial><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial>'
BOX = '<collision><geometry><box size=".2 .2 .2"/></geometry></collision>'
FILES = {
    "box.urdf": f'<robot name="box"><link name="base">{MASS}{BOX}</link></robot>',
    "loose.urdf": f"""<robot name="arm"><link name="world"/><link name="base">{MASS}</link><link name="upper">{MASS}</link>
        <joint name="stand" type="fixed"><parent link="world"/><child link="base"/></joint>
        <joint name="elbow" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" effort="50" velocity="5"/></joint></robot>""",
    "broken.urdf": '<robot name="broken"><link name="base"><inertial><mass value="-1"/></inertial></link></robot>',
}


def test_every_file_gets_a_row_with_a_verdict_and_a_run_goes_on_where_it_broke_off(tmp_path: Path) -> None:
    package = tmp_path / "packages" / "robots-1.0"
    package.mkdir(parents=True)
    for name, text in FILES.items():
        (package / name).write_text(text)
    results, page = tmp_path / "rows.jsonl", tmp_path / "robots.md"
    known = {"file": "robots-1.0/box.urdf", "verdict": "lies", "why": "known before"}
    results.write_text(json.dumps(known) + "\n")
    command = [sys.executable, str(ROOT / "tools" / "robot_table"), str(tmp_path / "packages"), "--only", "^robots-"]
    command += ["--results", str(results), "--page", str(page), "--seconds", "0.2"]
    variables = os.environ | {"PYTHONPATH": SOURCE}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = {row["file"].rpartition("/")[2]: row for row in map(json.loads, results.read_text().splitlines())}
    assert rows["box.urdf"] == known
    assert (rows["loose.urdf"]["base"], rows["loose.urdf"]["joints"], rows["loose.urdf"]["mass"]) == ("fixed", 1, 4.0)
    assert rows["loose.urdf"]["verdict"] in ("holds", "hangs loose")
    assert rows["broken.urdf"]["verdict"] == "refused"
    assert "broken.urdf:1: link 'base' has a mass of -1 kg" in rows["broken.urdf"]["why"]
    text = page.read_text()
    assert "| loose.urdf | 4 | 1 |" in text
    assert str(tmp_path) not in text
