"""Read the members of a selector's groups, as strictly as entries of tables.

A line is ``group NUMBER member NUMBER weight NUMBER``, as DPDK's own pipeline application has it.
What fits is what ``group_check`` and ``group_set`` of DPDK's rte_swx_table_selector.c let through.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from linerate.measure.datapaths.swx.spec.lines import Line, number_in
from linerate.measure.datapaths.swx.spec.spec import Selector

NUMBER_BITS = 32
FORM = "group NUMBER member NUMBER weight NUMBER, the weight if it is not 1"


@dataclass(frozen=True, slots=True)
class _Groups:
    """What the lines so far have said."""

    members: list[set[int]] = field(default_factory=list)
    """Of each group."""
    weights: list[int] = field(default_factory=list)
    """Of each group, the sum."""

    def add(self, selector: Selector, line: Line, group: int, member: int, weight: int) -> None:
        """Note a member, refused where DPDK would take it for another or has no room for it."""
        if group >= selector.groups_max:
            raise line.refuse(f"there is no group {group}", f"0..{selector.groups_max - 1}")
        if member >= selector.members_per_group_max:
            raise line.refuse(
                f"there is no member {member}", f"0..{selector.members_per_group_max - 1}"
            )
        if group > len(self.members):
            raise line.refuse(
                f"there is no group {len(self.members)} before it",
                "groups from 0, the next after those that are there", "number them so",
            )  # fmt: skip
        if group == len(self.members):
            self.members.append(set())
            self.weights.append(0)
        if member in self.members[group]:
            raise line.refuse(f"group {group} has member {member} already", "each member once")
        self.members[group].add(member)
        self.weights[group] += weight
        if not weight or self.weights[group] > selector.members_per_group_max:
            raise line.refuse(
                f"its weight is {weight}, the group's {self.weights[group]}",
                f"from 1, and at most {selector.members_per_group_max} of a group: it has so many "
                "places, and a member as many of them as it weighs",
            )  # fmt: skip


def members_text(selector: Selector, lines: Iterator[Line]) -> str:
    """Write the members of a selector anew, one a line, as the runner gets them.

    Raises
    ------
    BadInputError
        A line of another form, a group or member that does not fit; with the line.
    """
    groups, text = _Groups(), []
    for line in lines:
        group, member, weight = _numbers(line)
        groups.add(selector, line, group, member, weight)
        text.append(f"group {group} member {member} weight {weight}\n")
    return "".join(text)


def _numbers(line: Line) -> tuple[int, int, int]:
    words = line.words if len(line.words) > 4 else (*line.words, "weight", "1")
    if words[::2] != ("group", "member", "weight") or len(words) != 6:
        raise line.refuse("it is not a member of a group", FORM)
    group, member, weight = (number_in(line, word, NUMBER_BITS) for word in words[1::2])
    return group, member, weight
