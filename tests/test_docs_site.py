"""The site of the documentation: it builds strictly, every page has its place in the navigation, and its search finds."""

from __future__ import annotations

import http.server
import logging
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation

from chromium import headless_chromium

ROOT = Path(__file__).parents[1]
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}


class Built:
    """The site, and what its builder said and knew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.navigation: Navigation | None = None
        self.files: Files | None = None

    def on_nav(self, navigation: Navigation, config: Any, files: Files) -> Navigation:
        self.navigation, self.files = navigation, files
        return navigation

    @property
    def in_navigation(self) -> set[str]:
        assert self.navigation is not None
        return {page.file.src_uri for page in self.navigation.pages}


class _Said(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Built:
    built = Built(tmp_path_factory.mktemp("site"))
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(built.folder))
    config.plugins["to look at"] = built  # type: ignore[assignment]
    config.plugins._register_event("nav", built.on_nav)
    listener = _Said(built.said)
    logging.getLogger("mkdocs").addHandler(listener)
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    finally:
        config.plugins.on_shutdown()
        logging.getLogger("mkdocs").removeHandler(listener)
    return built


def test_the_site_builds_without_a_warning(site: Built) -> None:
    assert site.said == []


def test_every_page_of_docs_has_a_place_in_the_navigation(site: Built) -> None:
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert pages <= site.in_navigation


def test_a_link_out_of_docs_leads_to_the_file_itself(site: Built) -> None:
    page = (site.folder / "describe" / "index.html").read_text(encoding="utf-8")
    assert 'href="../source/examples/06_new_twin.py/"' in page
    shown = (site.folder / "source" / "examples" / "06_new_twin.py" / "index.html").read_text(encoding="utf-8")
    assert "06_new_twin.py" in shown
    assert (ROOT / "examples" / "06_new_twin.py").read_text(encoding="utf-8").split('"""')[1].splitlines()[0] in shown


class Links(HTMLParser):
    """What a page leads to and shows, and what in it can be led to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.targets += [value for name, value in attributes if name in ("href", "src") and value]
        self.places |= {value for name, value in attributes if name == "id" and value}


def test_every_link_of_the_site_leads_to_a_page_and_a_place_of_it(site: Built) -> None:
    """As a browser follows them, also those that hooks have made."""
    pages = {page: Links(page) for page in site.folder.rglob("*.html") if page.name != "404.html"}
    dead = []
    for page, links in pages.items():
        for target in links.targets:
            address = urlsplit(target)
            if address.scheme or address.netloc:
                continue
            file = Path(os.path.normpath(page.parent / unquote(address.path))) if address.path else page
            file = file / "index.html" if file.is_dir() else file
            place = unquote(address.fragment)
            if not file.is_file() or (place and file in pages and place not in pages[file].places):
                dead.append(f"{page.relative_to(site.folder)}: {target}")
    assert dead == []


def test_nothing_of_the_site_is_fetched_from_elsewhere(site: Built) -> None:
    """Scripts, styles, fonts and pictures are its own; links to follow may lead anywhere."""
    for page in site.folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for tag in ('<script src="http', '<img src="http', 'rel="stylesheet" href="http', "@import url(http"):
            assert tag not in text, (page.name, tag)


@pytest.fixture(scope="module")
def address(site: Built) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words: Any) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site.folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_search_finds_and_leads_there_on_a_desktop_and_on_a_phone(address: str, tmp_path: Path) -> None:
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.support.wait import WebDriverWait

    with headless_chromium(tmp_path, 1300, 850) as page:
        patient = WebDriverWait(page, 120, poll_frequency=0.1, ignored_exceptions=[StaleElementReferenceException])

        def shown(selector: str, do: Callable[[Any], object] = lambda item: None) -> Any:
            """The first element that can be seen, as soon as there is one, with something done to it.

            Results come while one types, and the page may put another element in the place of one that was just found.
            """

            def done(at: Any) -> Any:
                item = next((item for item in at.find_elements("css selector", selector) if item.is_displayed()), None)
                if item is not None:
                    do(item)
                return item

            return patient.until(done)

        for phone in (False, True):
            if phone:
                page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
            page.get(f"{address}/")
            if phone:
                shown("label[for=__search]", lambda item: item.click())
            shown("input.md-search__input", lambda item: item.send_keys("opening_time parachute"))
            shown(".md-search-result__link[href*='/kinds/']", lambda item: item.click())
            patient.until(lambda at: "/kinds/" in at.current_url)
            patient.until(lambda at: at.find_element("css selector", "h1").text.startswith("Your own force law"))
            assert page.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_streams_of_a_log_in_a_notebook_are_lines_of_a_table(address: str, tmp_path: Path) -> None:
    """The number that opens the columns of a stream looked like a note with a pencil, three lines high."""
    with headless_chromium(tmp_path, 1300, 850) as page:
        page.get(f"{address}/notebooks/first_flight/")
        heights = "return [...document.querySelectorAll('.shown tbody tr')].map(row => row.getBoundingClientRect().height)"
        rows = page.execute_script(heights)
        assert len(rows) == 12
        assert max(rows) < 1.2 * min(rows)  # the clock has no columns, and nothing to open
