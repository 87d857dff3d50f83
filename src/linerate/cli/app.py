"""The table of commands."""

from __future__ import annotations

import typer

from linerate.cli import doctor

app = typer.Typer(
    name="linerate",
    help="Predict whether a packet program sustains line rate on a machine, from measurements.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.callback()
def linerate() -> None:
    """Keep commands by name; Typer makes an only command the whole app."""


app.command("doctor")(doctor.doctor)
