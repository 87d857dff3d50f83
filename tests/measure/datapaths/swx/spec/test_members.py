"""Members of selectors from files: refused line by line, or printed by us."""

import pytest

from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.spec.entries import read_entries
from linerate.measure.datapaths.swx.spec.file import parse_spec

from ..swx_programs import SELECTOR, pipeline

SPEC = parse_spec(pipeline("\ttable s", declared=SELECTOR).spec)
REFUSED = {
    "an entry of a table": ("match 0 action mark value 7", "not a member of a group.*group NUMBER"),
    "words of a shell": ("group 0 member 1 weight 1 ; reboot\ngroup 0 member $(x)", "character"),
    "a member without a number": ("group 0 member", "not a member of a group"),
    "more words": ("group 0 member 1 weight 1 weight 2", "not a member of a group"),
    "a name for a number": ("group 0 member one", "one is not a number"),
    "a negative number": ("group 0 member -1", "character without meaning"),
    "33 bits": ("group 0 member 0x100000000", "at most 32 bits"),
    "a member beyond the last": ("group 0 member 8", r"no member 8; allowed: 0\.\.7"),
    "a group beyond the last": ("group 4 member 1", r"no group 4; allowed: 0\.\.3"),
    "a gap": ("group 0 member 1\ngroup 2 member 1", "no group 1 before it"),
    "a member twice": ("group 0 member 1\ngroup 0 member 0x1 weight 2", "member 1 already"),
    "no weight": ("group 0 member 1 weight 0", "weight is 0"),
    "too many": ("group 0 member 1 weight 5\ngroup 0 member 2 weight 4", "the group's 9.*8 of"),
}


def read(tmp_path, lines, name="s"):
    (tmp_path / "m.txt").write_text(lines)
    return read_entries(SPEC, name, tmp_path / "m.txt")


def test_members_are_printed_by_us_whatever_they_were_written_like(tmp_path):
    lines = "# of the study\ngroup 0  member 0X05 weight 010 // octal\n\ngroup\t1 member 7"
    assert read(tmp_path, lines) == "group 0 member 5 weight 8\ngroup 1 member 7 weight 1\n"


@pytest.mark.parametrize(("lines", "why"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused_with_its_line(tmp_path, lines, why):
    with pytest.raises(BadInputError, match=rf"(?s)m\.txt.*{why}"):
        read(tmp_path, lines)


def test_a_name_of_neither_is_refused_with_those_that_can_be_filled(tmp_path):
    with pytest.raises(BadInputError, match=r"table=t: .*no selector; allowed: s;"):
        read(tmp_path, "group 0 member 1", name="t")
