"""Texts of strangers, in titles, names and logs, are shown letter by letter: nothing of them is markup, and nothing runs."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import yaml

import didymos
from didymos.cockpit.cockpit import Cockpit
from didymos.cockpit.pilot_panel import table
from didymos.cockpit.plain_text import plain
from didymos.cockpit.run_panel import about, status_text
from didymos.cockpit.session import Session
from didymos.control.pilot import CHANNELS, Pilot, SteerSpec
from didymos.describe.twin import Twin
from didymos.web.export import export_page

from .conftest import Browser, wait_until

RUN = "<iframe srcdoc='<script>parent.ran = \"{0}\"</script>'></iframe><img src=x onerror=\"window.ran = '{0}'\">"
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
BOX = f'<inertial><mass value="1"/>{INERTIA}</inertial><visual><geometry><box size="1 1 1"/></geometry></visual>'


@pytest.fixture
def hostile(tmp_path: Path) -> Twin:
    """A twin whose every text that may be chosen freely is a page that would run a script."""
    link, joint = (escape(RUN.format(word)) for word in ("link", "joint"))
    folder = tmp_path / "<img src=x onerror=window.ran='folder'>"
    folder.mkdir()
    (folder / "twin.urdf").write_text(
        f'<robot name="x"><link name="base">{BOX}</link><link name="{link}">{BOX}</link><joint name="{joint}" type="revolute">'
        f'<parent link="base"/><child link="{link}"/><origin xyz="0 0 2"/><axis xyz="0 1 0"/>'
        '<limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>'
    )
    expected = {"name": RUN.format("expectation"), "signal": "truth.position.z", "measure": "final", "low": 9.0}
    scenario = {"title": RUN.format("scenario"), "seconds": 0.1, "expect": [expected]}
    about = {"title": RUN.format("title"), "description": {"file": "twin.urdf"}, "scenarios": {"fall": scenario}}
    (folder / "twin.yaml").write_text(yaml.safe_dump(about))
    return didymos.load(folder)


def markup(text: str) -> list[str]:
    """What of a markdown is HTML, a link or a picture."""
    return re.findall(r"(?<!\\)(?:<\w[^>]*>|\[[^]]*\]\()", text)


def test_a_panel_shows_texts_and_no_markup(hostile: Twin, tmp_path: Path) -> None:
    assert markup(RUN)
    assert markup("![](http://elsewhere/)")
    assert plain("a_b *c* \n [d](e) \\<f>") == r"a\_b \*c\* \[d\](e) \\\<f\>"
    session = Session(hostile, scenario="fall", folder=tmp_path)
    try:
        session.step(200)
        session.wait()
        assert len(session.live.verdicts) == 1
        session.status = replace(session.status, ended=RUN.format("end"), recording="<b>.mcap")
        rows = [SteerSpec(channel=3, target=RUN.format("target"), span=1.0)]
        pilot = SimpleNamespace(rows=rows, buttons={RUN.format("button"): 6}, table=[0.0] * CHANNELS)
        for text in (about(session), status_text(session), table(cast("Pilot", pilot))):
            assert not markup(text), text
            assert "\\<" in text
    finally:
        session.close()


def test_no_page_runs_what_a_text_says(hostile: Twin, browser: Browser, tmp_path: Path) -> None:
    with Cockpit(hostile, scenario="fall", port=0, folder=tmp_path, light=True) as cockpit:
        cockpit.session.play()
        browser.open(cockpit.url)
        wait_until(lambda: browser.text.count("expectation") >= 2, "the run panel and the notice have the verdict")
        for panel in ("Tune", "Pilot", "View", "Pose", "Replay"):
            browser.tab(panel)
        nothing_ran(browser)
        log = cockpit.session.live.log
    log.metadata["scenario"] = "fall"
    log.metadata["twin"] = RUN.format("twin")
    export_page([log], tmp_path / "page.html", twin=hostile)
    browser.driver.get((tmp_path / "page.html").as_uri())
    wait_until(lambda: "expectation" in browser.text, "the exported page has the verdict")
    nothing_ran(browser)


def nothing_ran(browser: Browser) -> None:
    driver = browser.driver
    assert driver.execute_script("return window.ran ?? null") is None
    assert driver.execute_script("return document.querySelectorAll('iframe, img[src=x]').length") == 0
