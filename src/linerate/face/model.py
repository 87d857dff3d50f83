"""A fitted model as Python hands it on: it predicts, answers, is saved and shown."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, overload

from linerate.errors import bad_input
from linerate.links import LINK_GBPS
from linerate.models.answers.fits import FRAME_BYTES, Fits, Question, fits_of
from linerate.models.answers.prediction import Prediction, notes_on, predict_cell
from linerate.models.file.modelfile import ModelFile
from linerate.models.file.saved import save_model
from linerate.records import Predictions
from linerate.tables.html import html_text

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

    from linerate.models.fitting import Fitting
    from linerate.models.validation.drift import Drift
    from linerate.models.validation.validation import Validation
    from linerate.tables.measured import Runs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """A fitted model: everything that a prediction needs, and where it came from."""

    file: ModelFile
    """What is saved."""
    fitting: Fitting | None = None
    """What it was fitted on; None of a model that was loaded."""

    @property
    def validation(self) -> Validation | None:
        """Errors on program loads held out; None of a loaded model, or of too few runs."""
        return self.fitting.validation if self.fitting is not None else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out and what the runs could not tell, one sentence each."""
        return self.fitting.notes if self.fitting is not None else self.file.provenance.notes

    def laws(self) -> dict[str, str]:
        """Fitted laws: ``capacity``, then each other kind by its name in the file."""
        own = {"capacity": str(self.file.predictor.model)} if self.file.by_accesses else {}
        return own | {name: str(part) for name, part in self.file.fitted.items()}

    @property
    def formula(self) -> str:
        """All fitted laws, one line a path; constants with their units."""
        return "\n".join(self.laws().values())

    @property
    def score_text(self) -> str:
        """Error on program loads held out, beside what a perfect model would score."""
        scores = self.file.scores
        if scores is None:
            return "error on runs not seen: too few program loads to hold any out"
        return (
            f"error on program loads not seen: {scores.error} %; "
            f"noise floor of medians: {scores.noise_floor or '-'} % (median / mean / P90)"
        )

    @property
    def programs(self) -> tuple[str, ...]:
        """Datapaths and programs that ``memory_accesses`` places, as ``xdp_native/map_lookup``."""
        return tuple(str(domain.pair) for domain in self.file.domain.pairs)

    @overload
    def predict(self, cells: pd.DataFrame, /, *, link_gbps: float = ...) -> pd.DataFrame: ...

    @overload
    def predict(
        self, datapath: str, /, program: str | None = ..., *, link_gbps: float = ...,
        operations: Mapping[str, int] | str | os.PathLike[str] | None = ..., **factors: object,
    ) -> Prediction: ...  # fmt: skip

    def predict(
        self, asked: str | pd.DataFrame, /, program: str | None = None, *,
        link_gbps: float = LINK_GBPS,
        operations: Mapping[str, int] | str | os.PathLike[str] | None = None, **factors: object,
    ) -> Prediction | pd.DataFrame:  # fmt: skip
        """Predict one cell, or all cells of a table.

        Parameters
        ----------
        asked
            Name of a datapath, or a table with a row for each cell and the columns below.
        program
            Name that the program was measured under; may be left out where the datapath ran one.
        link_gbps
            Link speed, Gbit/s; of a table without this column, that of all its cells.
        operations
            What each packet executes, times by kind, or the path of a pipeline's ``.spec``.
        **factors
            ``memory_accesses`` per packet, ``frame_bytes`` with FCS, ``queues``; ``offered_mpps``
            adds latency and CPU; any setting by the name of its column (data/README.md).

        Returns
        -------
        Of a datapath one prediction, which prints as a sentence. Of a table a new one: all its
        columns and, behind them, ``predicted_mpps``, ``lower_mpps, upper_mpps`` (ends of the 90 %
        interval of one load), ``lower_median_mpps, upper_median_mpps`` (of the median of several),
        ``sustains_line_rate`` (probability, of one load), ``bottleneck, in_domain``.

        Raises
        ------
        BadInputError
            A factor is missing or impossible, or the model does not know the program.
        """
        if isinstance(asked, str):
            cell = {"datapath": asked, "link_gbps": link_gbps, "program": program, **factors}
            given = {name: value for name, value in cell.items() if value is not None}
            counts, more = self._counts(operations)
            if counts is not None:
                given["operations"] = json.dumps(counts)
            return predict_cell(self.file, given, more)
        if program is not None or operations is not None or factors:
            raise bad_input("cells", "a table", why="named with factors of one cell",
                            allowed="a table, or one cell's factors",
                            do="leave one out")  # fmt: skip
        return self._predict_table(asked, link_gbps)

    def _counts(
        self, operations: Mapping[str, int] | str | os.PathLike[str] | None
    ) -> tuple[Mapping[str, int] | None, tuple[str, ...]]:
        """Count operations by kind; those of unknown cost are named in a note."""
        if operations is None or isinstance(operations, Mapping):
            return operations, ()
        from linerate.measure.datapaths.swx.spec.executed import executed_by
        from linerate.models.operations.asked import priced

        mixes = self.file.mixes
        counts, note = priced(
            executed_by(Path(operations)), mixes.kinds if mixes else None,
            mixes.prices if mixes and mixes.prices_own else None,
        )  # fmt: skip
        return counts, (note,) if note else ()

    def _predict_table(self, cells: pd.DataFrame, link_gbps: float) -> pd.DataFrame:
        there = [name for name in Predictions.__slots__ if name in cells.columns]
        if there:
            raise bad_input("columns", ", ".join(there), why="the table has them already, and they "
                            "would be lost", allowed="cells without the columns that predict adds",
                            do="rename or drop them")  # fmt: skip
        linked = cells if "link_gbps" in cells.columns else cells.assign(link_gbps=link_gbps)
        return cells.assign(**self.file.predict(linked).columns())

    def fits(
        self, program: str, *, memory_accesses: int, datapath: str | None = None,
        frame_bytes: int | None = None, link_gbps: float = LINK_GBPS,
    ) -> tuple[Fits, ...]:  # fmt: skip
        """Say with how many queues a program sustains line rate.

        Parameters
        ----------
        program
            Name that it was measured under.
        memory_accesses
            Accesses per packet.
        datapath
            One datapath; all that ran the program if left out.
        frame_bytes
            One frame size with FCS, B; the usual ones if left out.
        link_gbps
            Link speed, Gbit/s.

        Returns
        -------
        One answer for each datapath and frame size.

        Raises
        ------
        BadInputError
            The model does not know the program.
        """
        return fits_of(self.file, Question(
            program=program, memory_accesses=memory_accesses, datapath=datapath,
            frame_bytes=FRAME_BYTES if frame_bytes is None else (frame_bytes,),
            link_gbps=link_gbps,
        ))  # fmt: skip

    def notes_on(self, cells: pd.DataFrame) -> tuple[str, ...]:
        """Say what the model's runs could not tell of the programs of these cells."""
        return notes_on(self.file, cells)

    def drift(self, runs: Runs | pd.DataFrame) -> tuple[Drift, tuple[str, ...]]:
        """Check whether new runs still fit the model's calibration.

        Returns
        -------
        The answer, which prints as a sentence, and what was left out or is of another machine.

        Raises
        ------
        BadInputError
            No run inside the domain, or a program that the model does not know.
        """
        from linerate.models.file.drift import drift_of_file
        from linerate.tables.measured import Runs

        return drift_of_file(self.file, Runs.of(runs).table)

    @property
    def constants(self) -> pd.DataFrame:
        """Fitted constants of the capacity model, with the ends of their 90 % intervals.

        Returns
        -------
        Columns ``constant`` (its unit is its last word), ``value, lower, upper``.
        """
        import pandas as pd  # one cell's rate is predicted without it

        parameters = self.file.predictor.model.parameters
        rows = [(one.name, one.value, one.lower, one.upper) for one in parameters]
        return pd.DataFrame(rows, columns=["constant", "value", "lower", "upper"])

    def card(self) -> str:
        """Write what belongs with the model, as Markdown: formula, domain, errors, failures."""
        from linerate.models.file.card import card_of  # few models want a card
        from linerate.reports.page.model_card import card_page

        mixes = self.fitting.mix_validation if self.fitting is not None else None
        return card_page(card_of(self.file, self.validation, mixes))

    def summaries(self) -> tuple[str, ...]:
        """Tables of statsmodels, one for each fit of a ``log_`` model.

        Raises
        ------
        BadInputError
            Another model, or one that was loaded without its runs.
        """
        from linerate.models.catalogue import no_summary
        from linerate.models.regression import LogLinear, summaries

        model = type(self.file.predictor.model)
        training = self.fitting.learnable.by_accesses if self.fitting is not None else None
        if not issubclass(model, LogLinear) or training is None:
            raise no_summary(model.name)
        return summaries(model, training)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file (JSON); an older one stays where the write fails.

        Raises
        ------
        LinerateError
            It cannot be written.
        """
        save_model(self.file, Path(path))

    def plot(
        self, figure: str, runs: Runs | pd.DataFrame, *, ax: Axes | None = None
    ) -> Axes | np.ndarray:
        """Draw a figure of ``linerate.plot`` with this model.

        Parameters
        ----------
        figure
            Its name, as ``throughput_by_accesses``.
        runs
            Measured runs to draw beside the model.
        ax
            Where to draw; a new figure if left out.

        Returns
        -------
        The axes; of a figure of several panels an array of shape (rows, columns).
        """
        from linerate.plot import draw  # Matplotlib is slow to load

        return draw(figure, runs, self, ax=ax)

    def __str__(self) -> str:
        return "\n".join([self.formula, *([self.score_text] if self.file.by_accesses else [])])

    def __repr__(self) -> str:
        origin = self.file.provenance
        return f"<Model of {origin.runs} runs; box {', '.join(origin.boxes)}>"

    def _repr_html_(self) -> str:
        return html_text(str(self))
