"""How many instructions of a pipeline the compiler calls instead of writing them in place.

``python benchmarks/own/calls.py KIND NUMBER...`` compiles pipelines of so many operations of one
kind. DPDK has a pipeline compiled as C: a compiler writes each instruction in place until functions
have grown by its limits, and calls the others.
"""

from __future__ import annotations

import argparse
import re
import subprocess

from linerate.measure.datapaths.swx.compiled import PipelineText, compile_program
from linerate.measure.datapaths.swx.spec.generated.cell_program import text_of
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram

CALL = re.compile(r"\bcall\s+[0-9a-f]+ <__instr_")


def calls_in(program: PipelineText) -> int:
    """Compile a pipeline, or find it compiled, and count calls of instructions in its code."""
    argv = ["objdump", "-d", "--no-show-raw-insn", compile_program(program)]
    code = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return len(CALL.findall(code))


def main() -> None:
    """Compile, count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind")
    parser.add_argument("numbers", nargs="+", type=int)
    asked = parser.parse_args()
    for number in asked.numbers:
        program = SwxProgram(base="parsed", operations=((asked.kind, number),))
        print(f"{number} {asked.kind}: {calls_in(text_of(program))} called")


if __name__ == "__main__":
    main()
