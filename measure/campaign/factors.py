"""Tables within a [[cells]] block: settings of a datapath as lists of factors, and of packets."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from linerate.cells import Packet
from linerate.measure.generators.live_frames import PAYLOAD_BYTES_MAX, SOURCES_MAX
from linerate.settings import Declared, Pairs, S, SettingsType, declared


class Strict(BaseModel):
    """What every part of a campaign file is: no unknown keys, no coercion, not changed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PacketTable(Strict):
    """What the packets of a block are."""

    protocol: Literal["udp", "tcp"] = "udp"
    tcp_flags: str = ""
    payload: Annotated[str, Field(max_length=PAYLOAD_BYTES_MAX)] = ""
    sources: Annotated[int, Field(ge=1, le=SOURCES_MAX)] = 1

    @model_validator(mode="after")
    def _possible(self) -> PacketTable:
        self.packet()
        return self

    def packet(self) -> Packet:
        """Make the record."""
        return Packet(**self.model_dump())


@cache
def factors_of(kind: type[SettingsType]) -> type[Strict]:
    """Make the table of a campaign file whose lists are factors of a datapath's settings."""
    keys: dict[str, Any] = {each.name: _key(each) for each in declared(kind)}
    return create_model(kind.__name__, __base__=Strict, **keys)


def _key(each: Declared) -> tuple[Any, Any]:
    if each.type == Pairs:
        return dict[str, str], dict(each.default)  # type: ignore[call-overload]
    low, high = each.about.within or (-math.inf, math.inf)
    limits = Field(ge=None if math.isinf(low) else low, le=None if math.isinf(high) else high)
    one = Annotated[each.type, limits] if each.about.within else each.type
    if each.about.required:
        return list[one], Field(min_length=1)  # type: ignore[valid-type]
    return list[one], Field([each.default], min_length=1)  # type: ignore[valid-type]


def combinations(kind: type[S], table: Strict) -> list[S]:
    """List every combination of a table's factors, in the order of its lists."""
    lists = [_choices(getattr(table, each.name)) for each in declared(kind)]
    names = [each.name for each in declared(kind)]
    return [kind(**dict(zip(names, values, strict=True))) for values in product(*lists)]


def _choices(value: list[object] | dict[str, str]) -> list[object]:
    return [tuple(sorted(value.items()))] if isinstance(value, dict) else value
