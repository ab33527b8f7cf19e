"""The figures of agents' logs as one HTML page: bars and a table. It has no script, and nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape

from dovetail.agents.audit import Audit, FigureGroup, Tally

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .2rem .6rem .2rem 0 }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } tr { border-bottom: 1px solid #ddd }
td:first-child { white-space: nowrap } .key { display: inline-block; width: .8em; height: .8em; margin-left: .6em }
.key.bar { background: #3b6ea5 } .key.bad { background: #c2543c }
.bar { fill: #3b6ea5 } .bad { fill: #c2543c } text { font: 12px system-ui, sans-serif }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd } tr { border-color: #444 }
text { fill: #ddd } }
"""
_HEAD = (
    "Month",
    "Agent",
    "Model",
    "Tool",
    "Edits",
    "Refused",
    "Shown by the log",
    "Dovetail lands",
    "Again",
    "Commands",
)
_ROW, _RIGHT, _BARS = 24, 120, 440  # pixels: a bar's height, room for words beside it, the longest bar
_SIGN = 7  # pixels: the width of a character of a bar's name


def page(found: Audit) -> str:
    """Return the whole page."""
    total = found.total
    by_agent = _summed(found.groups, lambda group: f"{group.agent} {group.model}".strip())
    by_month = _summed(found.groups, lambda group: group.month)
    refused = ((name, tally.edits, tally.refused) for name, tally in by_agent.items() if tally.edits)
    shell = ((name, tally.edits + tally.commands, tally.commands) for name, tally in by_agent.items())
    months = ((name, tally.edits, tally.refused) for name, tally in by_month.items() if tally.edits)
    reasons = ((reason, count, count) for reason, count in total.reasons.most_common())
    rows = "".join(_table_row(group, tally) for group, tally in found.groups.items())
    head = "".join(f"<th{' class=n' * (at >= len(FigureGroup._fields))}>{name}</th>" for at, name in enumerate(_HEAD))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>What became of agents' edits</title>
<style>{_STYLE}</style></head><body>
<h1>What became of agents' edits</h1>
<p>{found.logs} sessions, {total.edits} edits, {total.refused} refused by the agents' tools,
{total.again} of them made again. Dovetail lands {total.landed} of the {total.planned} whose file the logs show.
{total.commands} commands may have changed files.</p>
<h2>Refused, by agent and model</h2>{_key("refused", "all edits")}{_bars(refused)}
<h2>Why</h2>{_bars(reasons)}
<h2>Refused, by month</h2>{_key("refused", "all edits")}{_bars(months)}
<h2>Commands among all that changes files</h2>{_key("commands", "commands and edits")}{_bars(shell)}
<h2>All figures</h2><table><tr>{head}</tr>{rows}{_table_row(FigureGroup("all", "", "", ""), total)}</table>
</body></html>
"""


def _summed(groups: Mapping[FigureGroup, Tally], key: Callable[[FigureGroup], str]) -> dict[str, Tally]:
    sums: dict[str, Tally] = {}
    for group, tally in groups.items():
        name = key(group)
        sums[name] = sums.get(name, Tally()) + tally
    return dict(sorted(sums.items()))


def _key(part: str, whole: str) -> str:
    return f'<p><i class="key bad"></i> {part} <i class="key bar"></i> {whole}</p>'


def _bars(rows: Iterable[tuple[str, int, int]]) -> str:
    """Bars, each with a part of it in another colour: a name, the whole, the part."""
    shown = list(rows)
    most = max((whole for _, whole, _ in shown), default=0)
    left = 16 + _SIGN * max((len(name) for name, _, _ in shown), default=0)
    if not most:
        return "<p>None.</p>"
    lines = []
    for at, (name, whole, part) in enumerate(shown):
        y, long, short = at * _ROW, _BARS * whole / most, _BARS * part / most
        label = f"{part}" if part == whole else f"{part} of {whole}, {part / whole:.0%}"
        lines.append(
            f'<text x="{left - 8}" y="{y + 16}" text-anchor="end">{escape(name or "unknown")}</text>'
            f'<rect class="bar" x="{left}" y="{y + 4}" width="{long:.1f}" height="{_ROW - 8}"/>'
            f'<rect class="bad" x="{left}" y="{y + 4}" width="{short:.1f}" height="{_ROW - 8}"/>'
            f'<text x="{left + long + 8:.1f}" y="{y + 16}">{label}</text>'
        )
    size = f'width="{left + _BARS + _RIGHT}" height="{len(shown) * _ROW}"'
    return f'<svg role="img" {size}>{"".join(lines)}</svg>'


def _table_row(group: FigureGroup, tally: Tally) -> str:
    numbers = (tally.edits, tally.refused, tally.planned, tally.landed, tally.again, tally.commands)
    cells = [f"<td>{escape(word)}</td>" for word in group] + [f"<td class=n>{number or ''}</td>" for number in numbers]
    return f"<tr>{''.join(cells)}</tr>"
