from .chains.stages import (
    direct_sojourn_ns,
    finite_tandem,
    own_cores_mpps,
    passed_mpps,
    star_sojourn_ns,
    tandem_sojourn_ns,
    wasted_ratio,
)
from .chains.times import star_ccdf, tandem_ccdf
from .polling.cyclic import polling_wait_ns
from .polling.pair import polled_pair
from .polling.polled import Polled, polled
from .polling.ring import Ring
from .polling.several import polled_rings
from .shares import (
    busiest_share,
    hashed_shares,
    hashed_sojourn_ns,
    lossless_mpps,
    shared_mpps,
)
from .textbook.full_ring import overload_latency_us
from .textbook.gg1 import Waits, gg1_waits
from .textbook.ggm import (
    departure_scv,
    ggm_wait_ns,
    ggm_wait_quantile_ns,
    ggm_waits,
    kingman_wait_ns,
    least_wait_ns,
    qna_wait_ns,
)
from .textbook.gimm import gimm_waiting
from .textbook.markov import (
    mm1_sojourn_ns,
    mm1k_loss_ratio,
    mm1k_sojourn_ns,
)
from .textbook.md1 import md1_wait_ccdf, md1k_wait_ccdf
from .textbook.mg1 import md1_wait_ns, mg1_burst_wait_ns, mg1_wait_ns
from .textbook.mg1k import Queue, mg1k
from .textbook.mg1k_waits import mg1k_wait_ccdf
from .textbook.mmc import (
    erlang_b,
    erlang_c,
    mmc_wait_ccdf,
    mmc_wait_ns,
    mmc_wait_quantile_ns,
)
from .textbook.paced import (
    gim1_wait_ccdf,
    gim1_wait_ns,
    paced_streams_ccdf,
)
from .textbook.quantiles import quantile_ns
from .textbook.transforms import (
    burst_transform,
    mg1_transform,
    setup_transform,
    vacation_transform,
    wait_ccdf,
)
from .textbook.vacations import setup_wait_ns, vacation_wait_ns

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
