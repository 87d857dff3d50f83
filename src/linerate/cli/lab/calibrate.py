"""``linerate calibrate``: what this machine's hooks cost, so that own programs can be predicted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, progress_shown, stdout

EXAMPLES = """
Examples:
  sudo linerate calibrate --out box.toml
  sudo linerate calibrate --out box.toml --json
"""


def calibrate(
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="BOX.toml", help="Box file to write.")
    ],
    as_json: JsonFlag = False,
) -> None:
    """Measure what XDP and tc cost by themselves on this machine, in some three minutes."""
    # Slow to load: not for --help.
    from dataclasses import asdict, replace

    from linerate.box import write_box
    from linerate.files.outputs import check_outputs
    from linerate.measure.objects.calibrating.calibration import calibrate as measure_costs
    from linerate.measure.system.describe import this_box
    from linerate.progress import telling

    check_outputs({"--out": out})
    with telling(shown=progress_shown()) as tell:
        costs = measure_costs(tell)
    box = replace(this_box("veth"), costs=costs)
    write_box(box, out)
    if as_json:
        print_json(asdict(box))
        return
    for name, cost in costs.items():
        stdout.print(f"{name:31} {cost.value_ns:7.1f} ns  [{cost.lower_ns:.1f} to "
                     f"{cost.upper_ns:.1f}]")  # fmt: skip
