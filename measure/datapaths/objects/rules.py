"""What a campaign may not ask of the user's own objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linerate.cells import Packet
from linerate.errors import bad_input
from linerate.measure.datapaths.objects.settings import ObjectSettings
from linerate.measure.datapaths.own import is_own

if TYPE_CHECKING:
    from linerate.measure.campaign.block import FactorBlock


def objects_get_plain_frames(block: FactorBlock) -> None:
    """Refuse what only programs of ours are sent, or asked for."""
    if not any(is_own(name) for name in block.program):
        return
    is_plain = block.generator == "live_frames" and not block.pings_per_second
    if not is_plain:
        raise bad_input(
            "generator", block.generator, why="packets for own objects come from the usual "
            "generator alone", allowed="live_frames without pings", do="leave it out",
        )  # fmt: skip
    if any(block.working_set_bytes):
        raise bad_input(
            "working_set_bytes", max(block.working_set_bytes), why="an own object has the maps "
            "that its source has", allowed="0; object = { maps = [\"maps.toml\"] } fills them",
            do="leave it out",
        )  # fmt: skip
    named = block.names_frames
    if block.packet.packet() != Packet() and (named or block.mode == "serial"):
        raise bad_input(
            "packet", block.packet.packet(), why="the frames are those of a file"
            if named else "in serial mode own objects get UDP of one source",
            allowed='object = { traffic = ["frames.json"] } alone',
            do="put such packets into the file",
        )  # fmt: skip


def hooks_are_netfilters(block: FactorBlock) -> None:
    """Refuse a hook beside datapaths that have one alone."""
    hooks = [
        settings.hook
        for datapath in block.datapath
        if datapath != "netfilter"
        for settings in block.settings(datapath, block.program[0])
        if isinstance(settings, ObjectSettings) and settings.hook
    ]
    if hooks:
        raise bad_input(
            "hook", hooks[0], why="of the datapaths that take objects only netfilter has several",
            allowed="with netfilter", do="leave it out, or give netfilter a [[cells]] block of "
            "its own",
        )  # fmt: skip


RULES = (objects_get_plain_frames, hooks_are_netfilters)
"""In the order in which they are applied."""
