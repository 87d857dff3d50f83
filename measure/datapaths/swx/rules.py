"""What a campaign may not ask of pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linerate.errors import bad_input
from linerate.measure.datapaths.own import check_own_path, is_own
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.own import TABLE_SUFFIX

if TYPE_CHECKING:
    from linerate.measure.campaign.block import FactorBlock


def pipelines_have_their_mode(block: FactorBlock) -> None:
    """Refuse a pipeline's port that goes with the other mode."""
    for port in {each.port: None for each in _settings(block)}:
        mode = "serial" if port == "net_null" else "split"
        if block.mode != mode:
            raise bad_input(
                "mode", block.mode, why=f"port {port} has "
                + ("no generator" if mode == "serial" else "packets from beyond its own core"),
                allowed=mode, do="correct it, or give the port a block of its own",
            )  # fmt: skip


def pipelines_can_be_written(block: FactorBlock) -> None:
    """Refuse numbers of registers or entries that no generated pipeline has."""
    for each in _settings(block):
        SwxProgram(registers=each.registers, table_entries=each.table_entries)


def cards_are_named(block: FactorBlock) -> None:
    """Refuse a network card without an address, or an address without a card."""
    for each in _settings(block):
        if bool(each.device) != (each.port == "pci"):
            raise bad_input(
                "device", repr(each.device), why=f"port {each.port} "
                + ("has no card" if each.device else "needs the PCI address of a card"),
                allowed='device = ["0000:3b:00.0"] or the like with port = ["pci"] alone',
                do="correct one of the two, or give the port a block of its own",
            )  # fmt: skip


def own_pipelines_stand_alone(block: FactorBlock) -> None:
    """Refuse tables elsewhere, and what only generated pipelines can be asked for beside them."""
    own = [name for name in block.program if is_own(name)]
    tables = _settings(block)[0].tables
    for name, file in tables:
        check_own_path(f"tables.{name}", file, (TABLE_SUFFIX,), "a table")
    if (own or tables) and (len(own) < len(block.program) or any(block.operations)):
        raise bad_input(
            "program", ", ".join(block.program), why="tables are of pipelines of one's own, which "
            "execute what their files say", allowed="only such files, without operations",
            do="give the others a [[cells]] block of their own",
        )  # fmt: skip


def _settings(block: FactorBlock) -> list[PipelineSettings]:
    return [each for each in block.settings("swx") if isinstance(each, PipelineSettings)]


RULES = (
    pipelines_have_their_mode,
    pipelines_can_be_written,
    cards_are_named,
    own_pipelines_stand_alone,
)
"""In the order in which they are applied."""
