"""Waiting: pure functions of offered load, service time and buffer, and a simulator.

Each name is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linerate.models.queueing.chains.stages import (
        direct_sojourn_ns,
        finite_tandem,
        own_cores_mpps,
        passed_mpps,
        star_sojourn_ns,
        tandem_sojourn_ns,
        wasted_ratio,
    )
    from linerate.models.queueing.chains.times import star_ccdf, tandem_ccdf
    from linerate.models.queueing.polling.cyclic import polling_wait_ns
    from linerate.models.queueing.polling.pair import polled_pair
    from linerate.models.queueing.polling.polled import Polled, polled
    from linerate.models.queueing.polling.ring import Ring
    from linerate.models.queueing.polling.several import polled_rings
    from linerate.models.queueing.shares import (
        busiest_share,
        hashed_shares,
        hashed_sojourn_ns,
        lossless_mpps,
        shared_mpps,
    )
    from linerate.models.queueing.textbook.full_ring import overload_latency_us
    from linerate.models.queueing.textbook.gg1 import Waits, gg1_waits
    from linerate.models.queueing.textbook.ggm import (
        departure_scv,
        ggm_wait_ns,
        ggm_wait_quantile_ns,
        ggm_waits,
        kingman_wait_ns,
        least_wait_ns,
        qna_wait_ns,
    )
    from linerate.models.queueing.textbook.gimm import gimm_waiting
    from linerate.models.queueing.textbook.markov import (
        mm1_sojourn_ns,
        mm1k_loss_ratio,
        mm1k_sojourn_ns,
    )
    from linerate.models.queueing.textbook.md1 import md1_wait_ccdf, md1k_wait_ccdf
    from linerate.models.queueing.textbook.mg1 import md1_wait_ns, mg1_burst_wait_ns, mg1_wait_ns
    from linerate.models.queueing.textbook.mg1k import Queue, mg1k
    from linerate.models.queueing.textbook.mg1k_waits import mg1k_wait_ccdf
    from linerate.models.queueing.textbook.mmc import (
        erlang_b,
        erlang_c,
        mmc_wait_ccdf,
        mmc_wait_ns,
        mmc_wait_quantile_ns,
    )
    from linerate.models.queueing.textbook.paced import (
        gim1_wait_ccdf,
        gim1_wait_ns,
        paced_streams_ccdf,
    )
    from linerate.models.queueing.textbook.quantiles import quantile_ns
    from linerate.models.queueing.textbook.transforms import (
        burst_transform,
        mg1_transform,
        setup_transform,
        vacation_transform,
        wait_ccdf,
    )
    from linerate.models.queueing.textbook.vacations import setup_wait_ns, vacation_wait_ns

__all__ = [
    "Polled",
    "Queue",
    "Ring",
    "Waits",
    "burst_transform",
    "busiest_share",
    "departure_scv",
    "direct_sojourn_ns",
    "erlang_b",
    "erlang_c",
    "finite_tandem",
    "gg1_waits",
    "ggm_wait_ns",
    "ggm_wait_quantile_ns",
    "ggm_waits",
    "gim1_wait_ccdf",
    "gim1_wait_ns",
    "gimm_waiting",
    "hashed_shares",
    "hashed_sojourn_ns",
    "kingman_wait_ns",
    "least_wait_ns",
    "lossless_mpps",
    "md1_wait_ccdf",
    "md1_wait_ns",
    "md1k_wait_ccdf",
    "mg1_burst_wait_ns",
    "mg1_transform",
    "mg1_wait_ns",
    "mg1k",
    "mg1k_wait_ccdf",
    "mm1_sojourn_ns",
    "mm1k_loss_ratio",
    "mm1k_sojourn_ns",
    "mmc_wait_ccdf",
    "mmc_wait_ns",
    "mmc_wait_quantile_ns",
    "overload_latency_us",
    "own_cores_mpps",
    "paced_streams_ccdf",
    "passed_mpps",
    "polled",
    "polled_pair",
    "polled_rings",
    "polling_wait_ns",
    "qna_wait_ns",
    "quantile_ns",
    "setup_transform",
    "setup_wait_ns",
    "shared_mpps",
    "star_ccdf",
    "star_sojourn_ns",
    "tandem_ccdf",
    "tandem_sojourn_ns",
    "vacation_transform",
    "vacation_wait_ns",
    "wait_ccdf",
    "wasted_ratio",
]

_MODULES = {
    "direct_sojourn_ns": "chains.stages",
    "finite_tandem": "chains.stages",
    "own_cores_mpps": "chains.stages",
    "passed_mpps": "chains.stages",
    "star_sojourn_ns": "chains.stages",
    "tandem_sojourn_ns": "chains.stages",
    "wasted_ratio": "chains.stages",
    "star_ccdf": "chains.times",
    "tandem_ccdf": "chains.times",
    "polling_wait_ns": "polling.cyclic",
    "polled_pair": "polling.pair",
    "Polled": "polling.polled",
    "polled": "polling.polled",
    "Ring": "polling.ring",
    "polled_rings": "polling.several",
    "busiest_share": "shares",
    "hashed_shares": "shares",
    "hashed_sojourn_ns": "shares",
    "lossless_mpps": "shares",
    "shared_mpps": "shares",
    "overload_latency_us": "textbook.full_ring",
    "Waits": "textbook.gg1",
    "gg1_waits": "textbook.gg1",
    "departure_scv": "textbook.ggm",
    "ggm_wait_ns": "textbook.ggm",
    "ggm_wait_quantile_ns": "textbook.ggm",
    "ggm_waits": "textbook.ggm",
    "kingman_wait_ns": "textbook.ggm",
    "least_wait_ns": "textbook.ggm",
    "qna_wait_ns": "textbook.ggm",
    "gimm_waiting": "textbook.gimm",
    "mm1_sojourn_ns": "textbook.markov",
    "mm1k_loss_ratio": "textbook.markov",
    "mm1k_sojourn_ns": "textbook.markov",
    "md1_wait_ccdf": "textbook.md1",
    "md1k_wait_ccdf": "textbook.md1",
    "md1_wait_ns": "textbook.mg1",
    "mg1_burst_wait_ns": "textbook.mg1",
    "mg1_wait_ns": "textbook.mg1",
    "Queue": "textbook.mg1k",
    "mg1k": "textbook.mg1k",
    "mg1k_wait_ccdf": "textbook.mg1k_waits",
    "erlang_b": "textbook.mmc",
    "erlang_c": "textbook.mmc",
    "mmc_wait_ccdf": "textbook.mmc",
    "mmc_wait_ns": "textbook.mmc",
    "mmc_wait_quantile_ns": "textbook.mmc",
    "gim1_wait_ccdf": "textbook.paced",
    "gim1_wait_ns": "textbook.paced",
    "paced_streams_ccdf": "textbook.paced",
    "quantile_ns": "textbook.quantiles",
    "burst_transform": "textbook.transforms",
    "mg1_transform": "textbook.transforms",
    "setup_transform": "textbook.transforms",
    "vacation_transform": "textbook.transforms",
    "wait_ccdf": "textbook.transforms",
    "setup_wait_ns": "textbook.vacations",
    "vacation_wait_ns": "textbook.vacations",
}
"""Where each name is, below this package."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
