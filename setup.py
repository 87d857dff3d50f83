"""What pyproject.toml cannot say: wheels carry BPF objects, compiled where clang is."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

TOOLS = ("make", "clang", "llvm-strip", "bpftool")
SOURCES = ("bpf", "measure")
SUFFIXES = {".c", ".h", ".mk", ".sh", ""}
OBJECTS = Path("build") / "bpf"
"""In the package: where a clone has them too."""
ROOT = Path(__file__).resolve().parent
SBIN = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
"""Debian keeps bpftool off an ordinary user's path."""


class BuildWithObjects(build_py):
    """Adds objects of BPF programs, which any little-endian CPU's kernel loads, and a stamp."""

    def run(self) -> None:
        """Copy the package; a folder of an earlier build would leave in it what is gone."""
        if self.editable_mode:
            super().run()
            return
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        package = Path(self.build_lib).resolve() / "linerate"
        self._compile(package)
        (package / "build").mkdir(exist_ok=True)
        (package / "build/stamp").write_text(_stamp(package) + "\n", encoding="ascii")

    def _compile(self, package: Path) -> None:
        lacking = [name for name in TOOLS if shutil.which(name, path=SBIN) is None]
        if lacking:
            self.warn(f"no BPF objects in this wheel, for want of {', '.join(lacking)}")
            return
        done = subprocess.run(
            ["make", "-s", f"-j{os.cpu_count()}", "-C", ROOT / "src/linerate/bpf",
             f"OUT={package / OBJECTS}"],
            env={**os.environ, "PATH": SBIN}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            self.warn(f"no BPF objects in this wheel: {done.stderr.strip()[-2000:]}")
            shutil.rmtree(package / OBJECTS)
            return
        for settings in (package / "data/campaigns/own").glob("*.toml"):  # a link, in a clone
            name = f"{settings.stem}.bpf.o"
            shutil.copy(package / OBJECTS / name, settings.with_name(name))


def _stamp(package: Path) -> str:
    """Name the sources of runners: what another release built is not taken for this one's."""
    digest = hashlib.sha256()
    for path in sorted(one for folder in SOURCES for one in (package / folder).rglob("*")):
        if path.is_file() and path.suffix in SUFFIXES:
            digest.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


setup(
    cmdclass={"build_py": BuildWithObjects}, options={"build": {"build_base": "build/wheel"}}
)  # fmt: skip
