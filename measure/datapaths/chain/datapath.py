"""Chains of service functions with NSH."""

from __future__ import annotations

from linerate.measure.datapaths.chain.bench import PROGRAMS, check_chain_cell, open_chain_bench
from linerate.measure.datapaths.chain.rules import chains_have_room
from linerate.measure.datapaths.chain.settings import ChainSettings
from linerate.measure.datapaths.datapath import Datapath, of_cell

DATAPATHS = (
    Datapath(
        name="chain",
        programs=PROGRAMS,
        sources=lambda _: ("bpf/nsh", "measure/datapaths/chain/native"),
        settings=ChainSettings,
        rules=(chains_have_room,),
        labs={"veth": of_cell(check_chain_cell, open_chain_bench)},
        needs=("xdp_native", "tc", "bridge", "ping"),
        cost="program",
        place=40,
    ),
)
