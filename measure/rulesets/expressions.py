"""From nft's JSON of a rule to steps, as the kernel takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from linerate.measure.rulesets.elements import (
    Elements,
    StrangeError,
    elements_of,
    number_of,
    span_of,
)
from linerate.measure.rulesets.fields import FIB, META, Field
from linerate.measure.rulesets.json_fields import field_of, fields_of
from linerate.measure.rulesets.marks import Mark
from linerate.measure.rulesets.packet import IPV4, IPV6
from linerate.measure.rulesets.steps import (
    CONNECTION_LIMIT,
    QUOTA,
    Decide,
    Kind,
    Match,
    Note,
    Step,
    Stop,
    Strange,
    Unpriced,
    Untrack,
)
from linerate.measure.rulesets.translation import SIDES, translate_of
from linerate.measure.rulesets.verdict import Verdict, verdict_of

FAMILY_NETWORKS = {"ip": IPV4, "ip6": IPV6}
"""Families whose chains see packets of one network protocol only."""
GO_ON = ("ct helper", "ct timeout", "secmark", "flow", "fwd", "dup", "map")
"""Statements that let a packet on."""
CHANGES = {"meta": "set_meta", "ct": "set_ct", "payload": "set_field", "tcp option": "set_option"}
"""What a change of a packet, or of what is known of it, costs: its kind by what is changed."""
SetOf = Callable[[str, Sequence[Field]], Elements]
"""Finds a set or a map by its name, with the fields of its elements."""
StandsFor = Callable[[object], Step | None]


def _nothing(_: object) -> None:
    return None


def steps_of(
    expressions: Sequence[object], family: str, set_of: SetOf, stands_for: StandsFor = _nothing
) -> tuple[Step, ...]:
    """Read the expressions of a rule; after what is not understood nothing follows.

    Parameters
    ----------
    expressions
        As libnftables-json(5) has them.
    family
        Of the rule's table.
    set_of
        Finds named sets.
    stands_for
        Says which step an expression stands for, where it is not to be read as it is.
    """
    steps: list[Step] = []
    known = _Known(network=FAMILY_NETWORKS.get(family))
    try:
        for expression in expressions:
            if not isinstance(expression, dict) or len(expression) != 1:
                raise StrangeError("a statement")
            ((name, inner),) = expression.items()
            meant = stands_for(expression)
            for step in _statement(name, inner, set_of) if meant is None else (meant,):
                if isinstance(step, Match):
                    steps += known.implied(step)
                steps.append(step)
    except StrangeError as error:
        steps.append(Strange(str(error)))
    return tuple(steps)


@dataclass(slots=True, kw_only=True)
class _Known:
    """What the tests before say of a packet."""

    network: int | None
    protocol: int | None = None

    def implied(self, test: Match) -> Iterator[Match]:
        """Give the tests that nft puts before one, as its fields ask for; then learn from it."""
        for field in test.fields:
            if field.network not in (None, self.network):
                yield _is(META["protocol"], field.network)
                self.network = field.network
            if field.protocol not in (None, self.protocol):
                yield _is(META["l4proto"], field.protocol)
                self.protocol = field.protocol
        named = test.fields[0].name in ("l4proto", "ip protocol", "ip6 nexthdr")
        if named and test.kind == "compare" and not test.negated and len(test.elements.exact) == 1:
            ((self.protocol,),) = test.elements.exact


def _is(field: Field, value: int | None) -> Match:
    assert value is not None
    return Match(fields=(field,), elements=Elements(exact={(value,): None}), kind="compare")


def _statement(name: str, inner: object, set_of: SetOf) -> Iterator[Step]:
    verdict = verdict_of({name: inner})
    if verdict is not None:
        yield Decide(verdict)
    elif name in LOOKING:
        yield LOOKING[name](_object(inner, name), set_of)
    elif name in NOTED:
        yield from NOTED[name](inner)
    elif name in SIDES:
        yield translate_of(name, inner)
    elif name in GO_ON:
        yield Unpriced(name)
    elif name != "comment":
        raise StrangeError(name)


def _limited(name: str, kind: str) -> Callable[[object], Iterator[Step]]:
    """Give what reads a limit: it is taken as used up, so that each packet is beyond it."""

    def read(inner: object) -> Iterator[Step]:
        yield Note(kind) if _object(inner, name).get("inv") else Stop(kind)

    return read


def _update(inner: object) -> Iterator[Step]:
    """Give what adding to a set takes, and what each of its elements has for its packets."""
    yield Note("set_update")
    for statement in _parts(_object(inner, "a set").get("stmt")):
        if not statement.keys() <= NOTED.keys():
            raise StrangeError("a set with " + " ".join(statement))
        for name, part in statement.items():
            yield from NOTED[name](part)


def _parts(statements: object) -> list[dict[str, object]]:
    if isinstance(statements, dict):  # that of a meter
        statements = [statements]
    found = statements if isinstance(statements, list) else []
    return [_object(statement, "a statement") for statement in found]


def _change(inner: object) -> Iterator[Step]:
    change = _object(inner, "mangle")
    named = _object(change.get("key"), "mangle")
    if len(named) != 1:
        raise StrangeError("mangle")
    ((sort, key),) = named.items()
    if (sort, key) == ("meta", {"key": "mark"}):
        mark = Mark(change.get("value"))
        mark.after(0)
        yield mark
    else:
        yield Note(CHANGES[sort]) if sort in CHANGES else Unpriced(f"mangle {sort}")


def _reject(inner: object) -> Iterator[Step]:
    is_reset = isinstance(inner, dict) and inner.get("type") == "tcp reset"
    yield from (Note("reset" if is_reset else "reject"), Decide(Verdict("drop")))


def _log(inner: object) -> Iterator[Step]:
    to_group = log_group({"log": inner}) is not None
    yield Note("log_group") if to_group else Unpriced("log to the kernel's own log")


def log_group(expression: object) -> int | None:
    """Group that an expression logs to; None where it is not a log, or one to the kernel's own.

    >>> log_group({"log": {"prefix": "in", "group": 5}}), log_group({"log": None})
    (5, None)
    """
    inner = expression.get("log") if isinstance(expression, dict) else None
    group = inner.get("group") if isinstance(inner, dict) else None
    return group if isinstance(group, int) else None


NOTED: Mapping[str, Callable[[object], Iterator[Step]]] = {
    "counter": lambda _: iter((Note("count"),)), "reject": _reject, "log": _log,
    "notrack": lambda _: iter((Untrack(),)), "mangle": _change, "set": _update,
    "meter": _update, "limit": _limited("limit", "limit"), "quota": _limited("quota", QUOTA),
    "ct count": _limited("ct count", CONNECTION_LIMIT),
}  # fmt: skip
"""Statements that take time, with what they do."""


def _object(inner: object, name: str) -> dict[str, object]:
    if not isinstance(inner, dict):
        raise StrangeError(name)
    return inner


def _match(inner: dict[str, object], set_of: SetOf) -> Match:
    left, operator, right = inner.get("left"), inner.get("op"), inner.get("right")
    mask = None
    if isinstance(left, dict) and isinstance(left.get("&"), list):
        left, masked_by = left["&"][:2]
        mask = number_of(masked_by, field_of(left))
    fields = fields_of(left)
    if isinstance(right, bool) and fields[0] in FIB.values():
        right = int(right)
    if operator == "in":
        return Match(fields=fields, elements=Elements(exact={}), kind="compare",
                    any_of=number_of(right, fields[0]))  # fmt: skip
    if operator in ("<", ">", "<=", ">="):
        beyond = _beyond(str(operator), right, fields[0])
        return Match(fields=fields, elements=beyond, kind="compare", mask=mask)  # fmt: skip
    if operator not in ("==", "!="):
        raise StrangeError(f"operator {operator}")
    elements = _elements(right, fields, set_of, is_map=False)
    is_set = isinstance(right, dict) and "set" in right
    is_set = is_set or (isinstance(right, str) and right.startswith("@"))
    return Match(fields=fields, elements=elements, mask=mask, negated=operator == "!=",
                kind=_lookup(elements) if is_set else "compare")  # fmt: skip


def _beyond(operator: str, right: object, field: Field) -> Elements:
    value, top = number_of(right, field), (1 << field.bits) - 1
    low, high = {"<": (0, value - 1), "<=": (0, value), ">": (value + 1, top),
                 ">=": (value, top)}[operator]  # fmt: skip
    return Elements(exact={}, spans=((((low, high),), None),))


def _vmap(inner: dict[str, object], set_of: SetOf) -> Match:
    fields = fields_of(inner.get("key"))
    elements = _elements(inner.get("data"), fields, set_of, is_map=True)
    return Match(fields=fields, elements=elements, kind=_lookup(elements))


LOOKING: Mapping[str, Callable[[dict[str, object], SetOf], Match]] = {
    "match": _match, "vmap": _vmap,
}  # fmt: skip
"""Statements that look at fields of the packet."""


def _lookup(elements: Elements) -> Kind:
    return "range_lookup" if elements.spans else "set_lookup"


def _elements(right: object, fields: tuple[Field, ...], set_of: SetOf, *, is_map: bool) -> Elements:
    if isinstance(right, str) and right.startswith("@"):
        return set_of(right[1:], fields)
    if isinstance(right, dict) and isinstance(right.get("set"), list):
        return elements_of(right["set"], fields, is_map=is_map)
    if len(fields) != 1:
        return elements_of([right], fields, is_map=False)
    low, high = span_of(right, fields[0])
    if low == high:
        return Elements(exact={(low,): None})
    return Elements(exact={}, spans=((((low, high),), None),))
