"""`didymos list`, `show`, `check`, `new` and `bench` on real twins."""

import json

import pytest

import didymos
from didymos.cli.main import main
from didymos.describe.bundled import bundled_worlds


def _json(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_list_names_every_bundled_twin_with_its_title(capsys):
    facts = _json(capsys, "list")
    listed, worlds = ({item["name"]: item["title"] for item in facts[what]} for what in ("twins", "worlds"))
    assert listed == {name: didymos.load(name).title for name in didymos.bundled()}
    assert worlds == {name: didymos.load_world(name).title for name in bundled_worlds()}
    assert main(["list"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n") == len(listed) + len(worlds) + 2  # an empty line and a head between them
    assert all(name in printed for name in worlds)


def test_show_says_what_the_twin_is_made_of(capsys):
    shown = _json(capsys, "show", "quadcopter")
    twin = didymos.load("quadcopter")
    assert shown["mass"] == pytest.approx(sum(link["mass"] for link in shown["links"]))
    assert shown["parameters"].keys() == twin.parameters.keys()
    assert {item["name"] for item in shown["scenarios"]} == twin.scenarios.keys()
    assert main(["show", "quadcopter", "--all"]) == 0
    printed = capsys.readouterr().out
    for item in (*shown["parts"], *shown["sensors"], *shown["links"]):
        assert f"  {item['name']} " in printed


@pytest.mark.parametrize("name", ["meldog", "quadcopter", "formation"])
def test_show_fits_a_screen_and_names_every_scenario_that_has_room(capsys, name):
    assert main(["show", name]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert f"  didymos show {name} --all    everything" in lines
    heads = {line.split()[0]: line.split()[1:] for line in lines[1:] if line.strip()}
    assert heads["scenarios"][0] == _json(capsys, "show", name)["scenarios"][0]["name"]
    assert int(heads["parameters"][0].rstrip(":")) == len(_json(capsys, "show", name)["parameters"])


def test_show_names_the_tasks_that_can_be_learnt(capsys):
    assert main(["show", "meldog"]) == 0
    assert "  tasks       trot" in capsys.readouterr().out.splitlines()


def test_show_filters_parameters_by_text(capsys):
    found = _json(capsys, "show", "quadcopter", "--parameters", "gravity")["parameters"]
    assert found.keys() == {"world.gravity"}
    assert found["world.gravity"]["unit"] == "m/s^2"
    assert main(["show", "quadcopter", "gravty"]) == 2


def test_check_of_a_good_twin_exits_0_and_of_a_broken_one_2_with_the_line(capsys, tmp_path):
    assert _json(capsys, "check", "quadcopter")["ok"] is True
    file = tmp_path / "twin.yaml"
    file.write_text("title: Broken\ndescription:\n  file: absent.urdf\n")
    assert main(["check", str(tmp_path)]) == 2
    assert f"{file}:3: " in capsys.readouterr().err


def test_bench_compares_with_the_bare_engine(capsys):
    (row,) = _json(capsys, "bench", "quadcopter")["twins"]
    assert row["twin"] == "quadcopter"
    step = didymos.load("quadcopter").get("world.step")
    assert row["real_time_factor"] == pytest.approx(row["twin_steps_per_s"] * step)
    assert min(row["engine_steps_per_s"], row["ratio"], row["peak_memory_mb"]) > 0


@pytest.fixture
def brick(tmp_path):
    file = tmp_path / "brick.urdf"
    file.write_text(
        '<robot name="brick"><link name="base"><inertial><mass value="2"/>\n'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<collision><geometry><box size="1 1 1"/></geometry></collision></link>\n'
        "<transmission name='gear'/></robot>"
    )
    return file


def test_check_of_a_bare_description_lists_what_is_not_used_with_its_line(capsys, brick):
    (note,) = _json(capsys, "check", str(brick))["notes"]
    assert (note["file"], note["line"]) == (str(brick), 3)
    assert "transmission" in note["what"]
    brick.write_text("<robot><link></robot>")
    assert main(["check", str(brick)]) == 2
    assert str(brick) in capsys.readouterr().err


def test_check_lists_every_mistake_of_a_twin_file(capsys, brick):
    file = brick.with_name("twin.yaml")
    file.write_text("title: Brick\ndescription:\n  file: brick.urdf\nworld:\n  step: -1\n  gravty: 9\n")
    assert main(["check", str(file), "--json"]) == 2
    out, err = capsys.readouterr()
    assert sorted(line.split(":")[1] for line in json.loads(out)["errors"]) == ["5", "6"]
    assert err.count("\n") == 2


def test_new_starts_a_twin_that_loads(capsys, tmp_path, brick):
    folder = _json(capsys, "new", "brick", "--from", str(brick), "--into", str(tmp_path / "twins"))["folder"]
    assert _json(capsys, "check", folder)["twin"] == "brick"
