"""Which form of the physical model the training runs support: the simplest that predicts best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linerate.errors import bad_input
from linerate.models.capacity_fit import fit_paths, service_limited
from linerate.models.cells import Pair
from linerate.models.folds import shuffled_folds
from linerate.models.paths import PathForm, path_limits
from linerate.models.scaling import LAWS
from linerate.models.training import Training

SOCKET_DATAPATHS = ("af_xdp",)
"""Datapaths that hand frames to one user thread through a socket."""
FOLDS = 3
"""Folds of the inner cross-validation."""
TIE = 0.02
"""A form must predict this much better than a simpler one to be taken."""
Chosen = tuple[dict[Pair, PathForm], bool, tuple[str, ...]]


def choose_forms(training: Training) -> Chosen:
    """Choose a form per pair, then whether pairs share the cost of an access.

    Returns
    -------
    Form of each pair, whether the cost of an access is shared, and notes on what the runs
    cannot tell.
    """
    medians = training.medians()
    forms: dict[Pair, PathForm] = {}
    notes: list[str] = []
    for code in np.unique(medians.cells.pair):
        pair = medians.cells.pairs[code]
        rows = medians.take(medians.cells.pair == code)
        candidates, said = _candidates(rows, pair)
        notes += said
        forms[pair] = _best(rows, pair, candidates)
    shared = _better_shared(medians, forms)
    return forms, shared, tuple(notes)


def _candidates(medians: Training, pair: Pair) -> tuple[list[PathForm], list[str]]:
    """Forms that this many distinct cells can tell apart, simplest first."""
    cells = medians.cells
    single = pair.datapath in SOCKET_DATAPATHS
    below = service_limited(medians, single)
    notes = []
    if not below.any():
        notes.append(f"{pair}: every run is at its ceiling, the service time is only bounded")
    by_access = np.unique(cells.memory_accesses).size > 1
    if not by_access:
        notes.append(f"{pair}: one access count only, the cost of an access is not identifiable")
    queue_counts = np.unique(cells.queues).size
    if queue_counts < 2:
        notes.append(f"{pair}: one queue count only, scaling is not identifiable: held at linear")
    plain = PathForm(by_access=by_access, single_socket=single)
    if below.any() and len(medians) < len(plain.parameters) + 1:
        raise bad_input(
            "cells", len(medians), why=f"too few of {pair} for {len(plain.parameters)} constants",
            allowed=f"at least {len(plain.parameters) + 1} distinct cells",
            do="measure more access counts, queues or frame sizes",
        )  # fmt: skip
    laws = LAWS[: {1: 1, 2: 2}.get(queue_counts, len(LAWS))]
    forms = [replace(plain, law=law) for law in laws]
    enough = int(below.sum())
    # A socket has a kernel and a user stage; only with few cells one stage must do for both.
    if single and by_access and enough >= 2 * len(PathForm(stages=2).parameters):
        forms = [replace(form, stages=2) for form in forms]
    return [forms[0], *(form for form in forms[1:] if 2 * len(form.parameters) <= enough)], notes


def _best(medians: Training, pair: Pair, candidates: list[PathForm]) -> PathForm:
    chosen = _simplest(medians, pair, candidates)
    sizes = np.unique(medians.cells.frame_bytes).size
    by_byte = replace(chosen, by_byte=True)
    enough = 2 * len(by_byte.parameters) <= len(medians)
    if sizes < 2 or not enough or not chosen.by_access:
        return chosen
    return _simplest(medians, pair, [chosen, by_byte])


def _simplest(medians: Training, pair: Pair, candidates: list[PathForm]) -> PathForm:
    """Simplest candidate whose held-out error ties with the least."""
    if len(candidates) == 1 or np.unique(medians.group).size < 2 * FOLDS:
        return candidates[0]
    errors = [held_out_error(medians, {pair: form}, shared=False) for form in candidates]
    tied = [
        form for form, error in zip(candidates, errors, strict=True)
        if error <= (1.0 + TIE) * min(errors)
    ]  # fmt: skip
    return min(tied, key=lambda form: len(form.parameters))


def _better_shared(medians: Training, forms: dict[Pair, PathForm]) -> bool:
    programs = [pair.program for pair, form in forms.items() if form.by_access]
    if len(set(programs)) == len(programs) or np.unique(medians.group).size < 2 * FOLDS:
        return False
    apart = held_out_error(medians, forms, shared=False)
    return held_out_error(medians, forms, shared=True) <= (1.0 + TIE) * apart


def held_out_error(medians: Training, forms: dict[Pair, PathForm], *, shared: bool) -> float:
    """Mean absolute log error over held-out groups; inf where a fold cannot be fitted."""
    # A fixed seed: every form is compared on the same folds, and a fit repeats exactly.
    folds = shuffled_folds(medians.group, FOLDS, np.random.default_rng(0))
    errors = []
    for fold in np.unique(folds):
        seen, held = medians.take(folds != fold), medians.take(folds == fold)
        known = np.unique(seen.cells.pair)
        held = held.take(np.isin(held.cells.pair, known))
        there = {seen.cells.pairs[code]: forms[seen.cells.pairs[code]] for code in known}
        paths = fit_paths(seen, there, shared_access=shared)
        predicted = path_limits(paths, held.cells).predicted_mpps
        errors.append(np.abs(np.log(predicted / held.forwarded_mpps)))
    return float(np.concatenate(errors).mean())
