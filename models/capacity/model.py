"""The physical model: packets per second are the smallest of line rate, NIC and servers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from linerate.messages import note
from linerate.models.capacity.borrowing import (
    Borrowed,
    borrowed_of,
    notes_on,
    refuse_strange,
    with_posterior,
)
from linerate.models.capacity.known import known
from linerate.models.capacity.packet_time import PathForm
from linerate.models.capacity.paths import PathCost, path_limits
from linerate.models.capacity.transfer import Prior
from linerate.models.runs.cells import Cells, Pair
from linerate.models.runs.limits import Limits
from linerate.models.runs.parameters import UNKNOWN, Parameter

if TYPE_CHECKING:
    from linerate.models.runs.training import Training


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """Fitted physical model of every path in a table."""

    paths: tuple[PathCost, ...]
    nic_cap_mpps: float | None = None
    """Packets a second beyond which the NIC does not go; None where not identifiable."""
    shared_access: bool = False
    """Whether one cost per access serves every datapath that runs the same program."""
    notes: tuple[str, ...] = ()
    prior: Prior | None = None
    """What other boxes led to expect; None where none was asked."""
    borrowed: tuple[Borrowed, ...] = ()
    """What each path that they have owes to them."""

    name: ClassVar[str] = "capacity"

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """What it was fitted on."""
        return tuple(path.pair for path in self.paths)

    @classmethod
    def of_prior(cls, prior: Prior) -> Self:
        """Say of a box without a run what other boxes lead to expect."""
        owed = tuple(borrowed_of(path, prior, None) for path in prior.paths)
        paths = tuple(map(with_posterior, prior.paths, owed))
        return cls(paths=paths, shared_access=prior.shared_access, prior=prior, borrowed=owed,
                   notes=tuple(notes_on(one, prior) for one in owed))  # fmt: skip

    @classmethod
    def fit_with(cls, prior: Prior, training: Training) -> Self:
        """Fit with the constants of other boxes as what is expected.

        Raises
        ------
        BadInputError
            They have no path of these runs, or one that they lack has too few cells.
        """
        # What fits is slow to load, here and below: a prediction needs none of it.
        from linerate.models.capacity.error import with_intervals
        from linerate.models.capacity.form import choose_forms

        refuse_strange(prior, training.pairs_seen)
        forms, shared, notes = choose_forms(training, prior)
        plain = cls(paths=(), notes=notes, prior=prior, shared_access=shared)
        fitted = plain._refitted(training, forms)
        nic_mpps = fitted.nic_cap_mpps or np.inf
        paths, owed = [], []
        for path in with_intervals(fitted.paths, training, nic_mpps):
            if path.bounded or prior.path(path.pair) is None:
                paths.append(path)
                continue
            own = training.take(training.cells.pair == training.cells.pairs.index(path.pair))
            owed.append(borrowed_of(path, prior, own))
            paths.append(with_posterior(path, owed[-1]))
        notes = (*notes, *(notes_on(one, prior) for one in owed), *fitted.at_ceilings())
        return replace(fitted, paths=tuple(paths), borrowed=tuple(owed), notes=notes)

    @classmethod
    def fit(cls, training: Training) -> Self:
        """Choose the form by cross-validation inside the training runs, then its constants.

        The same runs are fitted once in a process.

        Raises
        ------
        BadInputError
            Fewer cells of a pair than constants of its simplest form.
        """
        return known(cls, training, cls._fitted)

    @classmethod
    def _fitted(cls, training: Training) -> Self:
        from linerate.models.capacity.error import with_intervals
        from linerate.models.capacity.form import choose_forms

        forms, shared, notes = choose_forms(training)
        fitted = cls(paths=(), shared_access=shared, notes=notes)._refitted(training, forms)
        nic_mpps = fitted.nic_cap_mpps or np.inf
        return replace(fitted, paths=with_intervals(fitted.paths, training, nic_mpps),
                       notes=(*fitted.notes, *fitted.at_ceilings()))  # fmt: skip

    def refit(self, training: Training) -> Self:
        """Keep the forms, fit the constants anew."""
        seen = {training.cells.pairs[code] for code in np.unique(training.cells.pair)}
        forms = {path.pair: path.form for path in self.paths if path.pair in seen}
        return self._refitted(training, forms)

    def _refitted(self, training: Training, forms: dict[Pair, PathForm]) -> Self:
        from linerate.models.capacity.fit import fit_paths, nic_cap_mpps

        nic = nic_cap_mpps(training)
        paths = fit_paths(training, forms, shared_access=self.shared_access,
                          nic_mpps=nic or np.inf, prior=self.prior)  # fmt: skip
        return replace(self, paths=paths, nic_cap_mpps=nic)

    def at_ceilings(self) -> tuple[str, ...]:
        """Say what ceilings hide of the servers."""
        nic = () if self.nic_cap_mpps is None else (
            note("rates end at {mpps} Mpps whatever the queues and accesses: taken as the NIC's "
                 "limit", mpps=f"{self.nic_cap_mpps:.4g}"),
        )  # fmt: skip
        return (*nic, *(
            note("{path}: {what}", path=str(path.pair), what=note(
                "every run is at its ceiling, the service time is only bounded"))
            for path in self.paths if path.bounded
        ))  # fmt: skip

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Constants with their 90 % intervals, path by path."""
        return tuple(
            Parameter(name=f"{path.pair}: {name}", value=value, lower=low, upper=high)
            for path in self.paths for name, value in path.values().items()
            for low, high in [path.intervals.get(name, UNKNOWN)]
        )  # fmt: skip

    def limits(self, cells: Cells) -> Limits:
        """Say what bounds each cell."""
        return path_limits(self.paths, cells, self.nic_cap_mpps or np.inf)

    def __str__(self) -> str:
        lines = [str(path) for path in self.paths]
        if self.nic_cap_mpps is not None:
            lines.append(f"nic: at most {self.nic_cap_mpps:.4g} Mpps")
        return "\n".join(lines)
