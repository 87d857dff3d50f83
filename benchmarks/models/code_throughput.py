"""Whether generated code says what hides: ``python -m benchmarks.models.code_throughput TABLE...``.

Each work's pipeline is generated and compiled as it was measured. Its straight code, up to where it
calls what is not known, is given to llvm-mca, which answers in cycles: once as if loads never wait
for stores, once as if all did. What the code of several kinds together takes less than that of each
alone stands in the place of what the law of `models/operations/overlap.py` says that hides; how
much of it does is fitted as there.

References
----------
Andrea Di Biagio, llvm-mca, the LLVM machine code analyzer (2018).
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast
from unittest.mock import patch

from benchmarks.models.form_floor import errors

from linerate.measure.datapaths.swx.compiled import compile_program
from linerate.measure.datapaths.swx.spec.generated.cell_program import text_of
from linerate.measure.datapaths.swx.spec.generated.operation_lines import in_turn
from linerate.measure.datapaths.swx.spec.generated.program import Base, SwxProgram
from linerate.models.operations import Mixes, mix_runs
from linerate.models.operations.held_out import held_out
from linerate.models.operations.overlap import WALLS
from linerate.models.operations.own import BARE
from linerate.models.operations.work import Operations, Work
from linerate.tables.runs import read_runs

MCA = ("llvm-mca", "-mcpu=rocketlake", "-iterations=100", "-resource-pressure=0",
       "-instruction-info=0")  # fmt: skip
"""Rocket Lake is what the tables' CPU (family 6, model 167) is."""
CYCLE_NS = 0.35
"""About the machine's; what share of it hides is fitted on top."""
HASHES = """
#include <rte_hash_crc.h>
#include <rte_jhash.h>
uint32_t hash_crc32(const void *key) { return rte_hash_crc(key, 13, 0); }
uint32_t hash_jhash(const void *key) { return rte_jhash(key, 13, 0); }
"""
"""What the pipelines call through a pointer."""
_FUNCTION, _LINE = re.compile(r"[0-9a-f]+ <([\w.@]+)>:"), re.compile(r" *([0-9a-f]+):\t(.*)")
_NOTHING = re.compile(r"(cs |data16 )*nop|endbr|xchg +%ax,%ax")
_Code = Mapping[str, Sequence[tuple[int, str]]]


def main() -> None:
    """Print the error of each sort of what is held out, by the law and by the code."""
    forms = {"the law": Mixes, "no load waits": _Apart, "all loads wait": _Waiting}
    for folder in map(Path, sys.argv[1:]):
        works, times_ns = mix_runs(read_runs([folder])).medians()
        for name, form in forms.items():
            with patch("linerate.models.operations.held_out.Mixes", form):
                found = errors(list(held_out(works, times_ns)))
            for sort in ("mix", "mix_number"):
                print(f"{folder.name}, {sort}, {name}: {found.get(sort)} %", flush=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Apart(Mixes):
    """What hides by the code, where a load never waits for a store."""

    def hidden_ns(self, work: Work) -> float:
        return _hidden_ns(work, no_alias=True)

    def linked_ns(self, work: Work) -> float:
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting(_Apart):
    """The same where each load waits for the stores before it."""

    def hidden_ns(self, work: Work) -> float:
        return _hidden_ns(work, no_alias=False)


def _hidden_ns(work: Work, *, no_alias: bool) -> float:
    free = tuple(step for step in work.steps if step[0].split("_")[0] not in WALLS)
    if len(free) < 2 or work.base == BARE:
        return 0.0
    bare = _cycles(work.base, (), no_alias)
    alone = sum(_cycles(work.base, (step,), no_alias) - bare for step in free)
    return max(0.0, CYCLE_NS * (alone - _cycles(work.base, free, no_alias) + bare))


@cache
def _cycles(base: str, steps: Operations, no_alias: bool) -> float:
    return sum(_block_cycles("\n".join(block) + "\n", no_alias) for block in _blocks(base, steps))


@cache
def _block_cycles(text: str, no_alias: bool) -> float:
    out = _run([*MCA, f"-noalias={str(no_alias).lower()}"], text)
    found = re.search(r"Total Cycles: +(\d+)", out)
    assert found is not None, out
    return int(found[1]) / 100


def _blocks(base: str, steps: Operations) -> list[list[str]]:
    """Take the straight code of a pipeline's functions, in the order in which they run."""
    program = SwxProgram(base=cast(Base, base), operations=steps)
    code = _functions(compile_program(text_of(program)))
    called = iter([_hashes()[kind] for kind, _ in in_turn(program) if kind.startswith("hash")])
    names = sorted((name for name in code if name.startswith("pipeline_func_")),
                   key=lambda name: int(name.rpartition("_")[2]))  # fmt: skip
    return [block for name in names if (block := list(_walk(code, name, called)))]


@cache
def _hashes() -> dict[str, list[str]]:
    flags = shlex.split(_run(["pkg-config", "--cflags", "libdpdk"]))
    with TemporaryDirectory() as folder:
        path = Path(folder, "hashes.o")
        _run(["cc", "-O3", "-fpic", "-Wno-deprecated-declarations", *flags, "-x", "c", "-c", "-",
              "-o", path], HASHES)  # fmt: skip
        code = _functions(path)
    return {kind: list(_walk(code, kind, iter(()))) for kind in ("hash_crc32", "hash_jhash")}


def _functions(path: Path) -> _Code:
    found: dict[str, list[tuple[int, str]]] = {}
    own: list[tuple[int, str]] = []
    for line in _run(["objdump", "-d", "--no-show-raw-insn", "-M", "suffix", path]).splitlines():
        if name := _FUNCTION.match(line):  # a call through the linker's table leaves the file
            own = found.setdefault(name[1], []) if not name[1].endswith("plt") else []
        elif code := _LINE.match(line):
            own.append((int(code[1], 16), code[2].split("#")[0].strip()))
    return found


def _walk(code: _Code, name: str, called: Iterator[list[str]]) -> Iterator[str]:
    """Follow a function's instructions as they run; what is not known ends it."""
    places = {address: place for place, (address, _) in enumerate(code[name])}
    place = 0
    while place < len(code[name]):
        text = code[name][place][1]
        first = text.split()[0]
        if first.startswith("jmp"):
            place = places[int(text.split()[1], 16)]
            continue
        callee = re.search(r"<([\w.@]+)>", text) if first.startswith("call") else None
        if first.startswith("ret") or (callee and callee[1] not in code):
            return
        if first.startswith("call"):
            yield from _walk(code, callee[1], called) if callee else next(called, [])
        elif not _NOTHING.match(text):
            yield f"{first} out" if first.startswith("j") else re.sub(r"<.*", "", text)
        place += 1


def _run(argv: Sequence[str | Path], text: str | None = None) -> str:
    return subprocess.run(argv, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
