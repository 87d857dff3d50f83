"""The answer about one cell: a rate with its interval, what limits it, and at which latency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.line_rate import TOLERANCE_RATIO
from linerate.models.answers.under_load import UnderLoad, under_load
from linerate.models.file.modelfile import ModelFile
from linerate.models.runs.cells import cells_at, refuse_nameless
from linerate.models.runs.limit_names import limit_name
from linerate.records import Predictions
from linerate.tables.html import html_text
from linerate.units import line_rate_mpps

NEEDED = ("datapath", "memory_accesses", "frame_bytes", "queues")
"""Factors that a cell cannot be asked about without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a model says of one cell that was not measured."""

    cell: Mapping[str, object]
    """What was asked: columns of the table of runs."""
    line_rate_mpps: float
    """Most frames of this size that the link carries."""
    rates: Predictions
    """Rate, interval, bottleneck and probability as ``ModelFile.predict`` gives them; one row."""
    load: UnderLoad | None = None
    """Latency and CPU; None where no load was named."""
    notes: tuple[str, ...] = ()
    """What the model's runs could not tell of this program, one sentence each."""
    boxes: tuple[str, ...] = ()
    """Machines that the model was fitted on."""

    @property
    def predicted_mpps(self) -> float:
        """Throughput, of one program load or the median of several."""
        return float(self.rates.predicted_mpps[0])

    @property
    def lower_mpps(self) -> float:
        """Lower end of the 90 % interval of one load of the program."""
        return float(self.rates.lower_mpps[0])

    @property
    def upper_mpps(self) -> float:
        """Upper end of the 90 % interval of one load of the program."""
        return float(self.rates.upper_mpps[0])

    @property
    def lower_median_mpps(self) -> float:
        """Lower end of the 90 % interval of the median of several loads."""
        return float(self.rates.lower_median_mpps[0])

    @property
    def upper_median_mpps(self) -> float:
        """Upper end of the 90 % interval of the median of several loads."""
        return float(self.rates.upper_median_mpps[0])

    @property
    def sustains_line_rate(self) -> float:
        """Probability that at least 99 % of line rate is forwarded, 0 to 1."""
        return float(self.rates.sustains_line_rate[0])

    @property
    def bottleneck(self) -> str:
        """The limit that is smallest: ``service``, ``line``, ``socket``, ``nic``, ``offered``."""
        return str(self.rates.bottleneck[0])

    @property
    def in_domain(self) -> bool:
        """Whether the cell lies inside what was measured; outside, 90 % is not promised."""
        return bool(self.rates.in_domain[0])

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        rates = {name: column[0].item() for name, column in self.rates.columns().items()}
        load = self.load.to_dict() if self.load is not None else {}
        return {**self.cell, **rates, **load, "notes": self.notes, "boxes": self.boxes}

    def __str__(self) -> str:
        text = (
            f"{self.predicted_mpps:.4g} Mpps "
            f"({self.lower_mpps:.4g} to {self.upper_mpps:.4g}, 90 % of loads), "
            f"limited by {limit_name(self.bottleneck)}; "
            f"line rate sustained: {self.sustains_line_rate:.0%} sure"
        )
        if self.load is not None:
            text += f"; {self.load}"
        if not self.in_domain:
            text += "\nOutside what was measured: the interval is wider, and 90 % is not promised."
        return "\n".join([text, *(f"Note: {note}." for note in self.notes)])

    def _repr_html_(self) -> str:
        asked = ", ".join(f"{name} {value}" for name, value in self.cell.items())
        return html_text(f"{asked}\n{self}")


def predict_cell(
    fitted: ModelFile, asked: Mapping[str, object], notes: tuple[str, ...] = ()
) -> Prediction:
    """Predict one cell.

    Parameters
    ----------
    fitted
        A model file.
    asked
        Columns of the cell: ``datapath, program, memory_accesses, frame_bytes, queues, link_gbps``,
        ``offered_mpps`` for latency and CPU, ``operations`` and settings where they matter.
        ``memory_accesses`` is 0 where operations tell packets apart.
    notes
        Notes beside those of the model.

    Raises
    ------
    BadInputError
        A factor is missing or impossible, or nothing is known of the program.
    """
    given = dict(asked)
    if "program" not in given and "datapath" in given:
        refuse_nameless(str(given["datapath"]), _programs_on(fitted, str(given["datapath"])))
    if fitted.mixes is not None and "datapath" in given:
        by_operations = not fitted.by_accesses or bool(fitted.mixes.knows(pd.DataFrame([given]))[0])
        given = ({"memory_accesses": 0} if by_operations else {}) | given
    missing = [name for name in NEEDED if name not in given]
    if missing:
        raise bad_input("cell", given.get("datapath", ""), why=f"missing {', '.join(missing)}",
                        allowed="all factors of one cell, or a table of cells",
                        do="name them")  # fmt: skip
    if fitted.only_rates(given):
        return _rate_of(fitted, given, notes)
    cell = pd.DataFrame([given])
    line_mpps = _line_rate_mpps(cell)
    rates = fitted.predict(cell)
    return Prediction(
        cell=given, line_rate_mpps=line_mpps, rates=rates, load=under_load(fitted, cell, rates),
        notes=(*notes, *notes_on(fitted, cell)), boxes=fitted.provenance.boxes,
    )  # fmt: skip


def _rate_of(
    fitted: ModelFile, asked: Mapping[str, object], notes: tuple[str, ...]
) -> Prediction:  # fmt: skip
    """Predict a rate and nothing else, without the second that it takes to load tables."""
    cells = cells_at([asked], fitted.predictor.pairs)
    pair = cells.pairs[int(cells.pair[0])]
    return Prediction(
        cell=asked, line_rate_mpps=float(cells.line_mpps[0]),
        rates=fitted.predictor.predict_cells(cells),
        notes=(*notes, *fitted.predictor.notes_on([pair])), boxes=fitted.provenance.boxes,
    )  # fmt: skip


def _programs_on(fitted: ModelFile, datapath: str) -> tuple[str, ...]:
    by_operations = fitted.mixes.programs_on(datapath) if fitted.mixes else ()
    by_accesses = [pair.program for pair in fitted.predictor.pairs if pair.datapath == datapath
                   ] if fitted.by_accesses else []  # fmt: skip
    return tuple(sorted({*by_operations, *by_accesses}))


def notes_on(fitted: ModelFile, cells: pd.DataFrame) -> tuple[str, ...]:
    """Say what the model's runs could not tell of these cells' programs."""
    if not fitted.by_accesses:
        return ()
    names = [name for name in ("datapath", "program") if name in cells.columns]
    asked = set(map(tuple, cells[names].astype(str).drop_duplicates().to_numpy()))
    return fitted.predictor.notes_on(
        {pair for pair in fitted.predictor.pairs if tuple(pair)[: len(names)] in asked}
    )


def _line_rate_mpps(cell: pd.DataFrame) -> float:
    """Line rate of a cell; a load that no link carries is refused, inf is a flood."""
    line_mpps = float(line_rate_mpps(cell["link_gbps"], cell["frame_bytes"])[0])
    if "offered_mpps" not in cell.columns:
        return line_mpps
    offered_mpps = float(cell["offered_mpps"].iloc[0])
    fine = 0.0 < offered_mpps <= TOLERANCE_RATIO * line_mpps or np.isposinf(offered_mpps)
    if not fine:
        above = offered_mpps > line_mpps
        raise bad_input(
            "offered_mpps", f"{offered_mpps:g}",
            why=f"above line rate ({line_mpps:.4g} Mpps)" if above else "no rate",
            allowed=f"above 0, up to {line_mpps:.4g}, or inf for a flood",
            do="lower it" if above else "correct it",
        )  # fmt: skip
    return line_mpps
