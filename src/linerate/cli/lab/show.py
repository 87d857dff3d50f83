"""``linerate show IFACE``: every setting, what it is, and whether it can be changed here."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, stdout

EXAMPLES = """
Examples:
  linerate show ens2np0
  linerate show ens2np0 --json
  ip netns exec dut linerate show veth0
"""
InterfaceArgument = Annotated[str, typer.Argument(help="Interface, as ip link names it.")]


def show(interface: InterfaceArgument, as_json: JsonFlag = False) -> None:
    """List the settings of an interface and its machine. Changes nothing and needs no root."""
    # Slow to load: not for --help.
    from dataclasses import asdict

    from linerate.cli.lab.settings import changed_of, draw, refusal_of, shown
    from linerate.measure.tuning import HELD, KNOBS, Interface

    named = Interface.named(interface)
    rows = [shown(named, knob) for knob in (*KNOBS, *HELD)]
    refusal = refusal_of(named)
    if as_json:
        print_json(
            {
                "interface": asdict(named),
                "settings": [asdict(row) for row in rows],
                "refused": refusal,
                "changed": changed_of(named),
            }
        )
        return
    draw(rows)
    seen = "" if os.geteuid() == 0 else " (some checks need root)"
    stdout.print(f"\nlinerate tune: {refusal or f'may change {named.name}'}{seen}")
    if changed := changed_of(named):
        stdout.print(f"changed, see linerate reset: {', '.join(changed)}")
