"""Settings of an interface and its machine, as ``linerate show`` has them."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from linerate.cli.output import stdout
from linerate.errors import BadInputError, CannotHereError
from linerate.measure.tuning import Interface, Journal, Readable, refuse_unsafe

WIDTH_MAX = 100
VALUE_MAX = 40
"""Longer values, such as tables of 128 queues, are cut on the screen and whole with --json."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One setting as it is now."""

    name: str
    scope: str
    value: str | None
    """None where this driver or machine has no such setting."""
    obstacle: str | None
    """Why it cannot be set; None where it can."""
    allowed: str


def shown(interface: Interface, knob: Readable) -> Shown:
    """Read one setting."""
    obstacle = knob.available(interface)
    try:
        value = knob.show(interface)
    except OSError:
        value = None
    return Shown(
        name=knob.name, scope=knob.scope, value=value, obstacle=obstacle, allowed=knob.allowed
    )


def refusal_of(interface: Interface) -> str | None:
    """Say why linerate tune would refuse it; None where it would not."""
    try:
        refuse_unsafe(interface)
    except (BadInputError, CannotHereError) as error:
        return str(error)
    return None


def changed_of(interface: Interface) -> list[str] | None:
    """List what the journal has for it; None where only root may read that."""
    try:
        settings = Journal.usual().settings()
    except CannotHereError:
        return None
    return [setting.knob for setting in settings if setting.interface == interface]


def draw(rows: list[Shown]) -> None:
    """Print the table of settings."""
    width = min(stdout.width, WIDTH_MAX) if stdout.is_terminal else WIDTH_MAX
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("Setting", no_wrap=True)
    table.add_column("Now", no_wrap=True)
    table.add_column("Takes, or why it cannot be set", ratio=1, style="dim")
    for row in rows:
        value = "-" if row.value is None else row.value
        cut = value if len(value) <= VALUE_MAX else value[: VALUE_MAX - 3] + "..."
        table.add_row(row.name, escape(cut), escape(row.obstacle or row.allowed))
    Console(highlight=False, width=width).print(table)
