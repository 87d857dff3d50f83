r"""Functions that do something themselves: who takes turns on the core that all stages share.

Functions behind sockets are processes: they and the source, which always has more to send, take
turns of the same length, and a packet that a later function has no room for was work for nothing.

.. math:: t = M_n \sum_{i=0}^{n} \frac{c_i}{M_i}, \qquad M_i = \max_{j \le i} c_j, \qquad
          c_0 = c, \quad c_i = c + w_i, \quad c = \frac{t_0}{n + 1}

with :math:`t_0` the time of a packet through functions that do nothing, and :math:`w_i` what each
does itself: what `linerate.models.queueing.chains.passed_mpps` says of a flood. Functions that all
do the same take :math:`(n + 1) / n` of what they take themselves.

By a hub packets go on in the hub's thread, in tc through all functions, and the source has as many
turns as the hub, so that what functions do counts twice: :math:`t = t_0 + 2 \sum w_i`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linerate.models.queueing.chains.stages import passed_mpps

FLOOD_MPPS = 1e6
"""More than any chain can carry."""


def behind_sockets_ns(idle_ns: float, works_ns: Sequence[float]) -> float:
    """Time of a packet through functions behind sockets that send to each other, in overload, ns.

    Parameters
    ----------
    idle_ns
        Time of a packet through as many that do nothing, ns.
    works_ns
        What each does itself with a packet, ns, in the order of a packet.

    References
    ----------
    Turns of the same length are what the kernel's scheduler gives to threads that all want the
    core: Stoica and Abdel-Wahab, Earliest eligible virtual deadline first, Old Dominion University
    TR-95-22 (1995).

    Examples
    --------
    >>> [round(behind_sockets_ns(3000.0, works)) for works in ([500.0, 0.0], [0.0, 500.0])]
    [4000, 4500]
    """
    if not any(works_ns) or idle_ns <= 0.0:
        return idle_ns + sum(works_ns)
    turn_ns = idle_ns / (len(works_ns) + 1)
    services = turn_ns + np.array([0.0, *works_ns])
    return 1e3 / float(passed_mpps(FLOOD_MPPS, services, 1.0 / services)[-1])


def by_hub_ns(idle_ns: float, works_ns: Sequence[float]) -> float:
    """Time of a packet through functions that a hub sends to, in overload, ns.

    Parameters as of `behind_sockets_ns`.

    Examples
    --------
    >>> by_hub_ns(10000.0, [500.0, 0.0])
    11000.0
    """
    return idle_ns + 2.0 * sum(works_ns)
