"""How many instructions of a pipeline the compiler calls instead of writing them in place.

``python -m benchmarks.models.calls KIND NUMBER...`` compiles pipelines of so many operations of one
kind, ``python -m benchmarks.models.calls FILE.spec...`` those. DPDK has a pipeline compiled as C: a
compiler writes each instruction in place until functions have grown by its limits, and calls the
others.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

from linerate.measure.datapaths.swx.compiled import PipelineText, compile_program
from linerate.measure.datapaths.swx.spec.generated.cell_program import text_of
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram

CALL = re.compile(r"\bcall\s+[0-9a-f]+ <__instr_")


def calls_in(program: PipelineText) -> int:
    """Compile a pipeline, or find it compiled, and count calls of instructions in its code."""
    argv = ["objdump", "-d", "--no-show-raw-insn", compile_program(program)]
    code = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return len(CALL.findall(code))


def pipelines(words: list[str]) -> dict[str, PipelineText]:
    """Read or generate what the command line names."""
    if words[0].endswith(".spec"):
        return {word: PipelineText(spec=Path(word).read_text()) for word in words}
    kind, *numbers = words
    return {
        f"{number} {kind}": text_of(SwxProgram(base="parsed", operations=((kind, int(number)),)))
        for number in numbers
    }


def main() -> None:
    """Compile, count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="+", metavar="KIND NUMBER... | FILE.spec...")
    for name, program in pipelines(parser.parse_args().words).items():
        print(f"{name}: {calls_in(program)} called")


if __name__ == "__main__":
    main()
