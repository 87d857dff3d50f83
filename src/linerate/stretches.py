"""The rate in those stretches of a trial in which nobody else disturbed it.

On a shared host others come and go within milliseconds. A generator that times packets by stretches
of 50 us has thousands of them in a trial; those that nobody disturbed take the same time to a few
thousandths, and all others take longer. Where at least a tenth of a trial was undisturbed, its rate
is that of these stretches, as far as others can have slowed the rest: stretches of some machines
differ by a tenth without anybody else, and that is theirs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from linerate.line_rate import sustains
from linerate.records import Trial

ALIKE_RATIO = 1.0125
"""What undisturbed stretches differ by at most, between the 4th and the 11th of a hundred: mostly
1.000 to 1.008 where the core was alone, 1.02 and more beside others
(docs/method/shared-cores.md)."""
DISTURBED_RATIO = 1.08
"""Times the least from which on a stretch was disturbed; a timer's interrupt takes less."""
MOST_SHARED = "sharing_most_shared_ratio"
"""Count of the probe: share of looks that saw others, at the core that others used most."""
LOW, TENTH = 1, 4
"""Places among forty quantiles: the very least may be a clock that was read late."""
ALONE_SHARE_MIN = 0.1
"""Of looks at each core that have to see it alone: others who never leave it disturb all stretches
alike."""
STEEPEST = 1.4
"""By how much the logarithm of a rate can fall while others use a core: to a quarter, which no two
threads of a core have shown."""
NEVER_ALONE_RATIO = math.exp(STEEPEST * (1.0 - ALONE_SHARE_MIN))
"""By what others can have slowed a trial from which on they may never have left the core: then all
stretches are disturbed alike."""
ALONE_RATIO = 1.01
"""A rate that others can have lowered by less is taken as it was counted."""


def undisturbed_ns(quantiles_ns: Sequence[float]) -> float:
    """Take the mean time of a packet over undisturbed stretches.

    Parameters
    ----------
    quantiles_ns
        Forty quantiles of the time of a packet over stretches, the middle of each fortieth.

    Returns
    -------
    ns; nan where less than a tenth of stretches agree, or there were too few.

    >>> alone, beside = [200.0] * 10, [250.0 + 2.0 * place for place in range(30)]
    >>> undisturbed_ns(alone + beside), undisturbed_ns(beside + beside[20:]), undisturbed_ns([])
    (200.0, nan, nan)
    """
    if len(quantiles_ns) <= TENTH or quantiles_ns[TENTH] > ALIKE_RATIO * quantiles_ns[LOW]:
        return math.nan
    own = [ns for ns in quantiles_ns if ns <= DISTURBED_RATIO * quantiles_ns[LOW]]
    return sum(own) / len(own)


def unshared_mpps(trial: Trial, offered_mpps: float) -> float:
    """Give the rate that a trial would have had with the device's cores to itself.

    Parameters
    ----------
    trial
        One beside which the cores were looked at; of one that nobody else can have slowed the rate
        is as it is.
    offered_mpps
        What was offered: of what carried all of it the rate is as it is, too.

    Returns
    -------
    nan where nobody looked, no stretches were timed, or others did not leave all cores.
    """
    if not trial.probes.get("sharing_looks"):
        return math.nan
    most_mpps = _most_mpps(trial)
    alone = most_mpps < ALONE_RATIO * trial.forwarded_mpps
    if alone or sustains(trial.forwarded_mpps, offered_mpps):
        return trial.forwarded_mpps
    if not trial.stretches_ns or trial.probes[MOST_SHARED] > 1.0 - ALONE_SHARE_MIN:
        return math.nan
    sent_mpps = sum(1e3 / undisturbed_ns(quantiles) for quantiles in trial.stretches_ns)
    undisturbed_mpps = sent_mpps * trial.forwarded_packets / max(trial.sent_packets, 1)
    known = math.isfinite(undisturbed_mpps)
    return min(undisturbed_mpps, most_mpps, offered_mpps) if known else math.nan


def _most_mpps(trial: Trial) -> float:
    """Say what a trial can have carried at most, had nobody taken a core or slowed it."""
    shared = trial.probes["sharing_shared_looks"] / trial.probes["sharing_looks"]
    ran = 1.0 - trial.contended_ratio - trial.steal_ratio
    return trial.forwarded_mpps * math.exp(STEEPEST * shared) / ran if ran > 0.0 else math.inf
