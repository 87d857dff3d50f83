"""``linerate calibrate``: what this machine's hooks cost, so that own programs can be predicted."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, progress_shown, stdout

EXAMPLES = """
Examples:
  sudo linerate calibrate --out box.toml
  sudo linerate calibrate --out box.toml --json
  sudo linerate calibrate --for nftables --for swx --out box.toml
"""


class Kind(StrEnum):
    """What is calibrated: programs' hooks, rulesets and chains of some kinds, pipelines."""

    HOOKS = "hooks"
    NFTABLES = "nftables"
    IPTABLES = "iptables"
    SWX = "swx"
    CHAIN_TC = "chain-tc"
    CHAIN_RAW_SOCKET = "chain-raw-socket"
    CHAIN_AF_XDP = "chain-af-xdp"


def calibrate(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="BOX.toml", help="Box file to write.")
    ],
    kinds: Annotated[
        list[Kind] | None,
        typer.Option(
            "--for",
            help="Of what the costs: hooks of programs (if left out), rulesets (nftables, "
            "iptables), pipelines (swx) or chains (by what their functions run on), half a minute "
            "each; several times for several.",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure what XDP and tc cost by themselves on this machine, in some three minutes."""
    # Slow to load: not for --help.
    from dataclasses import asdict, replace

    from linerate.box import Cost, write_box
    from linerate.files.outputs import check_outputs
    from linerate.measure.objects.calibrating.calibration import calibrate as measure_costs
    from linerate.measure.objects.calibrating.works import measure_works
    from linerate.measure.system.describe import this_box
    from linerate.progress import telling

    check_outputs({"--out": out})
    costs: dict[str, Cost] = {}
    with telling(shown=progress_shown()) as tell:
        for kind in dict.fromkeys(kinds or (Kind.HOOKS,)):
            costs |= measure_costs(tell) if kind == Kind.HOOKS else measure_works(kind, tell)
    box = replace(this_box("veth"), costs=costs)
    write_box(box, out)
    if as_json:
        print_json(asdict(box))
        return
    for name, cost in costs.items():
        stdout.print(f"{name:31} {cost.value_ns:7.1f} ns  [{cost.lower_ns:.1f} to "
                     f"{cost.upper_ns:.1f}]")  # fmt: skip
