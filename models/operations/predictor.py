"""Fitted costs with intervals: what predicts mixes, chains and filters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from linerate.errors import bad_input
from linerate.models.intervals.extrapolation import WIDENING
from linerate.models.intervals.scores import half_width
from linerate.models.operations.held_out import HeldOut, Sort, all_held_out, group_of
from linerate.models.operations.model import Mixes
from linerate.models.operations.own import BARE, OWN_SCOPE, is_whole
from linerate.models.operations.rates import PacketTimes
from linerate.models.operations.runs import ALL_DROPPED, MixRuns, distinct_works
from linerate.models.operations.sound import check_examples, check_scores
from linerate.models.operations.work import Work, class_of
from linerate.models.runs.cells import Array, Mask, refuse_nameless
from linerate.models.runs.selection import is_mixed
from linerate.models.validation.floor import log_deviations
from linerate.normal import NORMAL_90
from linerate.records import Predictions
from linerate.tables.costs import cost_of
from linerate.units import line_rate_mpps


@dataclass(frozen=True, kw_only=True)
class MixPredictor:
    """What was measured, and how far off fits of the others were: it is fitted when asked first.

    So a model file holds examples, and nothing that could run.
    """

    works: tuple[Work, ...]
    """Distinct works."""
    packet_ns: tuple[float, ...]
    """Median time of a packet of each."""
    scores: tuple[float, ...]
    """Log ratio of measured to predicted rate of works that were held out."""
    mix_scores: tuple[float, ...]
    """Of kinds held out with every mix of them, the score that is farthest from 0; of pipelines of
    one's own all."""
    number_scores: tuple[float, ...]
    """Of mixes held out whose kinds were seen in one mix, in other numbers."""
    load_reach: float = 0.0
    """Log half-width of one more load around the median of a work's others; 0 where no work has
    2 loads."""

    def __post_init__(self) -> None:
        check_examples(self.works, self.packet_ns)
        for name in ("scores", "mix_scores", "number_scores"):
            check_scores(name, getattr(self, name))
        check_scores("load_reach", [self.load_reach])

    @cached_property
    def model(self) -> Mixes:
        """Costs fitted on all works."""
        return Mixes.fit(self.works, np.array(self.packet_ns))

    def predict(self, table: pd.DataFrame) -> Predictions:
        """Predict cells of a table, in its order.

        Parameters
        ----------
        table
            Columns ``datapath, program, queues, frame_bytes, link_gbps`` and what tells the steps
            (``operations``, ``chain_length``, ...); settings that are not there are taken as usual.

        Raises
        ------
        BadInputError
            A base path or a kind of operation that no run measured, or no program named where its
            datapath ran several.
        """
        if "program" not in table.columns:
            for datapath in dict.fromkeys(table["datapath"]):
                refuse_nameless(str(datapath), self.programs_on(str(datapath)))
        works, code = distinct_works(self._with_programs(table))
        for work in works:
            if why := self.model.unknown(work):
                raise bad_input("operations", work, why=why, allowed=self.known(),
                                do="measure it and fit again")  # fmt: skip
        line_mpps = line_rate_mpps(table["link_gbps"], table["frame_bytes"])
        offered_mpps = np.full(len(table), np.inf)
        if "offered_mpps" in table.columns:
            offered_mpps = table["offered_mpps"].fillna(np.inf).to_numpy(dtype=np.float64)
        predicted = (
            self._times_of(works)
            .take(code)
            .rates(table["queues"].to_numpy(dtype=np.float64), np.asarray(line_mpps), offered_mpps)
        )
        return predicted.within_line(line_mpps)

    def knows(self, table: pd.DataFrame) -> Mask:
        """Whether each cell's steps are what this was fitted on, shape (n,)."""
        scopes = {work.scope for work in self.works}
        bases = {(work.scope, work.base) for work in self.works}
        named = self._with_programs(table)
        stepped = is_mixed(named).to_numpy(dtype=np.bool_)
        works, code = distinct_works(named)
        has_base = np.array([(work.scope, work.base) in bases for work in works], dtype=np.bool_)
        has_scope = np.array([work.scope in scopes for work in works], dtype=np.bool_)
        by_steps = (cost_of(table) != "accesses").to_numpy(dtype=np.bool_)
        return np.asarray(stepped | has_base[code] | (has_scope[code] & by_steps))

    def _with_programs(self, table: pd.DataFrame) -> pd.DataFrame:
        """Name the program of cells that do not, where their datapath leaves no choice."""
        if "program" in table.columns:
            return table
        known = {work.scope: {other.base for other in self.works if other.scope == work.scope}
                 for work in self.works}  # fmt: skip
        only = [next(iter(known[name])) if len(known.get(name, ())) == 1 else ""
                for name in table["datapath"]]  # fmt: skip
        return table.assign(program=only)

    def programs_on(self, datapath: str) -> tuple[str, ...]:
        """Programs that a datapath ran; none of chains, which are named by their function."""
        found = {work.base for work in self.works if work.scope == datapath != "chain"}
        for work in self.works:
            if work.scope == "filter" and work.base.split()[0] == datapath:
                found |= {class_of(kind) for kind in work.kinds} or {ALL_DROPPED}
        return tuple(sorted(found))

    def __str__(self) -> str:
        return str(self.model)

    def known(self) -> str:
        """Name the kinds whose costs are known, and the base paths."""
        bases = sorted({f"{work.scope}/{work.base}" for work in self.works})
        return f"{', '.join(bases)} with {', '.join(sorted(self.kinds)) or 'no operations'}"

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of operation that were measured."""
        return frozenset(kind for work in self.works for kind in work.kinds)

    @property
    def prices_own(self) -> bool:
        """Whether receiving and sending alone was measured, what one's own pipelines are upon."""
        return (OWN_SCOPE, BARE) in {(work.scope, work.base) for work in self.works}

    def prices(self, kind: str) -> bool:
        """Whether a cost is known of an operation of pipelines."""
        return self.model.prices(kind, OWN_SCOPE)

    def reach_of(self, work: Work, time_ns: float, error_ns: float) -> float:
        """Log half-width of the 90 % interval of a work's median; wider outside of what was seen.

        A mix of kinds never seen in one mix is as far off as mixes of other kinds were; a pipeline
        of one's own as any mix was, for its kinds were all seen in some.
        """
        sort: Sort = "base"
        if len(work.steps) > 1:
            sort = "mix_number" if self.model.mixed_before(work) else "mix"
        scores = self.scores_of(sort)
        if is_whole(work) and self.mix_scores:
            scores = np.array(self.mix_scores + self.number_scores)
        return reach(scores, time_ns, error_ns) * (1.0 + WIDENING * self.model.outside(work))

    def scores_of(self, sort: Sort) -> Array:
        """Scores that tell how far off a work of a sort will be."""
        own = {"mix": self.mix_scores, "mix_number": self.number_scores}.get(sort, self.scores)
        return np.array(own or self.scores)

    def _times_of(self, works: Sequence[Work]) -> PacketTimes:
        times = np.array([self.time_of(work) for work in works]).reshape(-1, 2)
        inside = np.array([self.model.outside(work) == 0.0 for work in works], dtype=np.bool_)
        return PacketTimes(times_ns=times[:, 0], widths=times[:, 1], inside=inside,
                           load_reach=self.load_reach)  # fmt: skip

    def time_of(self, work: Work) -> tuple[float, float]:
        """Time of a packet, ns, and the log half-width of the 90 % interval of its median.

        Raises
        ------
        BadInputError
            What was measured leaves it no time.
        """
        time_ns, error_ns = self.model.time_ns(work)
        if not (0.0 < time_ns < np.inf and np.isfinite(error_ns)):
            raise bad_input("operations", work, why=f"the costs that were fitted make it "
                            f"{time_ns:.3g} ns", allowed=self.known(),
                            do="measure it and fit again")  # fmt: skip
        return time_ns, self.reach_of(work, time_ns, error_ns)


def reach(scores: Array, time_ns: float, error_ns: float) -> float:
    """Log half-width by scores of what was held out, at least what the constants leave open.

    >>> round(reach(np.linspace(-0.1, 0.1, 21), time_ns=100.0, error_ns=1.0), 3)
    0.1
    """
    return max(half_width(scores), NORMAL_90 * error_ns / time_ns)


def load_reach(runs: MixRuns) -> float:
    """Log half-width that holds 90 % of the runs, each around the others of its work."""
    return half_width(log_deviations(runs.packet_ns, runs.work))


def fit_mixes(runs: MixRuns) -> MixPredictor:
    """Fit costs, and calibrate their intervals by holding each group out in turn."""
    works, times_ns = runs.medians()
    fitted = predictor_of(works, times_ns, all_held_out(works, tuple(times_ns.tolist())))
    return replace(fitted, load_reach=load_reach(runs))


def predictor_of(works: Sequence[Work], times_ns: Array, asked: Sequence[HeldOut]) -> MixPredictor:
    """Make a predictor of what was measured, and of how far off it was on what was held out."""
    answered = [one for one in asked if not one.unknown and not one.outside]
    mixes: dict[Hashable, list[float]] = {}
    for one in answered:
        if one.sort == "mix":
            group = one.work if is_whole(one.work) else group_of(one.work)
            mixes.setdefault(group, []).append(one.score)
    return MixPredictor(
        works=tuple(works), packet_ns=tuple(map(float, times_ns)),
        scores=tuple(one.score for one in answered if not one.sort.startswith("mix")),
        number_scores=tuple(one.score for one in answered if one.sort == "mix_number"),
        mix_scores=tuple(max(scores, key=abs) for scores in mixes.values()),
    )  # fmt: skip
