"""What a rule decides."""

from __future__ import annotations

from dataclasses import dataclass

ENDS = ("accept", "drop")
NAMES = (*ENDS, "return", "continue", "jump", "goto")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision, and the chain where it leads to one."""

    name: str
    target: str = ""


def verdict_of(data: object) -> Verdict | None:
    """Read a verdict as nft writes it; None where it is none.

    >>> verdict_of({"jump": {"target": "dns"}}), verdict_of({"drop": None}), verdict_of("x")
    (Verdict(name='jump', target='dns'), Verdict(name='drop', target=''), None)
    """
    if not isinstance(data, dict) or len(data) != 1:
        return None
    ((name, inner),) = data.items()
    if name not in NAMES:
        return None
    return Verdict(name, str(inner.get("target", "")) if isinstance(inner, dict) else "")
