"""``linerate doctor``: what this machine can measure, and how to get the rest."""

from __future__ import annotations

from typing import Annotated

import typer

from linerate.cli.output import JsonFlag, print_json, stderr
from linerate.errors import CannotHereError

EXAMPLES = """
Examples:
  linerate doctor
  sudo .venv/bin/linerate doctor --check
  linerate doctor --json
"""
CheckFlag = Annotated[
    bool, typer.Option("--check", help="Exit with 4 if the veth lab cannot run here.")
]


def doctor(as_json: JsonFlag = False, check: CheckFlag = False) -> None:
    """Say what this machine can measure, why it matters, and how to get what is missing.

    Hooks are tried for real, as root, in a network namespace that ends with the attempt; no
    interface, setting or file of the machine is touched.
    """
    # Slow to load: not for --help.
    from linerate.cli.lab.findings import draw, report
    from linerate.measure.system import labs, survey

    findings = survey()
    if as_json:
        print_json(report(findings))
    else:
        draw(findings)
    obstacles = next(lab.obstacles for lab in labs(findings) if lab.name == "veth")
    if check and obstacles:
        raise CannotHereError(
            f"veth lab: {', '.join(obstacles)} stand in the way; `linerate doctor` says how to "
            "get them"
        )
    if not (as_json or check):
        # Without the veth lab the demo runs on the reference campaign, and says so.
        stderr.print("next: linerate demo measures, fits, predicts, checks and reports")
