"""AF_XDP sockets, and a forwarder in user space."""

from __future__ import annotations

from collections.abc import Mapping

from linerate.cells import Cell
from linerate.measure.datapaths.af_xdp.forwarder import (
    BUSY_POLL_KNOBS,
    check_af_xdp,
    check_sockets,
    open_af_xdp_bench,
)
from linerate.measure.datapaths.af_xdp.nic import put_sockets
from linerate.measure.datapaths.af_xdp.own.bench import OWN_FUNCTIONS, described
from linerate.measure.datapaths.af_xdp.own.settings import (
    OWN_SUFFIXES,
    FunctionSettings,
    functions_get_plain_frames,
)
from linerate.measure.datapaths.af_xdp.settings import SocketSettings, settings_of
from linerate.measure.datapaths.datapath import Datapath, of_cell, or_own
from linerate.measure.datapaths.nic.bench import on_interface


def _knobs(cell: Cell) -> Mapping[str, str]:
    return BUSY_POLL_KNOBS if settings_of(cell).busy_poll else {}


DATAPATHS = (
    Datapath(
        name="af_xdp",
        label="AF_XDP",
        programs=("xsk_memcpy",),
        sources=lambda _: (
            "bpf/xsk_redirect.bpf.c",
            "measure/datapaths/af_xdp/native",
            "measure/functions/native/loading.c",
        ),
        own=OWN_SUFFIXES,
        settings=SocketSettings,
        own_settings=FunctionSettings,
        own_cost="program",
        rules=(functions_get_plain_frames,),
        described=described,
        labs={
            "veth": or_own(of_cell(check_af_xdp, open_af_xdp_bench), OWN_FUNCTIONS),
            "nic": on_interface(lambda cell, _: check_sockets(cell), put_sockets, _knobs),
        },
        needs=("af_xdp",),
        cost="accesses",
        place=20,
    ),
)
