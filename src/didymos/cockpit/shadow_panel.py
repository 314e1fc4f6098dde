"""The panel Shadow: whether robot and twin agree, alarms and notices, what may come, and a what-if from where the robot is."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import viser

from didymos.cockpit.open_loop import HORIZON
from didymos.cockpit.outlook_thread import OutlookThread
from didymos.cockpit.shadow_feed import ShadowFeed
from didymos.shadow.alarm import Alarm
from didymos.shadow.outlook import Outlook

__all__ = ["ShadowPanel", "alarm_html", "banner_html", "outlook_html", "status_line"]

RED, GREEN, GREY = "#e03131", "#2b8a3e", "#868e96"
SHOWN = 30  # alarms and notices, the newest first
TRIED = 3  # causes of an alarm


def status_line(time: float, latencies: Sequence[float], drift: float | None) -> str:
    """What is always visible: the robot's clock, how far behind it the twin is, how fast that clock goes."""
    lines = [f"## t = {time:.2f} s", "**beside the robot**"]
    known = np.array([value for value in latencies if np.isfinite(value)])
    if len(known):
        lines[1] += f" · {1e3 * float(np.median(known)):.1f} ms behind"
        clock = "" if drift is None else f" · its clock {1e6 * drift:+.0f} ppm"
        lines.append(f"99 %: {1e3 * float(np.quantile(known, 0.99)):.1f} ms{clock}")
    else:
        lines.append("by a recording")
    return "\n\n".join(lines)


def banner_html(found: bool, lasts: bool, alarms: Sequence[Alarm]) -> str:
    """One coloured line: looked for, in step, or what is wrong while it lasts."""
    if lasts and alarms:
        cause = alarms[-1].cause
        what = "ALARM: " + (escape(str(cause)) if cause is not None else "no declared cause explains it")
        return _box(RED, f"{what}<br><small>since t = {alarms[-1].since:.2f} s</small>")
    if not found:
        return _box(GREY, "looking for the robot")
    count = f", {len(alarms)} alarm{'' if len(alarms) == 1 else 's'} before" if alarms else ", no alarm"
    return _box(GREEN, f"in step{count}")


def _box(colour: str, text: str) -> str:
    return (
        f'<div style="background:{colour};color:white;border-radius:4px;padding:0.45em 0.8em;margin:0.3em 0.9em;'
        f'font-weight:600;line-height:1.25">{text}</div>'
    )


def alarm_html(alarms: Sequence[Alarm], lasts: bool) -> str:
    """All alarms, the newest on top: when, what, how probable, how large, where it shows."""
    if not alarms:
        return _small("no alarm until now")
    return "".join(_row(alarm, lasts and alarm is alarms[-1]) for alarm in reversed(alarms[-SHOWN:]))


def _row(alarm: Alarm, lasts: bool) -> str:
    causes = [
        f"{'<b>' if i == 0 else ''}{escape(str(one))} ± {_size(one.sd, one.unit)}: {100.0 * one.probability:.0f} %"
        f"{'</b>' if i == 0 else ''}"
        for i, one in enumerate(alarm.likely[:TRIED])
        if i == 0 or one.probability >= 0.005
    ] or ["<b>no declared cause explains it</b>"]
    colour = RED if lasts else GREY
    return (
        f'<div style="border-left:4px solid {colour};padding:0 0 0 0.6em;margin:0.5em 0.9em;font-size:0.85em;line-height:1.35">'
        f"<b>{alarm.number} · t = {alarm.time:.2f} s</b>, since {alarm.since:.2f} s<br>{'<br>'.join(causes)}<br>"
        f'<span style="opacity:0.7">seen in {escape(", ".join(alarm.signals[:3]))}</span></div>'
    )


def _size(sd: float, unit: str) -> str:
    return f"{100.0 * sd:.2g} %" if unit == "1" else f"{sd:.2g} {escape(unit)}"


def _small(text: str) -> str:
    return f'<div style="margin:0.4em 0.9em;font-size:0.85em;line-height:1.35;opacity:0.75">{text}</div>'


def notices_html(notices: Sequence[tuple[float, str]]) -> str:
    """All notices, the newest on top."""
    return "".join(_small(f"t = {time:.1f} s: {escape(text)}") for time, text in reversed(notices[-SHOWN:])) or _small("none")


def outlook_html(outlook: Outlook | None, said: str) -> str:
    """What may come: the most probable limits."""
    if outlook is None:
        return _small(escape(said)) if said else ""
    lines = []
    for event in outlook.likely[:5]:
        median = event.median
        when = "" if median is None else f", in {median:.1f} s"
        lines.append(f"{escape(str(event.limit))} within {outlook.seconds:g} s: <b>{100.0 * event.probability:.0f} %</b>{when}")
    lines += [f"{escape(str(limit))}: now" for limit in outlook.present[:3]]
    return _small("<br>".join(lines) if lines else f"nothing within {outlook.seconds:g} s")


class ShadowPanel:
    """What a person sees of the shadow, and may ask of it."""

    def __init__(self, gui: viser.GuiApi, feed: ShadowFeed, ahead: OutlookThread) -> None:
        self._feed, self._ahead = feed, ahead
        self._banner = gui.add_html(banner_html(False, False, ()))
        gui.add_markdown("Solid: the robot as it is. Ghost: its twin, left alone with the robot's inputs for the last moment.")
        self.what_if = gui.add_button("What if", icon=viser.Icon.ARROWS_SPLIT, color="teal", hint=_WHAT_IF)
        self.back = gui.add_button("Back to the robot", icon=viser.Icon.ARROW_LEFT, disabled=True)
        self.ghost = gui.add_checkbox("Ghost", True)
        self.horizon = gui.add_slider("Left alone [s]", min=0.2, max=5.0, step=0.1, initial_value=HORIZON)
        look = gui.add_checkbox("Look ahead", False, hint="Branches of the twin for the next seconds; takes a quarter of a core")
        look.on_update(lambda _: ahead.switch(bool(look.value)))
        self._outlook = gui.add_html("")
        with gui.add_folder("Alarms"):
            self._alarms = gui.add_html(alarm_html((), False))
        with gui.add_folder("Notices", expand_by_default=False):
            self._notices = gui.add_html(notices_html(()))

    def update(self, *, shows_robot: bool) -> None:
        """Show what there is."""
        known, alarms = self._feed.known, self._feed.alarms
        lasts = known is not None and known.lasts
        for handle, text in (
            (self._banner, banner_html(known is not None, lasts, alarms)),
            (self._alarms, alarm_html(alarms, lasts)),
            (self._notices, notices_html(self._feed.notices)),
            (self._outlook, outlook_html(self._ahead.outlook, self._ahead.said)),
        ):
            if handle.content != text:
                handle.content = text
        if self.back.disabled != shows_robot:
            self.back.disabled = shows_robot


_WHAT_IF = "Branch where the robot is now into a simulation, and play it here; the shadow goes on"
