"""Report: a sweep as one HTML page that needs nothing else: no network, no other file, any browser, light or dark.

It says how many runs passed and how sure that is, how each expectation came out and which parameters it hangs on, where runs
begin to fail, and which were the worst, each with the command that repeats it. Every name and text of the sweep is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np

from didymos.studies.findings import Expected, Findings
from didymos.studies.influence import TELLS, Influence
from didymos.studies.pass_rate import PassRate, pass_rate
from didymos.studies.report_charts import boundary_chart, distribution_chart, influence_chart, rate_bar, scatter_chart
from didymos.studies.report_style import STYLE
from didymos.studies.svg_chart import short

__all__ = ["Repeat", "report_page"]

Repeat = Callable[[int, Mapping[str, float]], str]
"""The command that repeats a run, of its seed and values."""

_CARDS = 24  # expectations that get charts; the table has all
_PLANES = 4  # boundaries
_LEGEND = '<div class="legend"><span><i class="p"></i>met</span><span><i class="f"></i>missed</span></div>'


def report_page(
    finding: Findings, repeat: Repeat, worst: Sequence[int], pictures: Sequence[Sequence[str]], note: str = ""
) -> str:
    """The page; `worst` are places of runs, `pictures` SVG texts of the first of them, `note` says why there are none."""
    about = finding.about
    where = f", scenario {about['scenario']}" if about.get("scenario") else ""
    title = f"{Path(str(about.get('twin', 'sweep'))).name}{where}"
    body = [
        f"<h1>{escape(title)}</h1>",
        _facts(finding),
        _rates(finding),
        *_expectations(finding),
        *_boundary(finding),
        *_worst(finding, repeat, worst, pictures, note),
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    return f'<!doctype html><html lang="en"><head>{head}{policy}<style>{STYLE}</style></head><body><main>{"".join(body)}</main></body></html>\n'  # noqa: E501


def _facts(finding: Findings) -> str:
    about = finding.about
    items = [f"{len(finding.ok):,} runs"]
    if len(finding.ok) < about["runs"]:
        items[0] += f" of at most {about['runs']:,}"
    items += [f"drawn by {about.get('sampling', 'latin')}", f"seed {about['seed']}", f"didymos {about.get('version', '?')}"]
    items += [f"variant {about['variant']}"] if about.get("variant") else []
    ranges = "".join(
        f"<tr><td><code>{escape(path)}</code></td><td>{escape(_range(given))}</td></tr>"
        for path, given in about["ranges"].items()
    )
    varied = f'<details><summary class="soft">{len(about["ranges"])} parameters vary</summary><table>{ranges}</table></details>'
    return f'<p class="soft">{escape(" · ".join(items))}</p>{varied if ranges else ""}'


def _range(given: object) -> str:
    if isinstance(given, dict):
        return ", ".join(f"{kind} {' : '.join(short(float(x)) for x in ends)}" for kind, ends in given.items())
    return " to ".join(short(float(x)) for x in given) if isinstance(given, list) else str(given)


def _rates(finding: Findings) -> str:
    chance, rate = finding.failure_chance, finding.pass_rate
    if chance is None:
        name, big = "pass rate", f"{100.0 * rate.estimate:.4g} %"
        line = f"between {100.0 * rate.low:.4g} and {100.0 * rate.high:.4g} %, 95 % sure"
        rests = f"{rate.passed:,} of {rate.runs:,} runs met all that is expected"
    else:
        name, big = "probability of failure", short(chance.estimate) if chance.certain else "cannot say"
        line = f"between {short(chance.low)} and {short(chance.high)}, 95 % sure"
        if not chance.certain:
            more = "make more runs" if chance.failures else f"below {short(chance.high)}, 95 % sure"
            line = f"too few failures speak: {more}"
        rests = (
            f"{chance.runs:,} runs count, {chance.failures:,} of them failed, which says as much as {chance.effective:.0f}"
            " failures of equal weight; the others searched for the boundary"
        )
    ended = sum(error is not None for error in finding.errors)
    early = f"{ended:,} did not come to their end" if ended else "all came to their end"
    tiles = [(name, big, line, rests), ("runs", f"{len(finding.ok):,}", early, f"{int((~finding.ok).sum()):,} failed")]
    cards = "".join(
        f'<div class="card"><div class="soft">{escape(a)}</div><div class="big">{escape(b)}</div>'
        f'<div>{escape(c)}</div><div class="note">{escape(d)}</div></div>'
        for a, b, c, d in tiles
    )
    return f'<h2>How it went</h2><div class="tiles">{cards}</div>'


def _expectations(finding: Findings) -> list[str]:
    if not finding.expected:
        return ['<p class="note">The scenario expects nothing: a run passes that comes to its end.</p>']
    weighted = finding.weights is not None
    rows = [_expectation_row(item, finding, weighted) for item in finding.expected]
    rate = "" if weighted else "<th>met, 95 %</th><th></th>"
    head = f'<tr><th>expectation</th><th>bounds</th><th class="number">least</th><th class="number">median</th><th class="number">most</th><th class="number">missed</th>{rate}</tr>'  # noqa: E501
    page = [f'<h2>Expectations</h2><div class="card wide"><table>{head}{"".join(rows)}</table></div>']
    if weighted:
        page.append('<p class="note">Runs crowd where failures are: shares of runs here are not probabilities.</p>')
    page += [_expectation_card(item, finding) for item in finding.expected[:_CARDS]]
    left = len(finding.expected) - _CARDS
    return [*page, f'<p class="note">{left} more have no charts here.</p>'] if left > 0 else page


def _expectation_row(item: Expected, finding: Findings, weighted: bool) -> str:
    known = item.measured[np.isfinite(item.measured)]
    numbers = [short(float(x)) for x in (known.min(), np.median(known), known.max())] if len(known) else ["-"] * 3
    cells = "".join(f'<td class="number">{x}</td>' for x in [*numbers, f"{int(item.missed.sum()):,}"])
    rate = pass_rate(int((item.judged & ~item.missed).sum()), int(item.judged.sum()), level=finding.level)
    share = "" if weighted else f"<td>{_percent(rate)}</td><td>{rate_bar(rate)}</td>"
    return f"<tr><td>{escape(item.name)}</td><td>{escape(_bounds(item))}</td>{cells}{share}</tr>"


def _percent(rate: PassRate) -> str:
    if not rate.runs:
        return "-"
    return f"{100.0 * rate.estimate:.4g} % ({100.0 * rate.low:.4g} to {100.0 * rate.high:.4g})"


def _bounds(item: Expected) -> str:
    unit = f" {item.unit}" if item.unit and item.unit != "1" else ""
    if item.low is not None and item.high is not None:
        return f"{short(item.low)} to {short(item.high)}{unit}"
    return f"at most {short(item.high)}{unit}" if item.high is not None else f"at least {short(item.low or 0.0)}{unit}"


def _expectation_card(item: Expected, finding: Findings) -> str:
    if not np.isfinite(item.measured).any():
        return f'<div class="card"><h3>{escape(item.name)}</h3><p class="note">No run measured it.</p></div>'
    charts = [f"<div>{distribution_chart(item)}{_LEGEND}</div>"]
    found = finding.influence(item)
    if found is not None:
        strongest = max(found.strength, key=lambda path: found.strength[path])
        charts.append(f"<div>{scatter_chart(finding, item, strongest)}</div>")
        charts.append(f"<div>{influence_chart(found)}{_influence_note(found)}</div>")
    else:
        why = "it is the same in all runs" if np.ptp(item.measured[np.isfinite(item.measured)]) == 0.0 else "too few runs"
        charts.append(f'<p class="note">Which parameters matter cannot be told: {why if finding.values else "none varies"}.</p>')
    return f'<div class="card"><h3>{escape(item.name)}</h3><div class="row">{"".join(charts)}</div></div>'


def _influence_note(found: Influence) -> str:
    if found.total is not None:
        return '<p class="note">Sobol indices: dark, of a parameter alone; light, with all it works together with.</p>'
    part = 100.0 * (found.explained or 0.0)
    text = f"Standardised regression: {part:.0f} % of the spread is linear in the parameters."
    if not found.tells:
        less = f"Below {100.0 * TELLS:.0f} % it does not tell which matter: seeds do, or what is not linear"
        first = max(found.strength, key=lambda path: found.strength[path])
        share = 100.0 * found.strength[first]
        most = "Nor does any of them alone, in whatever shape"
        if share >= 1.0:
            most = f"In whatever shape, {escape(first)} alone goes with {share:.0f} % of it, the most"
        return f'<p class="warn" style="max-width: 325px">{text} {less}. {most}.</p>'
    return f'<p class="note" style="max-width: 325px">{text}</p>'


def _boundary(finding: Findings) -> list[str]:
    ended = np.array([error is not None for error in finding.errors])
    kinds = [(item.name, item.missed) for item in sorted(finding.expected, key=lambda item: -int(item.missed.sum()))]
    asked = [(name, failed) for name, failed in [*kinds, ("runs that did not come to their end", ended)] if failed.any()]
    cards = []
    for name, failed in asked[:_PLANES]:
        pair = finding.plane(failed)
        if pair is not None:
            first, second = ((path, finding.values[path]) for path in pair)
            boundary = finding.boundary(*pair, failed)
            note = "" if boundary is not None else '<p class="note">Too few runs of one kind to draw a boundary.</p>'
            cards.append(
                f'<div class="card"><h3>{escape(name)}</h3>{boundary_chart(first, second, failed, boundary)}{note}{_LEGEND}</div>'
            )
    if not cards:
        why = "fewer than two parameters vary" if asked else "no run failed"
        return [f'<h2>Where runs fail</h2><p class="note">There is no boundary to draw: {why}.</p>']
    text = (
        "Runs in the plane of the two parameters that tell failed runs from others best. The shade is the chance of failure by"
        " logistic regression, the line where it is one half; other parameters and seeds blur it. Where no run was, nothing is"
        " said."
    )
    return [f'<h2>Where runs fail</h2><p class="soft">{text}</p><div class="pairs">{"".join(cards)}</div>']


def _worst(finding: Findings, repeat: Repeat, worst: Sequence[int], pictures: Sequence[Sequence[str]], note: str) -> list[str]:
    if not worst:
        return []
    which = "The worst runs" if finding.weights is None else "The likeliest failures"
    text = "The command repeats the very run; a click selects it."
    page = [f'<h2>{which}</h2><p class="soft">{text}</p>']
    page += [f'<p class="warn">No pictures: {escape(note)}</p>'] if note else []
    for rank, place in enumerate(worst):
        values = {path: float(column[place]) for path, column in finding.values.items()}
        short_of = finding.errors[place] or ", ".join(
            f"{item.name} {short(float(item.measured[place]))} {item.unit if item.unit != '1' else ''}".strip()
            for item in finding.expected
            if item.missed[place]
        )
        verdict = "passed" if finding.ok[place] else "failed"
        tag = f'<span class="tag{"" if finding.ok[place] else " bad"}">{verdict}</span>'
        drawn = "".join(f"<div>{chart}</div>" for chart in (pictures[rank] if rank < len(pictures) else ()))
        beside = '<div class="legend"><span><i class="f"></i>this run</span><span><i class="o"></i>a typical run</span></div>'
        seed = int(finding.seed[place])
        page.append(
            f'<div class="card"><h3>seed {seed} {tag} <span class="soft">{escape(short_of)}</span></h3>'
            f"<pre><code>{escape(repeat(seed, values))}</code></pre>"
            f'{f"""<div class="row">{drawn}</div>{beside}""" if drawn else ""}</div>'
        )
    return page
