"""One [[cells]] block of a campaign file: factors, and the rates that are offered to each."""

from __future__ import annotations

from pydantic import Field, field_validator, model_validator

from linerate.cells import Cell
from linerate.errors import bad_input
from linerate.measure.campaign.block import FactorBlock, Offered

OFFERED_MPPS_MIN, OFFERED_MPPS_MAX = 1e-6, 1000.0
"""Rates that the generator can keep a schedule for."""


class CellBlock(FactorBlock):
    """One [[cells]] block."""

    offered_mpps: list[Offered] = Field([], validate_default=True)
    """Empty only where echo requests are all of the load."""

    @field_validator("offered_mpps")
    @classmethod
    def _possible_rate(cls, rates: list[float | str]) -> list[float | str]:
        for rate in rates:
            if not isinstance(rate, str) and not OFFERED_MPPS_MIN <= rate <= OFFERED_MPPS_MAX:
                raise bad_input(
                    "offered_mpps", rate, why="the generator cannot keep it",
                    allowed=f'{OFFERED_MPPS_MIN:g}..{OFFERED_MPPS_MAX:g} Mpps, "line" or "flood"',
                    do="correct it; the unit is million packets a second",
                )  # fmt: skip
        return rates

    @model_validator(mode="after")
    def _rates_fit(self) -> CellBlock:
        if bool(self.offered_mpps) == (self.generator == "ping"):
            raise bad_input(
                "offered_mpps", self.offered_mpps, why=f"the load is sent by {self.generator}",
                allowed="one rate or more; none with generator = \"ping\"", do="correct it",
            )  # fmt: skip
        return self

    @property
    def can_be_looked_at(self) -> bool:
        """Whether looks at the cores lie in no latency but those of full queues."""
        return self.mode == "serial" or "flood" in self.offered_mpps

    @property
    def cells_count(self) -> int:
        """How many cells the block has, without listing them."""
        return self.combinations * max(len(self.offered_mpps), 1)

    def cells(self, lab: str) -> list[Cell]:
        """Every cell of the block."""
        rates = self.offered_mpps or [self.pings_per_second / 1e6]
        return self.combined(
            lab,
            lambda mix: [self.load(mix, rate) for rate in rates],
        )
