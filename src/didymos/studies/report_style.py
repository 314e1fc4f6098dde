"""The style sheet of a sweep's page: light and dark by what the reader's system prefers, nothing from the network."""

__all__ = ["STYLE"]

STYLE = """
:root { color-scheme: light dark; --paper: #f6f7f9; --card: #ffffff; --ink: #1c2330; --soft: #5d6778; --rule: #e3e6eb;
  --passed: #3b73d1; --failed: #d8501a; --bar: #4f6b9a; --wide: #b9c6dc; --edge: #1c2330; --code: #f1f3f6; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --paper: #12151a; --card: #1a1f27; --ink: #e6e9ee; --soft: #98a2b3;
  --rule: #2b323d; --passed: #6c9df0; --failed: #ff8552; --bar: #8fa9d8; --wide: #3b4a63; --edge: #f2f4f7; --code: #232a34;
  --warn: #e2b45a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 36px 24px 60px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 34px 0 10px; }
h3 { font-size: 15px; margin: 0 0 8px; overflow-wrap: anywhere; }
p { margin: 0 0 10px; max-width: 78ch; }
.soft, .note { color: var(--soft); font-size: 13px; }
.warn { color: var(--warn); font-size: 13px; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 16px 18px; margin: 0 0 14px; }
.row { display: flex; flex-wrap: wrap; gap: 14px 18px; align-items: flex-start; }
.big { font-size: 40px; font-weight: 650; letter-spacing: -0.02em; line-height: 1.1; font-variant-numeric: tabular-nums; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(230px, 1fr)); gap: 14px; }
.tiles .card { margin: 0; }
.pairs { display: grid; grid-template-columns: repeat(auto-fill, minmax(480px, 1fr)); gap: 14px; }
.pairs .card { margin: 0; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--soft); font-weight: 500; font-size: 12.5px; }
th, td { padding: 6px 12px 6px 0; border-bottom: 1px solid var(--rule); vertical-align: middle; }
tr:last-child td { border-bottom: 0; }
td.number, th.number { text-align: right; }
.wide { overflow-x: auto; }
code { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { background: var(--code); border-radius: 6px; padding: 9px 12px; margin: 8px 0; white-space: pre-wrap;
  overflow-wrap: anywhere; user-select: all; }
.tag { display: inline-block; border-radius: 999px; padding: 1px 9px; font-size: 12px; background: var(--code); }
.tag.bad { color: var(--failed); }
svg { display: block; max-width: 100%; height: auto; }
svg text { fill: var(--soft); font-size: 11px; font-family: inherit; }
svg .label { fill: var(--ink); font-size: 11.5px; }
svg .name { fill: var(--ink); font-size: 11.5px; }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .passed { fill: var(--passed); } svg .failed { fill: var(--failed); }
svg .dots { fill: none; stroke-linecap: round; stroke-opacity: 0.6; }
svg .dots.passed { stroke: var(--passed); fill: none; }
svg .dots.failed { stroke: var(--failed); fill: none; stroke-opacity: 0.85; }
svg .bound { stroke: var(--failed); stroke-width: 1.4; stroke-dasharray: 5 3; }
svg .bar { fill: var(--bar); } svg .bar.total { fill: var(--wide); }
svg .whisker { stroke: var(--ink); stroke-width: 1.2; }
svg .shade { fill: var(--failed); } svg .edge { stroke: var(--edge); stroke-width: 2; stroke-linecap: round; }
svg .line { stroke-width: 1.6; stroke-linejoin: round; } svg .line.run { stroke: var(--failed); }
svg .line.other { stroke: var(--soft); stroke-opacity: 0.8; }
svg .track { fill: var(--rule); } svg .interval { fill: var(--ink); fill-opacity: 0.28; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 12.5px; color: var(--soft); margin-top: 4px; }
.legend i { display: inline-block; width: 10px; height: 10px; border-radius: 50%; margin-right: 5px; }
.legend .p { background: var(--passed); } .legend .f { background: var(--failed); }
.legend .o { background: var(--soft); } .legend .e { background: var(--edge); height: 3px; width: 16px; border-radius: 2px;
  vertical-align: middle; }
"""
