"""Costs as of this machine, or of a box, by what rulesets, pipelines and chains took there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import log
from pathlib import Path

from linerate.box import Box, Cost, read_box
from linerate.errors import BadInputError, LinerateError, bad_input
from linerate.face.fits.notes import carried_to, notes_of_costs
from linerate.measure.objects.calibrating.own_box import AGE_HOURS_MAX, OwnBox
from linerate.measure.objects.calibrating.own_works import LABS, kept_works, own_works
from linerate.models.file.modelfile import ModelFile
from linerate.models.operations import MixPredictor
from linerate.models.operations.carried import WAY, CarriedMixes, TimedWork
from linerate.models.operations.own import BARE, own_steps
from linerate.models.operations.work import Work
from linerate.models.pipelines.case import Prices
from linerate.programs.costs import work_costs
from linerate.progress import telling

NS_MIN, NS_MAX = 0.1, 1e9
"""Times of a packet that are believed."""
WORKS_MAX = 500
"""Of one datapath in a box."""
SHOWN = 4
"""Classes whose factors a note names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """The machine that is asked about, and what may be done to learn its costs."""

    box: Path | None = None
    """A box with times of such packets; None for this machine."""
    static: bool | None = None
    """Whether nothing is measured; None: not without root."""
    progress: bool = True
    """Whether to show a bar while it is measured."""

    def runs(self, *, is_named: bool) -> bool:
        """Say whether what is asked about may run here, if it is asked about with frames.

        Parameters
        ----------
        is_named
            Whether the model is the user's own, which may be another machine's.
        """
        if self.box is not None or is_named:
            return False
        return os.geteuid() == 0 if self.static is None else not self.static


@dataclass(frozen=True, slots=True, kw_only=True)
class There:
    """Times of packets on the machine that is asked about."""

    box: Box | None
    """None where there are none, or none shall be used."""
    origin: str
    """When they were measured, or why there are none; empty where a model is taken as it is."""


HERE = Where()
"""This machine."""


def times_where(datapath: str, where: Where, *, is_named: bool) -> There:
    """Find what packets of a datapath take on a machine, measured where that is allowed.

    Parameters
    ----------
    datapath
        One of those that ``linerate calibrate --for`` measures.
    where
        Whose times they are to be.
    is_named
        Whether the model is the user's own: its costs are taken as they are, but for a box.
    """
    if where.box is not None:
        return There(box=read_box(where.box), origin=f"measured in {where.box}")
    if is_named:
        return There(box=None, origin="")
    own, why = _own(datapath, where)
    if own is None:
        return There(box=None, origin=why)
    old = " (old: root measures anew)" if own.age_hours > AGE_HOURS_MAX else ""
    return There(box=own.box, origin=f"{own.measured}{old}")


def priced_where(
    fitted: ModelFile, mixes: MixPredictor, datapath: str, where: Where, *, is_named: bool
) -> tuple[Prices, tuple[str, ...]]:
    """Choose costs for a machine, and say where they are from.

    Parameters
    ----------
    fitted, mixes
        A model, and its costs.
    datapath
        ``nftables``, ``iptables`` or ``swx``.
    where
        Whose costs they are to be.
    is_named
        Whether the model is the user's own: its costs are taken as they are, but for a box.

    Raises
    ------
    BadInputError
        The box has no times of such packets, or none that the model can price.
    """
    there = times_where(datapath, where, is_named=is_named)
    if there.box is None:
        elsewhere = notes_of_costs(
            fitted.provenance.boxes, LABS[datapath], are_shipped=not is_named
        )
        prices = mixes if is_named else CarriedMixes.of(mixes, datapath, [])
        return prices, (*elsewhere, *filter(None, (there.origin,)))
    carried = carry(mixes, datapath, there.box)
    return carried, (note_of_factors(fitted, carried, there.box.name, there.origin),)


def _own(datapath: str, where: Where) -> tuple[OwnBox | None, str]:
    """Take what this machine takes, measured where that is allowed; else say why there is none."""
    if where.static:
        return None, "costs as they are shipped: nothing was measured here, as --static asks"
    if os.geteuid() and where.static is None:
        return kept_works(datapath), (
            "costs as they are shipped: as root they are held against this machine in half a "
            "minute, once a day, which is surer"
        )  # fmt: skip
    try:
        with telling(shown=where.progress) as tell:
            return own_works(datapath, tell), ""
    except BadInputError:
        raise
    except LinerateError as error:
        why = str(error).rstrip(".")
        return None, f"costs as they are shipped; holding them against this machine failed: {why}"


def carry(mixes: MixPredictor, datapath: str, box: Box) -> CarriedMixes:
    """Carry costs over to a box by the times that it has of operations which the model prices.

    Raises
    ------
    BadInputError
        It has none.
    """
    timed = [
        TimedWork(work=Work(scope=datapath, base=BARE, steps=own_steps(operations)),
                  value_ns=cost.value_ns, error=0.5 * log(cost.upper_ns / cost.lower_ns))
        for operations, cost in believed_works(datapath, box).items()
    ]  # fmt: skip
    priced = [each for each in timed
              if all(mixes.model.prices(kind, datapath) for kind in each.work.kinds)]  # fmt: skip
    return CarriedMixes.of(mixes, datapath, priced or timed)


def believed_works(datapath: str, box: Box) -> dict[tuple[tuple[str, int], ...], Cost]:
    """Take the times of a datapath's packets that a box has, by what they execute.

    Raises
    ------
    BadInputError
        It has none, or too many.
    """
    timed = {
        operations: cost
        for operations, cost in work_costs(box.costs, datapath).items()
        if NS_MIN <= cost.lower_ns <= cost.value_ns <= cost.upper_ns <= NS_MAX
    }  # fmt: skip
    if not 0 < len(timed) <= WORKS_MAX:
        raise bad_input(
            "box", box.name, why=f"it has {len(timed) or 'no'} times of packets on {datapath}",
            allowed=f"a box that was calibrated for it, at most {WORKS_MAX} times",
            do=f"sudo linerate calibrate --for {datapath} --out BOX.toml there",
        )  # fmt: skip
    return timed


def note_of_factors(fitted: ModelFile, carried: CarriedMixes, box: str, measured: str) -> str:
    """Say by which factors costs were carried, and which of them nothing on the box shows."""
    by_size = sorted(
        ((name, factor) for name, factor in carried.factors.items() if name != WAY),
        key=lambda pair: carried.borrowed[pair[0]],
    )  # fmt: skip
    named = [f"{WAY} {carried.factors[WAY]:.2f}",
             *(f"{name} {factor:.2f}" for name, factor in by_size[:SHOWN])]  # fmt: skip
    lent = sorted(name for name, share in carried.borrowed.items() if share > 0.5)
    open_part = f"; hardly known here, so less sure: {', '.join(lent)}" if lent else ""
    lenders = fitted.provenance.boxes
    return (f"costs of {', '.join(lenders)}, carried to {carried_to(lenders, box)} by times of "
            f"packets there, {measured}: {', '.join(named)} times as much{open_part}")  # fmt: skip
