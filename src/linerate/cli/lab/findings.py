"""What ``linerate doctor`` found, as a table and as a record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from linerate.cli.output import stdout
from linerate.measure.system import Ability, Finding, datapaths, labs

STYLES = {"yes": "green", "no": "red", "unknown": "yellow"}
WIDTH_MAX = 100


def report(findings: Iterable[Finding]) -> dict[str, object]:
    """Arrange the findings as ``--json`` prints them; ok is null where it is unknown."""
    findings = list(findings)
    return {
        "checks": [asdict(finding) for finding in findings],
        "labs": [asdict(lab) for lab in labs(findings)],
        "datapaths": [asdict(datapath) for datapath in datapaths(findings)],
    }


def draw(findings: Iterable[Finding]) -> None:
    """Print the table of findings, the commands that get what is missing, and the summary."""
    findings = list(findings)
    # the shared console never wraps, which is right for lines but not for a table's cells
    width = min(stdout.width, WIDTH_MAX) if stdout.is_terminal else WIDTH_MAX
    page = Console(highlight=False, width=width)
    page.print(_table(findings))
    if remedies := _remedies(findings):
        stdout.print("\nTo get what is missing:")
    for remedy, names in remedies.items():
        stdout.print(f"  [bold]{', '.join(names)}[/]\n    {escape(remedy)}", markup=True)
    page.print(f"\nLabs this machine can run: {_sentence(labs(findings))}")
    page.print(f"Datapaths it has hooks for: {_sentence(datapaths(findings))}")


def _table(findings: Iterable[Finding]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("Check", no_wrap=True)
    table.add_column("Here", no_wrap=True)
    table.add_column("Found", ratio=1)
    table.add_column("Why it matters", ratio=1, style="dim")
    for finding in findings:
        answer = f"[{STYLES[finding.answer]}]{finding.answer}[/]"
        table.add_row(finding.name, answer, escape(finding.detail), escape(finding.why))
    return table


def _remedies(findings: Iterable[Finding]) -> dict[str, list[str]]:
    """Command -> the findings that it mends."""
    remedies = defaultdict(list)
    for finding in findings:
        if not finding.ok:
            remedies[finding.remedy].append(finding.name)
    return remedies


def _sentence(abilities: Iterable[Ability]) -> str:
    words = []
    for ability in abilities:
        answer = "unknown" if ability.can is None else "yes" if ability.can else "no"
        needs = f" (see {', '.join(ability.obstacles)})" if ability.can is False else ""
        words.append(f"{ability.name} [{STYLES[answer]}]{answer}[/]{needs}")
    return ", ".join(words)
