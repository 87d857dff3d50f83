"""What P4 can say is compiled where its compiler is, and held to the generated pipeline."""

import pytest

from linerate.errors import LinerateError
from linerate.measure.datapaths.swx.spec.file import parse_spec
from linerate.measure.datapaths.swx.spec.generated.cell_program import text_of
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.generated.text import spec_text
from linerate.measure.datapaths.swx.spec.p4_source import P4_PROGRAMS
from linerate.measure.datapaths.swx.spec.printed import print_spec

REGISTERS = P4_PROGRAMS["registers"]


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    """A stand-in for p4c-dpdk, which Debian 12 lacks: it puts a .spec where it is told."""

    def making(spec):
        made, tool = tmp_path / "made.spec", tmp_path / "p4c-dpdk"
        made.write_text(spec)
        tool.write_text(f'#!/bin/sh\ncp {made} "$4"\n')
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    return making


def also(instruction):
    return spec_text(REGISTERS).replace("mov m.port_out 0", f"mov m.port_out 0\n\t{instruction}")


def test_compiled_p4_runs_in_place_of_the_generated_pipeline(compiler):
    compiler(also("mov m.port_out 0"))
    compiled = text_of(REGISTERS)
    assert compiled.spec == print_spec(parse_spec(also("mov m.port_out 0")))
    assert compiled.content_hash != text_of(SwxProgram()).content_hash


def test_compiled_p4_that_does_something_else_is_refused(compiler):
    compiler(also("add h.ipv4.ttl 3"))
    with pytest.raises(LinerateError, match=r"p4=registers: .* makes it execute 1 add for 0"):
        text_of(REGISTERS)


@pytest.mark.parametrize(
    "program",
    [
        SwxProgram(operations=(("recirculate", 2),)),
        SwxProgram(operations=REGISTERS.operations, registers=64),
        SwxProgram(operations=REGISTERS.operations, base="l2l3"),
    ],
)
def test_what_no_p4_source_says_is_generated(compiler, program):
    compiler("no pipeline")
    assert text_of(program).spec == spec_text(program)
