"""``linerate agent``: the generator host's end of a connection."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from linerate.cli.output import stderr
from linerate.errors import cannot_here

if TYPE_CHECKING:
    from linerate.measure.remote.protocol import Answer

EXAMPLES = """
linerate measure starts it over ssh for a campaign with lab = "nic"; requests
come on standard input. By hand, to see whether it is installed:
  ssh loadgen /opt/linerate/.venv/bin/linerate agent </dev/null
"""


def agent() -> None:
    """Serve as generator host: requests on standard input, answers on standard output."""
    # Slow to load: not for --help.
    from linerate.measure.generators.kinds import KINDS
    from linerate.measure.labs.napi import NICE_FIRST
    from linerate.measure.remote.agent import Agent

    if os.geteuid():
        raise cannot_here(
            "root", why="the generator host sends frames by XDP", do="let ssh log in as root, or "
            'set generator_command = ["sudo", "-n", "/path/to/linerate"]',
        )  # fmt: skip
    with suppress(OSError):  # what keeps the traffic in hand comes before other processes
        os.setpriority(os.PRIO_PROCESS, 0, NICE_FIRST)
    serving = Agent(kinds=KINDS, guard=_guard, answer=_say)
    try:
        serving.serve(sys.stdin.fileno())
    except BrokenPipeError:
        stderr.print("linerate agent: the other end has gone")


def _say(answer: Answer) -> None:
    from linerate.measure.remote.protocol import line_of

    os.write(sys.stdout.fileno(), f"{line_of(answer)}\n".encode())


def _guard(name: str) -> Callable[[], None]:
    from linerate.measure.labs.card import ADDRESS, check_card
    from linerate.measure.tuning import Interface, refuse_unsafe

    if ADDRESS.fullmatch(name):
        check_card(name)
        return partial(check_card, name)
    interface = Interface.named(name)
    refuse_unsafe(interface)
    return interface.check
