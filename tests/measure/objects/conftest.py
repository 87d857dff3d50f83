"""BPF objects that are compiled when a test needs them."""

import os
import subprocess

import pytest

from .programs.sources import SOURCES

INCLUDE = f"-I/usr/include/{os.uname().machine}-linux-gnu"


@pytest.fixture(scope="session")
def compiled(tmp_path_factory):
    """Compile one of the sources and return the object's path; each once."""
    folder, paths = tmp_path_factory.mktemp("objects"), {}

    def build(name="router", *flags):
        if (name, flags) not in paths:
            path = folder / f"{name}{''.join(flags)}.bpf.o"
            argv = ["clang", "-O2", "-g", "-target", "bpf", *flags, INCLUDE, "-x", "c"]
            subprocess.run(
                [*argv, "-c", "-", "-o", path], input=SOURCES[name], text=True, check=True
            )
            paths[name, flags] = path
        return paths[name, flags]

    return build
