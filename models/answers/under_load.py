"""What a model file says of a cell at an offered load: latency, and how busy its cores are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from linerate.errors import BadInputError
from linerate.models.file.modelfile import ModelFile
from linerate.records import Predictions


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderLoad:
    """One cell at an offered load; None where the model file does not know it."""

    cpu_busy_ratio: float | None = None
    """Share of time that each queue's core works, 0 to 1; None where no load is offered."""
    latency_mean_us: float | None = None
    latency_lower_us: float | None = None
    """Lower end of the interval of the mean: in full rings, or of one run below saturation."""
    latency_upper_us: float | None = None
    """Upper end of it."""
    latency_p50_us: float | None = None
    latency_p50_lower_us: float | None = None
    """Lower end of the interval of one run's median, where there is one: of pipelines. It takes
    the packet's time as known: an error of that, where it was predicted, comes on top."""
    latency_p50_upper_us: float | None = None
    """Upper end of it."""
    latency_p99_us: float | None = None
    latency_capacity_mpps: float | None = None
    """Most that is forwarded in the mode that latency was measured in."""
    latency_stalls_watched: bool | None = None
    """Whether a probe watched for stalls beside the runs below saturation: without one the interval
    is wider."""
    latency_in_domain: bool | None = None
    """Whether latency was measured on cells around this one."""
    more: Mapping[str, float] = field(default_factory=dict)
    """What other kinds of model answer, as the round trip of a chain; units last."""
    why_no_latency: str = ""
    """Why there is no latency, where there is none."""

    def to_dict(self) -> dict[str, object]:
        """Known values by name, for JSON."""
        names = (name for name in self.__slots__ if name not in ("why_no_latency", "more"))
        named: dict[str, object] = {name: getattr(self, name) for name in names}
        return {name: value for name, value in named.items() if value is not None} | dict(self.more)

    def __str__(self) -> str:
        busy = self.cpu_busy_ratio
        parts = [] if busy is None else [f"at this load cores are {busy:.0%} busy"]
        parts += [f"{name} {_short(value)}" for name, value in self.more.items()]
        text = ", ".join(parts)
        if self.latency_mean_us is not None:
            text += f", mean latency {_short(self.latency_mean_us)} us"
        if self.latency_lower_us is not None:
            ends = f"{_short(self.latency_lower_us)} to {_short(self.latency_upper_us)}"
            below = self.latency_capacity_mpps is not None
            text += f" ({ends})" + (" in 90 % of runs" if below else " in full rings")
        if self.latency_p50_us is not None:
            text += f", p50 {_short(self.latency_p50_us)}"
            text += "" if self.latency_p99_us is None else f" and p99 {_short(self.latency_p99_us)}"
            text += " us"
        if self.latency_p50_lower_us is not None:
            text += (f" ({_short(self.latency_p50_lower_us)} to "
                     f"{_short(self.latency_p50_upper_us)} in 90 % of runs)")  # fmt: skip
        if self.latency_capacity_mpps is not None:
            text += (", in the mode that latency was measured in, which carries "
                     f"{_short(self.latency_capacity_mpps)} Mpps")  # fmt: skip
        if self.latency_stalls_watched is False:
            text += self._of_stalls()
        if self.latency_in_domain is False:
            text += "\nLatency was measured on other cells only: this one is extrapolated."
        return text

    def _of_stalls(self) -> str:
        parts = []
        if self.latency_lower_us is not None:
            parts.append("the interval holds none of what they add, and twice as much")
        if self.latency_p50_us is not None:
            parts.append("p50 and p99 hold what they added to these")
        if not parts:
            return ""
        return ("\nNo probe watched for stalls of the machine beside these runs: "
                f"{'; '.join(parts)}.")  # fmt: skip


def _short(value: float | None) -> str:
    return "" if value is None else f"{float(f'{value:.3g}'):g}"


def under_load(fitted: ModelFile, cell: pd.DataFrame, rates: Predictions) -> UnderLoad | None:
    """Ask all kinds of a model file but those of rates.

    Parameters
    ----------
    fitted
        What predicted the rates.
    cell
        A table of one row.
    rates
        Its prediction.

    Returns
    -------
    None where no load is offered, and nothing is known without one.
    """
    why = ""
    try:
        columns = fitted.predict_more(cell, rates)
    except BadInputError as error:
        columns, why = fitted.predict_more(cell, rates, only="cpu"), str(error)
    known = {name: values[0] for name, values in columns.items() if not pd.isna(values[0])}
    offered = "offered_mpps" in cell.columns
    if offered:
        why = why or _why_no_latency(fitted, cell)
    if not known:
        return None
    named: dict[str, Any] = {n: known.pop(n) for n in UnderLoad.__slots__ if n in known}
    answered = {"latency_mean_us", "latency_p50_us"} & set(named)
    return UnderLoad(**named, more=known, why_no_latency=why if offered and not answered else "")


def _why_no_latency(fitted: ModelFile, cell: pd.DataFrame) -> str:
    if "pipelines" in fitted.fitted and cell["datapath"].iloc[0] == "swx":
        return ("it is known of pipelines on the ports that were measured (ring or memif), below "
                "80 % of saturation: name pipeline_port, or lower offered_mpps")  # fmt: skip
    if fitted.answers_rates(cell):
        return "of operations, filters, chains and pipelines only rates are known"
    if fitted.latency is None and fitted.overload is None:
        return ("the model was fitted without runs of the split mode, and without flooded runs "
                "that have one")  # fmt: skip
    if fitted.latency is not None:
        return "its program was not measured in the split mode"
    return "it was measured in overload only, and the cores can serve this load"
