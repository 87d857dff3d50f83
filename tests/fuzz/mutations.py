"""Pipelines that are nearly right: real ones, changed by byte, word, line or block."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.generated.text import spec_text
from linerate.measure.datapaths.swx.spec.kinds import INSTRUCTION_KINDS, OPERATIONS_MAX

NUMBERS = ("0", "1", "2", "3", "7", "8", "16", "63", "64", "255", "256", "65535", "65536",
           "0xffffffff", "0x100000000", "0xffffffffffffffff", "4294967295")  # fmt: skip
WORDS = (*INSTRUCTION_KINDS, "{", "}", ":", "none", "const", "bit<8>", "bit<64>", "bit<2040>",
         "varbit<64>", "exact", "lpm", "wildcard", "@defaultonly", "instanceof", "args", "h.", "m.",
         "t.", '"', "//", "#", "\\", "/**/", "\r", "\x0b", "")  # fmt: skip
Mutation = Callable[[random.Random, list[str], Sequence[list[str]]], None]


def corpus(folders: Sequence[Path]) -> list[list[str]]:
    """Lines of generated pipelines of every kind, and of the files of folders."""
    programs = [SwxProgram(), SwxProgram(base="l2l3")]
    programs += [SwxProgram(operations=((kind, 2),)) for kind in OPERATIONS_MAX]
    mix = tuple((kind, 1) for kind in OPERATIONS_MAX)
    programs += [SwxProgram(operations=mix), SwxProgram(base="l2l3", operations=mix)]
    texts = [spec_text(program) for program in programs]
    files = [path for folder in folders for path in sorted(folder.rglob("*.spec"))]
    texts += [path.read_text(encoding="latin-1") for path in files]
    return [text.split("\n") for text in texts]


def mutants(seed: int, pipelines: Sequence[list[str]]) -> Iterator[bytes]:
    """Change one pipeline after another, without end; the same seed gives the same ones."""
    draw = random.Random(seed)
    while True:
        lines = list(draw.choice(pipelines))
        for _ in range(draw.choice((1, 1, 1, 2, 3, 5))):
            draw.choice(MUTATIONS)(draw, lines, pipelines)
        data = "\n".join(lines).encode("latin-1")
        yield _changed_bytes(draw, data) if draw.random() < 0.1 else data


def _changed_bytes(draw: random.Random, data: bytes) -> bytes:
    place = draw.randrange(len(data) + 1)
    more = draw.randbytes(draw.choice((0, 1, 1, 2, 3000)))
    return data[:place] + more + data[place + draw.choice((0, 1, 1, 7)) :]


def _place(draw: random.Random, lines: Sequence[str]) -> int:
    return draw.randrange(max(len(lines), 1))


def _other_word(draw: random.Random, lines: list[str], others: Sequence[list[str]]) -> None:
    """Words mostly of the same pipeline: those it knows."""
    place = _place(draw, lines)
    words = lines[place].split() if lines else []
    if not words:
        return
    known = draw.choice([line for line in lines if line.strip()]).split()
    source = draw.choice((known, known, known, NUMBERS, WORDS))
    words[_place(draw, words)] = draw.choice(source)
    lines[place] = " ".join(words)


def _other_number(draw: random.Random, lines: list[str], others: Sequence[list[str]]) -> None:
    places = [place for place, line in enumerate(lines) if any(map(str.isdigit, line))]
    if not places:
        return
    place = draw.choice(places)
    words = lines[place].split()
    which = [number for number, word in enumerate(words) if word[0].isdigit()]
    if which:
        words[draw.choice(which)] = draw.choice(NUMBERS)
        lines[place] = " ".join(words)


def _lost_line(draw: random.Random, lines: list[str], others: Sequence[list[str]]) -> None:
    del lines[_place(draw, lines) :][:1]
    if lines:
        del lines[_place(draw, lines)]


def _repeated_line(draw: random.Random, lines: list[str], others: Sequence[list[str]]) -> None:
    if lines:
        place = _place(draw, lines)
        lines[place:place] = [lines[place]] * draw.choice((1, 1, 2, 70, 200))


def _swapped_lines(draw: random.Random, lines: list[str], others: Sequence[list[str]]) -> None:
    if lines:
        one, other = _place(draw, lines), _place(draw, lines)
        lines[one], lines[other] = lines[other], lines[one]


def _moved_line(draw: random.Random, lines: list[str], others: Sequence[list[str]]) -> None:
    """An instruction of this pipeline to another of its places."""
    code = [line for line in lines if line.split()[:1] and line.split()[0] in INSTRUCTION_KINDS]
    if code:
        lines.insert(_place(draw, lines), draw.choice(code))


def _foreign_lines(draw: random.Random, lines: list[str], others: Sequence[list[str]]) -> None:
    other = draw.choice(others)
    place, count = _place(draw, other), draw.choice((1, 2, 8))
    at = _place(draw, lines)
    lines[at:at] = other[place : place + count]


def _foreign_block(draw: random.Random, lines: list[str], others: Sequence[list[str]]) -> None:
    """A whole statement, to its brace: an action, a table, a struct."""
    other = draw.choice((lines, draw.choice(others)))
    starts = [place for place, line in enumerate(other) if line.endswith("{") and line[0] != "\t"]
    if not starts:
        return
    start = draw.choice(starts)
    end = next((place for place in range(start, len(other)) if other[place] == "}"), start)
    block = other[start : end + 1]
    if other is lines and draw.random() < 0.3:
        del lines[start : end + 1]
        return
    name = block[0].split()
    if len(name) > 2:
        block[0] = block[0].replace(name[1], f"{name[1]}_{draw.randrange(100)}", 1)
    lines[0:0] = block


MUTATIONS: tuple[Mutation, ...] = (
    _other_word, _other_word, _other_word, _other_number, _other_number, _lost_line,
    _repeated_line, _swapped_lines, _moved_line, _moved_line, _foreign_lines, _foreign_block,
)  # fmt: skip
