"""``linerate tune IFACE``: change settings, each written down first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from linerate.cli.lab.show import InterfaceArgument
from linerate.cli.output import JsonFlag, print_json, stderr, stdout
from linerate.errors import bad_input

if TYPE_CHECKING:
    from linerate.measure.tuning import Interface

EXAMPLES = """
Examples:
  sudo .venv/bin/linerate tune ens2np0 --profile baseline --dry-run
  sudo .venv/bin/linerate tune ens2np0 --setting queues=4 --setting 'rss_table=equal 4'
  sudo .venv/bin/linerate reset ens2np0
"""
Profile = Literal["baseline", "throughput", "latency"]
"""Names of the profiles, which take longer to load than a help may."""


def tune(
    interface: InterfaceArgument,
    profile: Annotated[
        Profile | None,
        typer.Option(help="Settings for a purpose; those that this machine lacks are left out."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--setting", metavar="NAME=VALUE", help="One setting; several times for several."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would change, and change nothing.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Change settings until linerate reset; all of them, or none.

    Refuses an interface that carries a default route or an SSH session, or that has an XDP program,
    queueing discipline or nftables rule of others. Each change is written to /run/linerate before
    it is made: after kill -9, linerate cleanup still knows the old setting.
    """
    # Slow to load: not for --help.
    from linerate.measure.tuning import Interface, Journal, change, refuse_unsafe
    from linerate.measure.tuning.change import check_available, in_order
    from linerate.measure.tuning.profiles import PROFILES

    asked = parse_settings(settings or [])
    named = Interface.named(interface)
    refuse_unsafe(named)
    check_available(named, in_order(asked))
    wanted = _of_profile(named, profile) | asked
    if not wanted:
        raise bad_input(
            "settings", "none", why="there is nothing to change", allowed="--profile "
            f"{', '.join(PROFILES)}, or --setting NAME=VALUE", do="linerate show lists them",
        )  # fmt: skip
    if dry_run:
        changes = [
            {"setting": knob.name, "before": knob.show(named), "value": wanted[knob.name]}
            for knob in in_order(wanted)
        ]
    else:
        changed = change(named, wanted, Journal.usual(), None)
        changes = [
            {"setting": done.knob, "before": done.before, "value": done.value} for done in changed
        ]
    _say(named, changes, dry_run=dry_run, as_json=as_json)


def parse_settings(words: list[str]) -> dict[str, str]:
    """Read NAME=VALUE pairs.

    >>> parse_settings(["queues=4", "rss_table=equal 4"])
    {'queues': '4', 'rss_table': 'equal 4'}
    """
    from linerate.measure.tuning import find_knob

    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name in found:
            raise bad_input(
                "--setting", word, why="it is given twice" if equals else "it is not a NAME=VALUE",
                allowed="each setting once, as in --setting gro=off", do="write it as NAME=VALUE",
            )  # fmt: skip
        found[find_knob(name).name] = " ".join(value.split())
    return found


def _of_profile(interface: Interface, profile: Profile | None) -> dict[str, str]:
    """Take the settings of a profile that can be set here; say which cannot."""
    from linerate.measure.tuning import find_knob
    from linerate.measure.tuning.profiles import PROFILES

    chosen: dict[str, str] = {}
    for name, value in PROFILES[profile].items() if profile else ():
        if why := find_knob(name).available(interface):
            stderr.print(f"{name}: left as it is, {why}")
        else:
            chosen[name] = value
    return chosen


def _say(
    interface: Interface, changes: Sequence[Mapping[str, str]], *, dry_run: bool, as_json: bool
) -> None:
    if as_json:
        print_json({"interface": interface.name, "dry_run": dry_run, "changes": changes})
        return
    for line in changes:
        stdout.print(f"{line['setting']}: {line['before']} -> {line['value']}")
    if not changes:
        stdout.print("nothing to change: it is so already")
    elif not dry_run:
        stderr.print(f"to put it back: linerate reset {interface.name}")
