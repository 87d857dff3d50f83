"""Marks for tests that need more of a machine than its kernel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

two_cores = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="needs 2 cores: who sends takes one"
)
NOBODY_ID = 65534
NOBODY = ("setpriv", f"--reuid={NOBODY_ID}", f"--regid={NOBODY_ID}", "--clear-groups")
# An interpreter may lie in root's home, which is closed to others: here, for this process and its
# children only, the home is one that anybody may enter, and the interpreter's folder is in it.
ENTER = """
python=$1 kept=$(mktemp -d); shift
mount --bind "$HOME" "$kept" && mount -t tmpfs -o mode=755 tmpfs "$HOME" || exit 9
case $python in "$HOME"/*)
    top=${python#"$HOME"/}; top=${top%%/*}
    mkdir "$HOME/$top" && mount --bind "$kept/$top" "$HOME/$top" || exit 9 ;;
esac
umount "$kept"; rmdir "$kept"; exec "$@"
"""


def as_nobody():
    """Give the words before a command that make it user nobody's; skip where that user cannot."""
    if os.geteuid() != 0:
        pytest.skip("no root: nobody else's rights can be taken")
    loads = [*NOBODY, sys.executable, "-c", "import linerate"]
    if subprocess.run(loads, cwd="/", capture_output=True, check=False).returncode:
        pytest.skip("user nobody may not read this checkout, or its Python")
    return NOBODY


def as_nobody_with(capabilities, *words):
    """Give the command that runs ``linerate`` as user nobody with these capabilities alone."""
    listed = ",".join(f"+{name.removeprefix('CAP_').lower()}" for name in capabilities)
    given = ["--inh-caps", listed, "--ambient-caps", listed] if listed else []
    return [
        "unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, "sh",
        str(Path(sys.executable).resolve()), *NOBODY, *given,
        f"--bounding-set={','.join(filter(None, ('-all', listed)))}",
        sys.executable, "-B", "-c", "from linerate.cli import main; main()", *map(str, words),
    ]  # fmt: skip
