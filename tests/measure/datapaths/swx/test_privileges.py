"""What is made of a user's pipeline is compiled as nobody, and runs without a capability."""

import hashlib
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from linerate.errors import BadInputError, LinerateError
from linerate.measure.datapaths.swx import compiled
from linerate.measure.datapaths.swx.compiled import (
    PipelineText,
    compile_program,
    headers_folder,
    sha256_file,
)
from linerate.measure.datapaths.swx.runner import run_pipeline
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.generated.text import spec_text
from linerate.measure.processes import built

from . import swx_programs as programs

pytestmark = pytest.mark.dpdk
NULL = PipelineSettings(port="net_null")
NONE = "0000000000000000"
NOBODY = 65534
SLOW = spec_text(SwxProgram(operations=(("register_read_32", 1024), ("hash_jhash", 1024))))
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")


def status(folder):
    lines = (folder / "status").read_text().splitlines()
    return {key: value.split() for key, _, value in (line.partition(":") for line in lines)}


def test_no_thread_of_a_running_pipeline_has_a_capability():
    with run_pipeline(programs.registers(), NULL, 1) as runner:
        threads = list(Path(f"/proc/{runner.held.process.pid}/task").iterdir())
        found = [status(thread) for thread in threads]
        assert runner.trial(["--seconds", "0.02"]).received > 0
    assert len(found) > 2
    for thread in found:
        assert thread["NoNewPrivs"] == ["1"]
        sets = ("CapInh", "CapPrm", "CapEff", "CapAmb", *(("CapBnd",) if not os.geteuid() else ()))
        assert [thread[each] for each in sets] == [[NONE]] * len(sets)


@pytest.mark.parametrize("what", ["a byte changed", "another's bytes"])
def test_only_what_was_compiled_is_loaded(what):
    library = compile_program(programs.registers(7))
    right = library.read_bytes()
    changed = right[:-1] + bytes([right[-1] ^ 1])
    other = compile_program(programs.registers(6)).read_bytes()
    library.write_bytes(changed if what == "a byte changed" else other)
    try:
        with (
            pytest.raises(LinerateError, match=r"its SHA-256 is .*; allowed: .*compile it anew"),
            run_pipeline(programs.registers(7), NULL, 1),
        ):
            pass
    finally:
        library.unlink()
    with run_pipeline(programs.registers(7), NULL, 1):
        assert library.read_bytes() == right


def test_a_folder_that_others_write_to_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(built, "build_folder", lambda: tmp_path)
    (tmp_path / "swx").mkdir()
    (tmp_path / "swx").chmod(0o777)
    with pytest.raises(BadInputError, match="others can put into it"):
        compiled._own_folder(tmp_path / "swx")
    (tmp_path / "swx").chmod(0o755)
    assert compiled._own_folder(tmp_path / "swx")
    (tmp_path / "link").symlink_to(tmp_path / "swx")
    with pytest.raises(BadInputError, match="others can put into it"):
        compiled._own_folder(tmp_path / "link")


@pytest.mark.parametrize("bytes_", [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000])
def test_our_sum_is_sha256(bytes_, tmp_path):
    """The runner says what it found where that is not what it was told to find."""
    data = bytes(range(256)) * 4
    (tmp_path / "a.so").write_bytes(data[:bytes_])
    done = subprocess.run(
        [built.runner("swx_run"), "--library", tmp_path / "a.so", "--library-sha256", "0",
         "--port", "null", "--worker-cores", "0"],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == BadInputError.exit_code
    assert f"its SHA-256 is {hashlib.sha256(data[:bytes_]).hexdigest()};" in done.stderr


def building(tmp_path, **environment):
    (tmp_path / "a.spec").write_text(SLOW)
    return subprocess.Popen(
        [built.runner("swx_build"), "--spec", tmp_path / "a.spec", "--library",
         tmp_path / "a.so", "--include", headers_folder()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment},
    )  # fmt: skip


def children(pid):
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if status(folder)["PPid"] == [str(pid)]:
                yield folder
                yield from children(int(folder.name))
        except (OSError, KeyError):
            continue


def wait_for_compiler(builder):
    end = time.monotonic() + 60
    while time.monotonic() < end and builder.poll() is None:
        for folder in children(builder.pid):
            try:
                if (folder / "comm").read_text().strip() == "cc1":
                    return folder
            except OSError:
                continue
        time.sleep(0.01)
    raise AssertionError(builder.communicate())


def left_by_nobody():
    """What lies in the folder for passing files, and came from a process without rights."""
    return {path for path in Path("/tmp").iterdir() if path.lstat().st_uid == NOBODY}


@as_root
def test_the_compiler_is_nobody_and_leaves_nothing_when_it_is_killed(tmp_path):
    before = left_by_nobody()
    builder = building(tmp_path, CPATH="/nowhere", LD_LIBRARY_PATH="", CC="false")
    compiler = wait_for_compiler(builder)
    found = status(compiler)
    assert found["Uid"] == found["Gid"] == [str(NOBODY)] * 4
    assert found["Groups"] == []
    assert found["NoNewPrivs"] == ["1"]
    assert found["CapPrm"] == found["CapEff"] == found["CapBnd"] == [NONE]
    words = (compiler / "environ").read_bytes()
    assert b"CPATH" not in words
    assert b"TMPDIR=/tmp\0" in words
    for name in ("net", "mnt", "pid", "ipc"):
        assert os.readlink(compiler / "ns" / name) != os.readlink(f"/proc/self/ns/{name}")
    builder.send_signal(signal.SIGKILL)
    builder.communicate()
    end = time.monotonic() + 5
    while compiler.exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert not compiler.exists()
    assert left_by_nobody() <= before
    assert [path.name for path in tmp_path.iterdir()] == ["a.spec"]


def test_what_is_compiled_is_what_its_sum_says():
    library = compile_program(PipelineText(spec=programs.registers(3).spec))
    done = subprocess.run(["sha256sum", library], capture_output=True, text=True, check=True)
    assert sha256_file(library).read_text() == done.stdout.split()[0]
