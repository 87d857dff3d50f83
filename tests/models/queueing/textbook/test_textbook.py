"""Closed forms at values that can be worked out by hand, to 1e-9."""

from math import exp, sqrt

import numpy as np
import pytest

from linerate.models import queueing as q

SERVICE_NS = 100.0
TEXTBOOK = {
    # Kleinrock, vol. 1 (1975): eq. 3.26 at rho = 0.8, eq. 3.43 at K = 3 and, in the limit, rho = 1
    "M/M/1": (lambda: q.mm1_sojourn_ns(8.0, SERVICE_NS), 500.0),
    "M/M/1/3 loss": (lambda: q.mm1k_loss_ratio(5.0, SERVICE_NS, 3), 1 / 15),
    "M/M/1/4 loss at saturation": (lambda: q.mm1k_loss_ratio(10.0, SERVICE_NS, 4), 1 / 5),
    "M/M/1/2 sojourn at saturation": (lambda: q.mm1k_sojourn_ns(10.0, SERVICE_NS, 2), 150.0),
    # Gross and Harris (1998), sec. 2.3 and 2.6: three erlangs on five servers, summed term by term
    "Erlang B": (lambda: q.erlang_b(3.0, 5), 2.025 / 18.4),
    "Erlang C": (lambda: q.erlang_c(3.0, 5), 5.0625 / 21.4375),
    "M/M/5 wait": (lambda: q.mmc_wait_ns(30.0, SERVICE_NS, 5), 50.0 * 5.0625 / 21.4375),
    # Kleinrock (1975), eq. 5.74: constant, Erlang-2 and exponential service
    "M/D/1": (lambda: q.md1_wait_ns(5.0, SERVICE_NS), 50.0),
    "M/E2/1": (lambda: q.mg1_wait_ns(7.5, SERVICE_NS, 0.5), 225.0),
    "M/M/1 wait": (lambda: q.mg1_wait_ns(8.0, SERVICE_NS, 1.0), 400.0),
    # Gross and Harris (1998), sec. 5.1.9: L = rho (b + 1) / (2 (1 - rho)), less one service
    "M[2]/M/1": (lambda: q.mg1_burst_wait_ns(5.0, SERVICE_NS, 1.0, 2), 200.0),
    # Gross and Harris (1998), sec. 5.1.8: K = 2, what a constant service leaves behind
    "M/D/1/2 loss at saturation": (
        lambda: q.mg1k(load_mpps=10.0, service_time_ns=SERVICE_NS, service_scv=0.0,
                       places=2).loss_ratio, 1 - 1 / (1 + exp(-1))),
    # Kleinrock (1975), eq. 6.15: Erlang-2 gaps at half load, sigma (2 - sigma)^2 = 1
    "E2/M/1": (lambda: q.gim1_wait_ns(5.0, SERVICE_NS, 0.5),
               SERVICE_NS * (3 - sqrt(5)) / (sqrt(5) - 1)),
    # Crommelin (1932), first term; all of M/D/1/2 within one service
    "M/D/1 longer than half a service": (
        lambda: q.md1_wait_ccdf(5.0, SERVICE_NS, 50.0), 1 - 0.5 * exp(0.25)),
    # Kingman (1962) and Daley (1977): paced gaps before exponential service
    "GI/G/1 bound": (lambda: q.kingman_wait_ns(5.0, SERVICE_NS, (0.0, 1.0)), 50.0),
    "departures of M/D/1": (lambda: q.departure_scv(0.5, 1, (1.0, 0.0)), 0.75),
    # Takagi, vol. 1 (1991), sec. 2.3; Fuhrmann and Cooper (1985)
    "set-up": (lambda: q.setup_wait_ns(1.0, 1000.0), 750.0),
    "exponential vacation": (lambda: q.vacation_wait_ns(SERVICE_NS, 1.0), SERVICE_NS),
    # Takagi (1986), ch. 5: gated polling of four rings
    "polling": (lambda: q.polling_wait_ns(load_mpps=5.0, service_time_ns=SERVICE_NS,
                                          service_scv=0.0, rings=4, visit_ns=50.0), 325.0),
    # Jackson (1963): visits add up
    "star": (lambda: q.star_sojourn_ns(5.0, SERVICE_NS, 3, 25.0), 600.0 + 4 * 50.0),
    "direct": (lambda: q.direct_sojourn_ns(5.0, SERVICE_NS, 3), 600.0),
    # Friedman (1965): three stages, of which the slowest waits as M/D/1
    "constant tandem": (
        lambda: q.tandem_sojourn_ns(5.0, [50.0, 100.0, 80.0], 1.0, 0.0).sum(), 230.0 + 50.0),
    # Both streams of a period of four services within the last one
    "2*D/D/1": (lambda: q.paced_streams_ccdf(2, 4.0, 1.0), 1 / 16),
    # Three flows on two queues: 3 with chance 1/4, else 2
    "busiest queue": (lambda: q.busiest_share(3, 2), 0.75),
    # Little (1961)
    "full ring": (lambda: q.overload_latency_us(512, 2, 4.0, 1.0), 257.0),
}  # fmt: skip


@pytest.mark.parametrize("case", TEXTBOOK)
def test_the_value_of_the_textbook_comes_out(case):
    formula, value = TEXTBOOK[case]
    assert float(np.asarray(formula())) == pytest.approx(value, rel=1e-9)
