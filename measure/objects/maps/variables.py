"""Variables of an object, set before it is loaded, as lines of a runner's plan."""

from __future__ import annotations

from collections.abc import Iterator

from linerate.errors import bad_input
from linerate.measure.objects.listing import Map, ObjectListing
from linerate.measure.objects.maps.maps_file import Assignment
from linerate.measure.objects.maps.patterns import is_below, names_of, parts_of
from linerate.measure.objects.maps.values import refused, shown

_SECTIONS = (".rodata", ".data", ".bss")


def variable_lines(listing: ObjectListing, assignment: Assignment) -> Iterator[str]:
    """Write a line for each member of a variable that is set; the others stay as they are.

    Raises
    ------
    BadInputError
        No such variable, no BTF that would say where, or a value that does not fit.
    """
    section = _section_of(listing, assignment)
    parts = parts_of(
        assignment.value, section.value_bytes, section.value, assignment.where, assignment.name
    )
    for part, where in parts:
        if not isinstance(part.content, int):
            raise refused(where, part.content.kind, "a variable is one, not many", "a value")
        if part.offset_bits % 8 or part.bits % 8:
            raise refused(where, assignment.value, "a bit field cannot be set by itself",
                          "the bytes of the whole variable")  # fmt: skip
        content = part.content.to_bytes(part.bits // 8, "little").hex()
        yield f"set {section.name} {part.offset_bits // 8} {content}"


def _section_of(listing: ObjectListing, assignment: Assignment) -> Map:
    sections = [
        table
        for table in listing.maps
        if table.is_variables and table.name.startswith(_SECTIONS)
    ]  # fmt: skip
    name = assignment.name
    holding = [
        section
        for section in sections
        if name
        and any(member.name == name or is_below(member.name, name) for member in section.value)
    ]
    if len(holding) != 1:
        members = [member for section in sections for member in section.value]
        why = "several sections have such a variable" if holding else "there is no such variable"
        raise bad_input(
            shown(assignment.where), shown(name), why=why,
            allowed=names_of(members) if members else "none",
            do="correct the name; a constant needs `const volatile`, or the compiler folds it",
        )  # fmt: skip
    return holding[0]
