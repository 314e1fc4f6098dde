"""What the pages say is so: commands parse and run, Python runs, YAML loads, links lead somewhere, tables are up to date."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from ruamel.yaml import YAML

import didymos
from didymos.cli.main import app, main
from docs_site.transcript import COLUMNS, agrees, follow, in_this_process

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MAKER = runpy.run_path(str(ROOT / "docs" / "make_twin_files.py"))
LARGEST_PICTURE = 120_000  # [byte]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NOT_CHEAP = ("betaflight", "bench", "--real-time", "--robot", "cockpit", "--view")  # the last two wait for a person
_RECORDED = "--robot log:"  # a recording in the place of a robot
_DRAWS_THE_ROBOT = re.compile(r" --(clip|picture|camera) \S+")  # tested in tests/record, and not possible on every machine

URDF = """<robot name="box">
  <link name="box">
    <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
</robot>
"""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    return [text for found, text in _FENCE.findall(page.read_text(encoding="utf-8")) if found == language]


def files_of(page: Path) -> dict[str, str]:
    """The files of a twin folder that a page shows whole: Python or a table that begins with its name."""
    shown = [*blocks(page, "python"), *blocks(page, "csv")]
    named = {block: re.match(r"# (\w+\.(?:py|csv))\n", block) for block in shown}
    return {found[1]: block for block, found in named.items() if found}


def commands(page: Path) -> Iterator[tuple[list[str], int]]:
    """Arguments and exit status of every command line of a page, in blocks of their own and in tables."""
    lines = [line for block in blocks(page, "") for line in block.splitlines()]
    lines += re.findall(r"\| `(didymos [^`]+)` \|", page.read_text(encoding="utf-8"))
    for line in lines:
        if line.startswith("didymos "):
            command, _, comment = re.sub(r" {2,}", "\0", line, count=1).partition("\0")
            yield shlex.split(command)[1:], 1 if "exit status 1" in comment else 0


def every_command() -> list[Any]:
    found = {" ".join(words): words for page in PAGES for words, _ in commands(page)}
    return [pytest.param(words, id=text) for text, words in found.items()]


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages speak of, in which their commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "my_robot.urdf").write_text(URDF, encoding="utf-8")
    (tmp_path / "real.csv").write_text("time_ms,baro_height [m]\n1500,0.011\n9000,6.0\n16000,10.0\n", encoding="utf-8")
    (tmp_path / "bench.csv").write_text("speed [rpm],thrust [g],power [W]\n3000,120,9\n6000,480,70\n", encoding="utf-8")
    (tmp_path / "values.yaml").write_text(blocks(ROOT / "docs" / "parameters.md", "yaml")[0], encoding="utf-8")
    hold = next(block for block in blocks(ROOT / "README.md", "python") if "class Hold" in block)
    (tmp_path / "hold.py").write_text(hold, encoding="utf-8")
    (tmp_path / "mine.py").write_text(blocks(ROOT / "docs" / "firmware.md", "python")[0], encoding="utf-8")
    for scenario in ("sine", "step"):
        (tmp_path / f"{scenario}.csv").write_text(recording(scenario), encoding="utf-8")
    return tmp_path


@cache
def recording(scenario: str) -> str:
    """What a power unit with 5 % more friction would have recorded in a second: commands shall run, whatever they find."""
    twin = didymos.load("power_unit")
    twin.set("parts.drive.coulomb", 1.05 * twin.get("parts.drive.coulomb"))
    log = twin.simulate(scenario=scenario).run(1.0)
    names = {"out_pos_rad": "parts.drive.output_position", "out_vel_rad_s": "parts.drive.output_velocity"}
    columns = [log["parts.drive.torque"].time, *(log[name].values for name in names.values())]
    rows = [",".join(map(repr, map(float, row))) for row in zip(*columns, strict=True)]
    return "\n".join([",".join(["t_s", *names]), *rows]) + "\n"


@pytest.mark.parametrize("words", every_command())
def test_every_command_on_a_page_exists_and_its_options_parse(words: list[str]) -> None:
    group: Any = typer.main.get_command(app)
    context = group.make_context("didymos", list(words))
    name, verb, rest = group.resolve_command(context, [*context._protected_args, *context.args])
    context = verb.make_context(name, rest, parent=context)
    if hasattr(verb, "commands"):
        name, below, rest = verb.resolve_command(context, [*context._protected_args, *context.args])
        below.make_context(name, rest, parent=context)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_commands_of_a_page_run(page: Path, workshop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = {_DRAWS_THE_ROBOT.sub("", shlex.join(words)): status for words, status in commands(page)}
    in_order = sorted(expected, key=lambda text: not text.startswith("new "))  # a page may speak of a twin before it makes it
    for text in in_order:
        if not any(word in _NOT_CHEAP for word in text.replace(_RECORDED, "").split()):
            assert main(shlex.split(text)) == expected[text], (text, capsys.readouterr().err)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_python_of_a_page_runs(page: Path, workshop: Path) -> None:
    shared: dict[str, Any] = {"__name__": "page"}
    if page == ROOT / "README.md":  # its commands recorded one
        didymos.load("quadcopter").simulate(scenario="climb").run(1.0).save(workshop / "climb.mcap")
    for block in blocks(page, "python"):
        exec(compile(block, name_of(page), "exec"), shared)


FOLLOWED = {ROOT / "README.md", *(ROOT / "docs" / "tutorials").glob("*.md")}  # by tests/test_newcomer.py, in a clean environment
TRANSCRIPTS = [page for page in PAGES if blocks(page, "console") and page not in FOLLOWED]


@pytest.mark.parametrize("page", TRANSCRIPTS, ids=name_of)
def test_a_reader_who_follows_a_page_is_told_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and commands of the page, in order, in an empty folder; tools/docs_site/transcript.py mends it."""
    text = page.read_text(encoding="utf-8")
    if "$ cc " in text and shutil.which("cc") is None:
        pytest.skip("no C compiler here; apt-get install gcc libc6-dev")
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "settings"))
    monkeypatch.setenv("PYTHONPATH", str(Path(didymos.__file__).parents[1]))
    (tmp_path / "page").mkdir()
    for command, status, said in follow(text, tmp_path / "page", in_this_process):
        assert status == command.status, (command.line, said)
        assert agrees(command.said, said), (command.line, said)


def test_what_a_page_shows_may_differ_in_the_last_digits_and_where_it_says_so() -> None:
    assert agrees(["speed  0.299916 m/s", "..."], "speed 0.299917 m/s\nand more")
    assert agrees(["tilt  1.2e-05 rad"], "tilt  3.4e-06 rad")
    assert agrees(["...", "  ok  a  1 m", "...", "end"], "begin\n  ok  a  1 m\n  ok  b  2 m\nend\n")
    assert not agrees(["speed  0.2999 m/s"], "speed  0.3009 m/s")
    assert not agrees(["  ok  a"], "  MISSED  a")
    assert not agrees([], "something")
    assert not agrees(["first", "...", "last"], "first\nsecond\n")


def merged(base: Any, more: Any) -> Any:
    if isinstance(base, dict) and isinstance(more, dict):
        return base | {key: merged(base.get(key), value) for key, value in more.items()}
    return more


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_yaml_of_a_page_is_part_of_a_twin(page: Path, workshop: Path) -> None:
    yaml = YAML(typ="safe")
    for number, block in enumerate(blocks(page, "yaml")):
        found = yaml.load(block)
        if all("." in key for key in found):  # a file of values
            for path, value in found.items():
                didymos.load("quadcopter").set(path, value)
            continue
        if "robots" in found:
            run_world(workshop / f"world{number}", block)
            continue
        home = workshop / f"twin{number}"
        shutil.copytree(didymos.load("quadcopter").folder, home)
        for name in ("model.urdf", "my_robot.urdf"):
            shutil.copyfile(workshop / "my_robot.urdf", home / name)
        for name, code in files_of(page).items():
            (home / name).write_text(code, encoding="utf-8")
        text = found if "description" in found else merged(yaml.load(home / "twin.yaml"), found)
        with (home / "twin.yaml").open("w", encoding="utf-8") as file:
            yaml.dump(text, file)
        twin = didymos.load(home, trust=True)
        for scenario in found.get("scenarios", ()):
            simulation = twin.simulate(scenario=scenario)
            assert all(verdict.ok for verdict in simulation.judge(simulation.run())), scenario


def run_world(home: Path, block: str) -> None:
    """A world file of a page loads, and its scenarios meet what they expect; `./box` in it is a free body."""
    (home / "box").mkdir(parents=True)
    (home / "box" / "box.urdf").write_text(URDF, encoding="utf-8")
    (home / "box" / "twin.yaml").write_text("description: {file: box.urdf, base: floating}\n", encoding="utf-8")
    (home / "world.yaml").write_text(block, encoding="utf-8")
    world = didymos.load_world(home)
    for scenario in world.file.scenarios:
        simulation = world.simulate(scenario=scenario)
        assert all(verdict.ok for verdict in simulation.judge(simulation.run())), scenario


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        if not link.startswith("https://"):
            file, _, anchor = link.partition("#")
            target = page.parent / file if file else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


def test_pictures_are_small_and_used() -> None:
    used = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in (ROOT / "docs" / "pictures").iterdir():
        assert picture.stat().st_size < LARGEST_PICTURE, picture.name
        assert picture.name in used, picture.name


def test_the_tables_of_twin_files_are_up_to_date() -> None:
    page = MAKER["PAGE"].read_text(encoding="utf-8")
    assert MAKER["filled"](page) == page, "run: python docs/make_twin_files.py"


def test_every_key_of_every_record_is_on_the_page_with_its_unit_and_bounds() -> None:
    rows = [line.split("|")[1:-1] for line in MAKER["PAGE"].read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    lines = {tuple(cell.strip() for cell in row) for row in rows}
    specs = MAKER["reachable"]() - {MAKER["Vector"]}
    assert {"WorldSpec", "AirSpec", "GenericEngineSpec", "ImuSpec", "ErrorSpec", "StimulusSpec"} <= {s.__name__ for s in specs}
    for spec in specs:
        arrays = MAKER["arrays_of"](spec)
        for name, field in spec.model_fields.items():
            if name in arrays:  # all of its numbers stand in one line
                assert tuple(cell.strip() for cell in MAKER["array_row"](arrays[name]).split("|")[1:-1]) in lines, name
                continue
            key, unit = f"`{MAKER['key_of'](spec, name)}`", MAKER["unit_of"](field)
            fitting = [line for line in lines if line[0] == key and line[3] == MAKER["bounds_of"](field)]
            units = {line[1] for line in fitting}
            assert fitting, (spec.__name__, name)
            assert not unit or units & {f"number [{unit}]", "number [*]"}, (spec.__name__, name, units)


def test_no_meaning_is_given_for_a_key_that_is_gone() -> None:
    records = {base for spec in MAKER["reachable"]() for base in spec.__mro__ if hasattr(base, "model_fields")}
    keys = {MAKER["key_of"](spec, name) for spec in records for name in spec.model_fields}
    names = {spec.__name__ for spec in records}
    for entry in MAKER["MEANINGS"]:
        record, _, key = entry.partition(".")
        assert record in names, entry
        assert key in keys, entry
