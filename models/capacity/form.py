"""Which form of the physical model the training runs support: the simplest that predicts best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from linerate.errors import bad_input
from linerate.messages import Note, note
from linerate.models.capacity.fit import fit_paths
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.paths import PathCost, path_limits
from linerate.models.capacity.scaling import COEFFICIENTS, LAWS
from linerate.models.capacity.start import service_limited
from linerate.models.capacity.transfer import Prior
from linerate.models.runs.cells import Array, Pair
from linerate.models.runs.training import Training
from linerate.models.validation.folds import partitions

SOCKET_DATAPATHS = ("af_xdp",)
"""Datapaths that hand frames to one user thread through a socket."""
FOLDS = 3
"""Folds of the inner cross-validation."""
TIE = 0.02
"""A form must predict this much better than a simpler one to be taken."""
Chosen = tuple[dict[Pair, PathForm], bool, tuple[str, ...]]


def choose_forms(training: Training, prior: Prior | None = None) -> Chosen:
    """Choose a form per pair, then whether pairs share the cost of an access.

    The form that other boxes have is one to choose from, and the choice of too few runs.

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
        forms[pair], found = _choose(rows, pair, prior)
        notes += found
    shared = _better_shared(medians, forms, prior)
    return forms, shared, tuple(notes)


def _choose(medians: Training, pair: Pair, prior: Prior | None) -> tuple[PathForm, list[str]]:
    """Choose the form of one pair, a question after the other."""
    borrowed = prior.form(pair) if prior is not None else None
    few = np.unique(medians.group).size < 2 * FOLDS
    if borrowed is not None and few:
        return borrowed, []
    plain, notes = _plain(medians, pair)
    if few:
        return plain[0], notes

    @cache
    def error(form: PathForm) -> float:
        return held_out_error(medians, form, prior)

    # Whose the sockets are is a matter of whole factors: no growth law makes up for it.
    single = min(plain, key=error).single_socket
    best = []
    for start in plain:
        form = start
        for refinements in _questions(start) if start.single_socket == single else ():
            asked = [form, *(new for new in refinements(form) if _enough(medians, new))]
            form = _simplest(asked, error)
        best.append(form)
    return _simplest([*best, *([borrowed] if borrowed is not None else [])], error), notes


def _plain(medians: Training, pair: Pair) -> tuple[list[PathForm], list[str]]:
    """Forms without growth that this many distinct cells can tell apart, and what they cannot."""
    cells = medians.cells
    by_access = np.unique(cells.memory_accesses).size > 1
    plain = PathForm(by_access=by_access)
    forms = [plain]
    if pair.datapath in SOCKET_DATAPATHS:
        forms = _socket_forms(medians, plain)
    single = forms[0].single_socket
    below = service_limited(medians, single)
    missing: list[Note] = []
    if not by_access:
        missing.append(note("one access count only, the cost of an access is not identifiable"))
    if np.unique(cells.queues).size < 2:
        missing.append(note("one queue count only, scaling is not identifiable: held at linear"))
        if single and np.isnan(medians.one_socket).all():
            missing.append(note("one queue count only, whether each queue has its own socket is "
                                "not identifiable: taken as one for all"))  # fmt: skip
    if below.any() and len(medians) < cells_needed(plain):
        raise bad_input(
            "cells", len(medians),
            why=note("too few of {path} for {n} constants", path=str(pair),
                     n=len(plain.parameters)),
            allowed=note("at least {n} distinct cells", n=cells_needed(plain)),
            do=note("measure more access counts, queues or frame sizes"),
        )  # fmt: skip
    return forms, [note("{path}: {what}", path=str(pair), what=what) for what in missing]


def cells_needed(plain: PathForm) -> int:
    """Distinct cells without which the constants of a form without growth are not fitted."""
    return len(plain.parameters) + 1


def _socket_forms(medians: Training, plain: PathForm) -> list[PathForm]:
    """One socket or one for each queue, where the runs do not show it; in a pipeline or in turns.

    A socket has a kernel and a user stage; only with few cells one stage must do for both.
    """
    known = np.unique(medians.one_socket[~np.isnan(medians.one_socket)])
    one = replace(plain, single_socket=True)
    forms = []
    if 1.0 in known or not known.size:
        forms.append(_pipeline(medians, one) or one)
    if 0.0 in known or (not known.size and np.unique(medians.cells.queues).size > 1):
        forms += [plain, *(form for form in [_pipeline(medians, plain)] if form)]
    return forms


def _pipeline(medians: Training, form: PathForm) -> PathForm | None:
    """Split the form in two stages, if the cells suffice to tell them apart."""
    two = replace(form, stages=2)
    below = int(service_limited(medians, form.single_socket).sum())
    return two if form.by_access and below >= 2 * len(two.parameters) else None


def _questions(form: PathForm) -> list[Callable[[PathForm], list[PathForm]]]:
    """List what is asked of a form in turn: growth, then what frames and full rings cost."""
    two = form.stages == 2
    return [
        *([lambda known: [replace(known, user_law=law) for law in LAWS[1:]]] if two else []),
        lambda known: [replace(known, law=law) for law in LAWS[1:]],
        # Both at once: the size of a frame shows in the user stage through the full ring.
        lambda known: [
            replace(known, by_byte=by_byte, crowded=crowded)
            for by_byte, crowded in ((True, False), *(((False, True), (True, True)) if two else ()))
        ],
        *([of_the_core] if two else []),
    ]


def of_the_core(known: PathForm) -> list[PathForm]:
    """Refine a pipeline by what its core does: fetch lines ahead, slow down beside idle stages."""
    ahead = [replace(known, by_byte="doubling")] if known.by_byte else []
    if known.user_law != "tapered":
        return ahead
    return [*ahead, *(replace(form, user_law="clocked") for form in (known, *ahead))]


def _enough(medians: Training, form: PathForm) -> bool:
    """Whether the cells below their ceilings can tell the form's constants apart."""
    below = service_limited(medians, form.single_socket)
    if 2 * len(form.parameters) > int(below.sum()):
        return False
    if form.by_byte and (np.unique(medians.cells.frame_bytes).size < 2 or not form.by_access):
        return False
    queues = np.unique(medians.cells.queues).size
    return max(len(COEFFICIENTS[form.law]), len(COEFFICIENTS[form.user_law])) < queues


def _simplest(candidates: list[PathForm], error: Callable[[PathForm], float]) -> PathForm:
    """Take the simplest candidate whose held-out error ties with the least, the first of equals."""
    least = min(map(error, candidates))
    tied = [form for form in candidates if error(form) <= (1.0 + TIE) * least]
    return min(tied, key=lambda form: len(form.parameters))


def _better_shared(medians: Training, forms: dict[Pair, PathForm], prior: Prior | None) -> bool:
    programs = [pair.program for pair, form in forms.items() if form.by_access]
    if len(set(programs)) == len(programs):
        return False
    if np.unique(medians.group).size < 2 * FOLDS:
        return prior is not None and prior.shared_access and set(forms) <= set(prior.pairs)
    both = []
    for seen, held in _folds(medians):
        there = {pair: forms[pair] for pair in seen.pairs_seen}
        apart = fit_paths(seen, there, shared_access=False, prior=prior)
        # A path that shares its program with no other is what it was.
        alone = tuple(path for path in apart if _users(there, path.pair.program) == 1)
        several = {pair: forms[pair] for pair in there if _users(there, pair.program) > 1}
        shared = fit_paths(seen, several, shared_access=True, prior=prior)
        both.append([_log_errors(paths, held) for paths in (apart, (*alone, *shared))])
    without, together = (float(np.concatenate(errors).mean())
                         for errors in zip(*both, strict=True))  # fmt: skip
    return together <= (1.0 + TIE) * without


def _users(forms: dict[Pair, PathForm], program: str) -> int:
    return sum(pair.program == program for pair in forms)


def held_out_error(
    medians: Training, form: PathForm, prior: Prior | None = None
) -> float:  # fmt: skip
    """Mean absolute log error of a form over held-out groups of one pair."""
    errors = []
    for seen, held in _folds(medians):
        there = dict.fromkeys(seen.pairs_seen, form)
        errors.append(_log_errors(fit_paths(seen, there, shared_access=False, prior=prior), held))
    return float(np.concatenate(errors).mean())


def _folds(medians: Training) -> Iterator[tuple[Training, Training]]:
    # A fixed seed: every form is compared on the same folds, and a fit repeats exactly.
    return partitions(medians, "group", FOLDS, np.random.default_rng(0))


def _log_errors(paths: tuple[PathCost, ...], held: Training) -> Array:
    predicted = path_limits(paths, held.cells).predicted_mpps
    return np.abs(np.log(predicted / held.forwarded_mpps))
