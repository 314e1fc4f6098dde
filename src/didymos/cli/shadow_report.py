"""What `didymos shadow` says while it runs: a line on stderr for people, an object on stdout for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from didymos.cli.flags import with_flags
from didymos.cli.text import number, print_json, print_table

if TYPE_CHECKING:
    from didymos.shadow.alarm import Alarm
    from didymos.shadow.estimate import Frame
    from didymos.shadow.learned import Learned
    from didymos.shadow.shadow import Shadow

__all__ = ["ShadowReport"]


class ShadowReport:
    """An audience of a shadow (see `Audience`) that prints."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        self._as_json, self._quiet = as_json, quiet

    def frame(self, _frame: Frame, _shadow: Shadow) -> None:
        """Nothing to say."""

    def alarm(self, alarm: Alarm) -> None:
        """Say it at once."""
        print(f"didymos: alarm {alarm.number}: {alarm}", file=sys.stderr, flush=True)
        self._print({"event": "alarm", **alarm.facts, "text": str(alarm)})

    def notice(self, text: str) -> None:
        """Say it, unless nobody wants to hear."""
        self.say(text)
        self._print({"event": "notice", "text": text})

    def learned(self, learned: Learned) -> None:
        """Say what the parameters are."""
        self.say(str(learned))
        self._print({"event": "learned", **learned.facts, "text": str(learned)})

    def page(self, url: str, port: int) -> None:
        """Say where the page is."""
        self.say(f"the cockpit is at {url}")
        self._print({"event": "cockpit", "url": url, "port": port})

    def say(self, text: str) -> None:
        """A line for people."""
        if not self._quiet:
            print(f"didymos: {with_flags(text)}", file=sys.stderr, flush=True)

    def end(self, facts: dict[str, Any], alarms: list[Alarm]) -> None:
        """How it went."""
        if self._as_json:
            self._print({"event": "summary", **facts, "alarms": [alarm.facts for alarm in alarms]})
        elif not self._quiet:
            rows = [(name.replace("_", " "), _text(value, unit)) for name, unit, value in _rows(facts) if value is not None]
            print_table([*rows, ("alarms", str(len(alarms)))])
            for alarm in alarms:
                print(f"    {alarm.number}  {alarm}")

    def _print(self, facts: dict[str, Any]) -> None:
        if self._as_json:
            print_json(facts)
            sys.stdout.flush()


_UNITS = {"seconds": "s", "latency_p50": "s", "latency_p99": "s", "driven": "s", "latest": "s late", "cpu": "of a core"}


def _rows(facts: dict[str, Any]) -> list[tuple[str, str, Any]]:
    return [(name, _UNITS.get(name, ""), value) for name, value in facts.items()]


def _text(value: Any, unit: str) -> str:
    return number(value, unit) if isinstance(value, float) else str(value)
