"""A disk that is full loses no finished trial."""

import os
import subprocess
import sys
import textwrap

import pytest

from linerate.files.store import Store

from .finished import BOX, PLAN, entry

FULL_DISK_BYTES = 64 * 1024

# A process whose files may not grow past a limit, and a disk of a few pages: both are full for
# good, in the middle of a line, and neither is this test's own.
FILL = textwrap.dedent("""
    import sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[2])
    from finished import BOX, PLAN, PROVENANCE, entry
    from linerate.errors import LinerateError
    from linerate.files.store import Store
    store = Store.create(Path(sys.argv[1]), PLAN, BOX, PROVENANCE)
    for count in range(10_000):
        try:
            store.append(entry(f"c{count:04d}-r1", count))
        except LinerateError as error:
            print(count, error.exit_code)
            print(error)
            break
    assert len(list(store.entries())) == count, "a trial was lost"
    Store.resume(store.folder, PLAN, BOX)
    try:
        store.write_runs()
    except LinerateError as error:
        print(error)
    assert len(list(store.entries())) == count, "a table cost a trial"
    assert not list(store.folder.glob("*.tmp")), "half a table stayed"
""")


def _filled(argv, out):
    done = subprocess.run(
        [*argv, sys.executable, "-c", FILL, str(out), os.path.dirname(__file__)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_journal_at_its_limit_keeps_every_finished_trial(tmp_path):
    limited = ["prlimit", f"--fsize={FULL_DISK_BYTES}"]
    output = _filled(limited, tmp_path / "out")
    finished, exit_code = map(int, output[0].split())
    assert exit_code == 3
    assert finished > 10
    assert "it cannot grow (File too large)" in output[1]
    again = Store.resume(tmp_path / "out", PLAN, BOX)
    again.append(entry("after", finished))
    assert len(list(again.entries())) == finished + 1


@pytest.mark.root
def test_a_full_disk_keeps_every_finished_trial(tmp_path):
    mounted = f'mount -t tmpfs -o size={FULL_DISK_BYTES} tmpfs "{tmp_path}" && exec "$@"'
    output = _filled(["unshare", "-m", "sh", "-c", mounted, "sh"], tmp_path / "out")
    finished, exit_code = map(int, output[0].split())
    assert exit_code == 3
    assert finished > 10
    assert "No space left on device" in output[1]
    assert "free some space and go on with --resume" in output[1]
    assert "No space left on device" in output[2]
