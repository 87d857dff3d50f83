"""Sources of programs of ours: all there, with all headers, and none of others."""

import re

import pytest

from linerate.measure.datapaths.registry import datapaths
from linerate.measure.datapaths.sources import named_sources, sources_of

PROGRAMS = [(one.name, program) for one in datapaths().values() for program in one.programs]


@pytest.mark.parametrize(("datapath", "program"), PROGRAMS)
def test_every_program_of_ours_names_sources_that_are_there(repository, datapath, program):
    named = named_sources(datapath, program)
    assert named
    assert all((repository / name).exists() for name in named)
    assert sources_of([(datapath, program)], repository)


def test_every_header_of_ours_that_a_source_includes_comes_with_it(repository):
    found = sources_of(PROGRAMS, repository)
    ours = {path.name for room in ("bpf", "measure") for path in (repository / room).rglob("*.h")}
    asked = {name.rpartition("/")[2] for content in found.values()
             for name in re.findall(r'#include "([^"]+)"', content.decode())}  # fmt: skip
    there = {name.rpartition("/")[2] for name in found}
    assert asked & ours
    assert asked & ours <= there


def test_programs_of_ones_own_and_unknown_datapaths_have_none():
    assert sources_of([("xdp_native", "mine/router.bpf.o"), ("elsewhere", "map_lookup")]) == {}


def test_a_changed_header_is_another_source(tmp_path):
    texts = {"bpf/map_lookup.bpf.c": '#include "map_lookup.h"\n', "bpf/map_lookup.h": "1"}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    before = sources_of([("xdp_native", "map_lookup")], tmp_path)
    (tmp_path / "bpf/map_lookup.h").write_text("2")
    after = sources_of([("xdp_native", "map_lookup")], tmp_path)
    assert set(before) == set(after)
    assert [name for name in before if before[name] != after[name]] == ["bpf/map_lookup.h"]
