"""``linerate reset`` and ``linerate cleanup``: put settings back as the journal has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, stdout
from linerate.errors import LinerateError

if TYPE_CHECKING:
    from linerate.measure.tuning import Outcome

RESET_EXAMPLES = """
Examples:
  sudo .venv/bin/linerate reset ens2np0
  sudo .venv/bin/linerate reset
"""
CLEANUP_EXAMPLES = """
Examples:
  sudo .venv/bin/linerate cleanup
  sudo .venv/bin/linerate cleanup --json
"""


def reset(
    interface: Annotated[
        str | None, typer.Argument(help="Interface; all that were changed if left out.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Put back what linerate tune changed, in reverse order; twice does no harm."""
    # Slow to load: not for --help.
    from linerate.measure.tuning import Interface, Journal, restore

    named = Interface.named(interface) if interface is not None else None
    _say(restore(Journal.usual(), named), as_json=as_json)


def cleanup(as_json: JsonFlag = False) -> None:
    """Put back every setting that linerate changed, also after it was killed.

    Programs, namespaces and links end with their process; only settings could stay. Those of a
    campaign that still runs are left alone. Running it twice does no harm.
    """
    from linerate.measure.tuning import Journal, restore

    _say(restore(Journal.usual()), as_json=as_json)


def _say(outcomes: Iterable[Outcome], *, as_json: bool) -> None:
    outcomes = list(outcomes)
    if as_json:
        print_json({"settings": [_fields(outcome) for outcome in outcomes]})
    elif not outcomes:
        stdout.print("nothing to put back")
    else:
        for outcome in outcomes:
            stdout.print(_line(outcome))
    left = [outcome for outcome in outcomes if outcome.stays]
    if left:
        raise LinerateError(
            f"settings: {len(left)} of {len(outcomes)} are not as before: "
            f"{'; '.join(map(_line, left))}; correct that, then run linerate cleanup again"
        )


def _fields(outcome: Outcome) -> dict[str, str]:
    setting = outcome.setting
    return {
        "interface": setting.interface.name,
        "setting": setting.knob,
        "before": setting.before,
        "state": outcome.state,
        "words": outcome.words,
    }


def _line(outcome: Outcome) -> str:
    setting = outcome.setting
    words = f" ({outcome.words})" if outcome.words else ""
    return f"{setting.interface.name} {setting.knob}: {outcome.state} {setting.before}{words}"
