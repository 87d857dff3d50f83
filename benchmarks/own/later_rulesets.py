"""Rulesets of 3, 30 and 300 rules, drawn later: measured alone, for costs that were fixed before.

``sudo python benchmarks/own/later_rulesets.py FOLDER`` measures them, `here.py` predicts them.
"""

from __future__ import annotations

from pathlib import Path

from judged import measured
from rulesets import COSTS, write_rulesets
from texts.firewalls import own_rulesets

SIZES = (3, 30, 300)
SEED = 31


def write_campaign(folder: Path) -> None:
    """Write the rulesets, and the campaign that measures them and nothing else."""
    folder.mkdir(parents=True)
    head, _, _ = COSTS.read_text().partition("[[cells]]")
    cells = write_rulesets(folder, own_rulesets(SIZES, SEED))
    (folder / "campaign.toml").write_text(head + "".join(cells))


if __name__ == "__main__":
    measured(__doc__, write_campaign)
