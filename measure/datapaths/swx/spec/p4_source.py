"""The P4 sources of ``p4/``, and what DPDK's compiler makes of them."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from linerate.errors import LinerateError, cannot_here
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram

COMPILER = "p4c-dpdk"
COMPILE_SECONDS_MAX = 120.0
P4_PROGRAMS: dict[str, SwxProgram] = {
    "l2l3": SwxProgram(base="l2l3"),
    "registers": SwxProgram(operations=(("register_read_32", 10), ("register_write_32", 10))),
    "tables": SwxProgram(
        operations=(("table_exact", 1), ("table_lpm", 1), ("table_wildcard", 1)),
    ),
    "hash": SwxProgram(operations=(("hash_crc32", 10),)),
    "arithmetic": SwxProgram(
        operations=(("add", 20), ("and", 10), ("shift_left", 20), ("shift_right", 20)),
    ),
}  # fmt: skip
"""The generated pipeline that does the same, by name of the P4 program. P4 cannot say
recirculation on this target, jhash, or the number of operations as a parameter."""


def p4_source(name: str) -> Path:
    """Path of a program's source."""
    return Path(__file__).resolve().parents[4] / "p4" / name / f"{name}.p4"


def p4_name_of(program: SwxProgram) -> str | None:
    """Name of the P4 program that does the same as a generated pipeline, where there is one.

    >>> p4_name_of(SwxProgram(base="l2l3")), p4_name_of(SwxProgram())
    ('l2l3', None)
    """
    for name, same in P4_PROGRAMS.items():
        if dict(same.operations) == dict(program.operations) and (
            replace(same, operations=program.operations) == program
        ):
            return name
    return None


def compile_p4(source: Path, folder: Path) -> Path:
    """Compile a P4 program into a folder and return its .spec.

    Raises
    ------
    CannotHereError
        The compiler is not installed.
    LinerateError
        It refuses the program; with what it said.
    """
    compiler = shutil.which(COMPILER)
    if compiler is None:
        raise cannot_here(
            COMPILER, why="P4 sources cannot be compiled; Debian 12 has no package of it",
            do="use the generated pipelines, or install p4c with its DPDK backend",
        )  # fmt: skip
    out = folder / f"{source.stem}.spec"
    done = subprocess.run(
        [compiler, "--arch", "psa", *_own_architecture(compiler), "-o", str(out), str(source)],
        capture_output=True, text=True, timeout=COMPILE_SECONDS_MAX, check=False,
    )  # fmt: skip
    if done.returncode:
        output = done.stderr.strip()[:500]
        raise LinerateError(
            f"program={source.name}: {COMPILER} refuses it: {output}; allowed: what its DPDK "
            "backend supports; use the generated pipeline"
        )
    return out


def _own_architecture(compiler: str) -> list[str]:
    """Name the back end's own ``psa.p4`` where it is there: the default one is bmv2's."""
    folder = Path(compiler).resolve().parents[1] / "share/p4c/p4include/dpdk"
    return ["-I", str(folder)] if (folder / "psa.p4").is_file() else []
