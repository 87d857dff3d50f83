"""What a campaign may not ask of chains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linerate.errors import bad_input
from linerate.measure.datapaths.chain.settings import ChainSettings

if TYPE_CHECKING:
    from linerate.measure.campaign.block import FactorBlock


def chains_have_room(block: FactorBlock) -> None:
    """Refuse a chain without a length, or behind the generator on its core."""
    if ChainSettings.table not in block.given or block.mode != "split":
        raise bad_input(
            "datapath", "chain", why="its functions need cores beside the generator's, and a "
            "length", allowed='mode = "split" and chain = { length = [..] }', do="add them",
        )  # fmt: skip
