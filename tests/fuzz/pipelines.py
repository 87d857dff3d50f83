"""Read changed pipelines; generate, compile and run those that are accepted, under ASan.

``make fuzz`` runs it. What is found stays in ``build/fuzz``: the pipeline, and what was said of it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.spec.checks.guard import guarded
from linerate.measure.datapaths.swx.spec.checks.padding import padded
from linerate.measure.datapaths.swx.spec.checks.ports import last_port
from linerate.measure.datapaths.swx.spec.file import parse_spec, read_spec
from linerate.measure.datapaths.swx.spec.printed import print_spec
from linerate.measure.processes import built

from .mutations import corpus, mutants

HERE = Path(__file__).resolve().parent
NATIVE = HERE.parents[1] / "measure/native"
SECONDS_MAX = 120.0
SANITIZE = ("-g", "-fsanitize=address", "-fno-omit-frame-pointer")
IPV4, IPV6, ARP = "0800", "86dd", "0806"
ETHERNET = "02000000000202000000000108"
PACKETS = tuple(
    bytes.fromhex(f"020000000002020000000001{kind}") + bytes.fromhex(head) + bytes([fill]) * rest
    for kind, head, fill, rest in (
        (IPV4, "4500002e000000004011f96bc6120001c6130000040004000000", 0x5A, 20),
        (IPV4, "4f00002e000000004011f96bc6120001c6130000", 0xFF, 1480),
        (IPV6, "60", 0x11, 45), (ARP, "0001", 0x00, 44), ("ffff", "", 0xFF, 46),
    )
)  # fmt: skip
DRAWN = "".join(f"packet {packet.hex()}\n" for packet in PACKETS) + (
    "trial --seconds 0.005 --frame-bytes 64,1518 --flows 16\n"
)


@dataclass(slots=True)
class Outcome:
    """How many pipelines came how far."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items()))
        return "\n".join([counts, *self.failures])


@dataclass(frozen=True, slots=True)
class Sanitized:
    """What is built with ASan, and where."""

    folder: Path

    @classmethod
    def build(cls, folder: Path) -> Sanitized:
        """Build the runner and the generator."""
        folder.mkdir(parents=True, exist_ok=True)
        _run(["make", "-s", "-C", NATIVE, f"OUT={folder}", f"{folder}/swx_run"],
             CFLAGS=" ".join(SANITIZE), LDFLAGS=f"-fsanitize=address {folder}/room.o",
             before=["cc", *SANITIZE, "-c", "-o", folder / "room.o", HERE / "room.c"])  # fmt: skip
        _run(["cc", *SANITIZE, *_dpdk("--cflags"), "-DALLOW_EXPERIMENTAL_API", "-o",
              folder / "generate", HERE / "generate.c", *_dpdk("--libs")])  # fmt: skip
        return cls(folder)

    def try_pipeline(self, text: str) -> tuple[str, str]:
        """Take a pipeline through all of it; how far it came, and what was said."""
        name = self.folder / hashlib.sha256(text.encode()).hexdigest()[:16]
        code, library = name.with_suffix(".c"), name.with_suffix(".so")
        try:
            for stage, argv, given in self._stages(code, library, text):
                done = subprocess.run(
                    list(map(str, argv)), input=given, capture_output=True, text=True, check=False,
                    timeout=SECONDS_MAX, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
                )  # fmt: skip
                if stage == "generated" and done.returncode == 2:
                    return "refused by DPDK", done.stderr
                if stage == "generated":
                    code.write_text(done.stdout)
                if "AddressSanitizer" in done.stderr or done.returncode not in (0, 2, 3):
                    return "failed", f"{stage}: {done.returncode}: {done.stderr[:4000]}"
                if done.returncode:
                    return f"not {stage}", done.stderr
        except subprocess.TimeoutExpired:
            return "failed", f"no end after {SECONDS_MAX} s"
        finally:
            for path in (code, library):
                path.unlink(missing_ok=True)
        return "ran", ""

    def _stages(
        self, code: Path, library: Path, text: str
    ) -> Iterator[tuple[str, Sequence[object], str]]:
        yield "generated", [self.folder / "generate"], text
        include = built.build_folder() / "dpdk/include"
        yield "compiled", ["cc", "-O0", *SANITIZE, "-w", "-fpic", "-shared", "-I", include,
                           *_dpdk("--cflags"), "-o", library, code], ""  # fmt: skip
        sha256 = hashlib.sha256(library.read_bytes()).hexdigest()
        yield "run", [self.folder / "swx_run", "--library", library, "--library-sha256", sha256,
                      "--port", "ring", "--main-core", "0", "--worker-cores", "0",
                      "--oversubscribe", "--memory-mib", "512"], DRAWN  # fmt: skip


def _dpdk(what: str) -> list[str]:
    return _run(["pkg-config", what, "libdpdk"]).split()


def _run(argv: Sequence[object], before: Sequence[object] = (), **environment: str) -> str:
    if before:
        _run(before)
    return subprocess.run(
        list(map(str, argv)), check=True, stdout=subprocess.PIPE, text=True,
        env={**os.environ, **environment},
    ).stdout  # fmt: skip


def accepted(specs: Iterable[bytes], folder: Path, outcome: Outcome) -> Iterator[str]:
    """Read pipelines; yield each text that DPDK would get once. Only refusals are not failures."""
    seen: set[str] = set()
    path = folder / "read.spec"
    for data in specs:
        outcome.counts["read"] += 1
        path.write_bytes(data)
        try:
            spec = read_spec(path)
            if parse_spec(print_spec(spec)) != spec:
                raise AssertionError("printed and read again it is another")
        except BadInputError:
            continue
        except Exception as error:
            kept = folder / f"failed-{outcome.counts['read']}.spec"
            kept.write_bytes(data)
            outcome.failures.append(f"{kept}: {error!r}")
            continue
        outcome.counts["accepted"] += 1
        text = print_spec(padded(guarded(spec, last_port(spec))))
        if text not in seen:
            seen.add(text)
            outcome.counts["accepted, each once"] += 1
            yield text


def fuzz(specs: int, compiled: int | None, seed: int, folders: Sequence[Path]) -> Outcome:
    """Read so many changed pipelines, and take at most so many of the accepted ones through all."""
    outcome, folder = Outcome(), built.build_folder() / "fuzz"
    sanitized = Sanitized.build(folder)
    drawn = islice(mutants(seed, corpus(folders)), specs)
    texts = list(accepted(drawn, folder, outcome))
    print(outcome, file=sys.stderr, flush=True)
    with ThreadPoolExecutor(2) as pool:
        for number, (text, (how, output)) in enumerate(
            zip(texts[:compiled], pool.map(sanitized.try_pipeline, texts[:compiled]), strict=True)
        ):
            outcome.counts[how] += 1
            if how != "ran":
                kept = folder / f"{how.replace(' ', '-')}-{number}.spec"
                kept.write_text(f"{text}\n// {output[:1500]!a}\n")
                outcome.failures += [f"{kept}: {output}"] if how == "failed" else []
            if number % 100 == 99:
                print(outcome, file=sys.stderr, flush=True)
    return outcome


def main() -> int:
    """Print how many came how far; 1 where something failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=20000)
    parser.add_argument("--compiled", type=int, help="of the accepted ones (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="folder of .spec")
    args = parser.parse_args()
    folders = [built.build_folder() / "dpdk/examples", *args.corpus]
    outcome = fuzz(args.specs, args.compiled, args.seed, folders)
    print(outcome)
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
