"""Where a fit of the physical model begins: near the runs, or where other boxes are."""

from __future__ import annotations

import numpy as np

from linerate.line_rate import sustains
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.paths import PathCost
from linerate.models.capacity.scaling import COEFFICIENTS
from linerate.models.capacity.transfer import Prior
from linerate.models.runs.cells import Mask, Pair
from linerate.models.runs.limits import ceilings
from linerate.models.runs.training import Training


def service_limited(training: Training, single_socket: bool, nic_mpps: float = np.inf) -> Mask:
    """Find the runs below every ceiling, which tell of the service time, shape (n,)."""
    socket = np.full(len(training), single_socket)
    ceiling_mpps, _ = ceilings(training.cells, socket=socket, nic_mpps=nic_mpps)
    return ~sustains(training.forwarded_mpps, ceiling_mpps)


def start_of(training: Training, pair: Pair, form: PathForm, nic_mpps: float) -> PathCost:
    """First guess: base from the fewest accesses seen, access from the most."""
    servers = 1.0 if form.single_socket else training.cells.queues
    per_packet_ns = servers * 1e3 / training.forwarded_mpps
    below = service_limited(training, form.single_socket, nic_mpps)
    if not below.any():
        return PathCost(pair=pair, form=PathForm(single_socket=form.single_socket),
                        base_ns=float(per_packet_ns.min()), bounded=True)  # fmt: skip
    accesses = training.cells.memory_accesses[below]
    least_ns = float(np.median(per_packet_ns[below][accesses == accesses.min()]))
    most_ns = float(np.median(per_packet_ns[below][accesses == accesses.max()]))
    span = max(float(np.ptp(accesses)), 1.0)
    access_ns = max((most_ns - least_ns) / span, 1e-3 * least_ns / span)
    base_ns = max(least_ns - access_ns * float(accesses.min()), 0.05 * least_ns)
    base_ns = least_ns if form.stages == 2 else base_ns
    return PathCost(
        pair=pair, form=form, base_ns=base_ns, access_ns=access_ns if form.by_access else 0.0,
        # Below the kernel stage at first, so that both stages pull at the fit from its start.
        user_ns=0.75 * least_ns if form.stages == 2 else 0.0,
        coefficients=(0.0,) * len(COEFFICIENTS[form.law]),
        user_coefficients=(0.0,) * len(COEFFICIENTS[form.user_law]),
    )  # fmt: skip


def borrowed_start(prior: Prior | None, pair: Pair, form: PathForm) -> PathCost | None:
    """Begin where other boxes are, with what the form has of their constants."""
    path = prior.path(pair) if prior is not None else None
    if path is None or ("access_ns" in form.parameters and path.access_ns <= 0.0):
        return None
    plain = PathCost(
        pair=pair, form=form, base_ns=path.base_ns, access_ns=path.access_ns,
        user_ns=path.user_ns or 0.75 * path.base_ns,
        coefficients=(0.0,) * len(COEFFICIENTS[form.law]),
        user_coefficients=(0.0,) * len(COEFFICIENTS[form.user_law]),
    )  # fmt: skip
    there = path.values()
    return plain.with_values({name: there[name] for name in form.parameters if name in there})
