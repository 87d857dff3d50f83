"""Build the runners into the folder where they are looked for."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from linerate.errors import LinerateError, cannot_here
from linerate.measure.processes import built
from linerate.measure.setup.needs import Need, install_command, missing
from linerate.measure.system.machine import ROOT_PATH

SKELETON = "traffic.skel.h"
"""The generator's programs, as its runner takes them in."""
SAID_MAX = 2000
"""Characters of a compiler's words, the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What was built."""

    folder: Path
    carried: bool
    """Whether the BPF objects came with the wheel; compiled here if not."""
    objects: tuple[str, ...]
    runners: tuple[str, ...]
    lacking: tuple[Need, ...]
    """What is not there; what needs it was left out."""

    @property
    def install(self) -> str:
        """Command that gets what is lacking; empty where nothing is."""
        return install_command(self.lacking) if self.lacking else ""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {**asdict(self), "folder": str(self.folder), "install": self.install}


def build(*, again: bool = False) -> Setup:
    """Build what is not built yet; a second time it only checks.

    Parameters
    ----------
    again
        Whether all of it is built anew, as after an upgrade of the system's libraries.

    Raises
    ------
    CannotHereError
        What every runner needs is not installed: the Debian packages that have it.
    LinerateError
        The folder cannot be written, or a compiler refuses.
    """
    carried = _carried()
    lacking = missing(objects=carried is None)
    if needed := [need for need in lacking if not need.optional]:
        raise cannot_here(
            ", ".join(need.name for need in needed),
            why=f"{' and '.join(dict.fromkeys(need.builds for need in needed))} cannot be built "
            "without", do=f"on Debian and Ubuntu: {install_command(lacking)}",
        )  # fmt: skip
    folder = built.build_folder()
    with _one_at_a_time(folder):
        if again:
            shutil.rmtree(folder / "native", ignore_errors=True)
        _objects(folder, carried)
        output = _make("measure/native", f"OUT={folder / 'native'}", f"BPF={folder / 'bpf'}",
                     f"DPDK={folder / 'dpdk'}")  # fmt: skip
    if output and not lacking:
        raise LinerateError(f"{folder}: not all of it can be built: {output}")
    return Setup(folder=folder, carried=carried is not None, lacking=lacking,
                 objects=_names(folder / "bpf", "*.bpf.o"),
                 runners=_runners(folder / "native", output))  # fmt: skip


def _carried() -> Path | None:
    """Folder of the BPF objects that a wheel carries; None in a clone, or a wheel without."""
    folder = built.PACKAGE / "build/bpf"
    return folder if not built.is_clone() and (folder / SKELETON).is_file() else None


def _objects(folder: Path, carried: Path | None) -> None:
    """Put the BPF objects where runners look for them, whole or not at all."""
    if carried is None:
        if output := _make("bpf", f"OUT={folder / 'bpf'}"):
            raise LinerateError(f"{folder}: BPF programs cannot be compiled: {output}")
        return
    if (folder / "bpf").is_dir():
        return  # the folder's name is that of these sources
    beside = folder / f"bpf.{os.getpid()}"
    shutil.copytree(carried, beside)
    beside.rename(folder / "bpf")


def _make(part: str, *variables: str) -> str:
    """Run make on our sources, on all that can be built; return what it says where not all can."""
    argv = ["make", "-s", "-k", f"-j{os.cpu_count() or 1}", "-C", str(built.PACKAGE / part),
            "WERROR=", *variables]  # fmt: skip
    path = {"PATH": os.environ.get("PATH", "") + ROOT_PATH}
    done = subprocess.run(
        argv, env={**os.environ, **path}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    return done.stderr.strip()[-SAID_MAX:] if done.returncode else ""


def _runners(folder: Path, output: str) -> tuple[str, ...]:
    """Name what was built; without the generator nothing can be measured."""
    found = tuple(name for name in _names(folder, "*") if os.access(folder / name, os.X_OK))
    if "traffic" not in found:
        raise LinerateError(f"{folder}: no generator was built: {output}")
    return found


def _names(folder: Path, pattern: str) -> tuple[str, ...]:
    return tuple(sorted(path.name for path in folder.glob(pattern) if path.is_file()))


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait until no other process builds here."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise LinerateError(
            f"{folder}: it cannot be written ({error.strerror}); name another by LINERATE_BUILD"
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
