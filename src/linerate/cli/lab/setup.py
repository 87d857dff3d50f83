"""``linerate setup``: the runners of this machine, built from what pip installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, stderr, stdout

if TYPE_CHECKING:
    from linerate.measure.setup import Setup

EXAMPLES = """
Examples:
  linerate setup
  sudo -H linerate setup
  linerate setup --again --json
"""


def setup(
    again: Annotated[
        bool,
        typer.Option("--again", help="Build all anew, as after an upgrade of the system."),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Build the runners into your cache, and say what is missing with the command that gets it.

    Needs no root. The wheel carries the BPF programs; where it does not, they are compiled here.
    In a clone it builds into build/, as make setup does.
    """
    # Slow to load: not for --help.
    from linerate.measure.processes.built import build_folder
    from linerate.measure.setup import build

    stderr.print(f"building in {build_folder()}")
    done = build(again=again)
    if as_json:
        print_json(done.to_dict())
    else:
        _say(done)


def _say(done: Setup) -> None:
    came = "came with the wheel" if done.carried else "were compiled here"
    stdout.print(f"{done.folder}: {len(done.runners)} runners; {len(done.objects)} BPF objects, "
                 f"which {came}")  # fmt: skip
    for need in done.lacking:
        stdout.print(f"not built for want of {need.name}: {need.builds}")
    if done.lacking:
        stdout.print(f"on Debian and Ubuntu: {done.install} && linerate setup")
