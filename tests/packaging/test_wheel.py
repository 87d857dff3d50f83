"""What pip installs works in any folder: the wheel, the runners that setup builds, real packets.

Dependencies are those of this clone's Python: what is under test is linerate's own files.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from linerate.measure.setup import missing
from linerate.tables.runs import read_runs

from ..test_layout import ROOT

pytestmark = [pytest.mark.deep, pytest.mark.long]

NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "build", "dist", "*.egg-info", "__pycache__")
BUILD = "import setuptools.build_meta as b; print(b.build_{kind}({folder!r}))"
PLAN = """
name = "tiny"
lab = "veth"
repetitions = 1
trial_seconds = 0.1
warm_up_seconds = 0.05
seed = 1

[[cells]]
mode = "serial"
datapath = ["xdp_native"]
program = ["map_lookup"]
memory_accesses = [1]
queues = [1]
frame_bytes = [64]
link_gbps = 10.0
offered_mpps = ["line"]
"""


def built(kind, source, folder, **env):
    """Build a wheel or an sdist, as pip does behind the scenes."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", BUILD.format(kind=kind, folder=str(folder))],
        cwd=source, env={**os.environ, **env}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.splitlines()[-1], done.stderr


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Give a folder with a copy of the clone, as a release is built from."""
    folder = tmp_path_factory.mktemp("packaging")
    shutil.copytree(ROOT, folder / "clone", symlinks=True, ignore=NOT_COPIED)
    return folder


@pytest.fixture(scope="module")
def wheel(home):
    return built("wheel", home / "clone", home / "wheel")[0]


@pytest.fixture(scope="module")
def installed(home, wheel):
    """Install the wheel into a venv of its own; commands run in an empty folder."""
    venv, empty = home / "venv", home / "empty"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    install = ["pip", "--python", venv, "install", "-q", "--no-deps", "--no-index", wheel]
    subprocess.run([sys.executable, "-m", *install], check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(venv), "platbase": str(venv)}))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    empty.mkdir()
    env = {name: value for name, value in os.environ.items() if name != "LINERATE_BUILD"}
    env |= {"XDG_CACHE_HOME": str(home / "cache"), "PYTHONPATH": ""}

    def run(*words):
        return subprocess.run(
            [venv / "bin/python", "-m", "linerate", *map(str, words)],
            cwd=empty, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return SimpleNamespace(run=run, package=site / "linerate", cache=home / "cache")


@pytest.fixture(scope="module")
def ready(installed):
    """Run ``linerate setup`` of the installed wheel."""
    done = installed.run("setup", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def contents(path):
    with zipfile.ZipFile(path) as packed:
        return {name: hashlib.sha256(packed.read(name)).hexdigest() for name in packed.namelist()}


def test_the_wheel_is_of_no_architecture_and_carries_programs_and_sources(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    names = set(contents(wheel))
    for path in ("bpf", "measure", "p4"):
        tracked = subprocess.run(["git", "ls-files", path], cwd=ROOT, capture_output=True,
                                 text=True, check=True).stdout.split()  # fmt: skip
        assert {f"linerate/{name}" for name in tracked if not name.endswith(".md")} <= names
    objects = {name for name in names if name.startswith("linerate/build/bpf/")}
    assert "linerate/build/bpf/traffic.skel.h" in objects
    assert len(objects) > 40
    assert "linerate/data/campaigns/own/route_lpm.bpf.o" in names


def test_an_sdist_makes_the_same_wheel(home, wheel):
    sdist, _ = built("sdist", home / "clone", home / "sdist")
    shutil.unpack_archive(sdist, home / "unpacked")
    [source] = (home / "unpacked").iterdir()
    again, _ = built("wheel", source, home / "again")
    first, second = (
        {name: digest for name, digest in contents(path).items() if ".dist-info/" not in name}
        for path in (wheel, again)
    )
    assert first == second


def test_a_wheel_without_clang_says_so(home):
    tools = home / "tools"
    tools.mkdir()
    (tools / "make").symlink_to(shutil.which("make"))
    bare, output = built("wheel", home / "clone", home / "bare", PATH=str(tools))
    assert "no BPF objects in this wheel, for want of clang" in output
    assert not any(name.endswith("map_lookup.bpf.o") for name in contents(bare))


def test_it_runs_from_any_folder(installed):
    assert installed.run("--version").stdout.startswith("linerate ")
    done = installed.run("doctor", "--json")
    assert done.returncode == 0, done.stderr
    output = installed.run("measure", installed.package / "data/campaigns/quick.toml", "--out", "o")
    assert output.returncode == 4
    assert "linerate setup" in output.stderr or "root" in output.stderr


def test_setup_builds_the_runners_into_the_cache(ready, installed):
    assert ready["folder"].startswith(str(installed.cache))
    assert ready["carried"] is True
    assert {"traffic", "xdp_dut", "filter_dut", "bpf_object"} <= set(ready["runners"])
    assert [need["name"] for need in ready["lacking"]] == [
        need.name for need in missing(objects=False)
    ]
    checks = json.loads(installed.run("doctor", "--json").stdout)["checks"]
    [objects] = [one for one in checks if one["name"] == "objects"]
    assert objects["ok"] is True


@pytest.mark.root
def test_it_answers_for_an_object_by_a_box_that_came_along(ready, installed):
    [box, *_] = sorted((installed.package / "data/boxes").glob("intel*.toml"))
    program = f"{ready['folder']}/bpf/xdp_tx.bpf.o"
    done = installed.run("fits", program, "--box", box, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


@pytest.mark.root
def test_it_measures(ready, installed, tmp_path):
    (tmp_path / "tiny.toml").write_text(PLAN)
    done = installed.run("measure", tmp_path / "tiny.toml", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    [run] = read_runs([tmp_path / "out"]).to_dict("records")
    assert run["forwarded_packets"] > 0
