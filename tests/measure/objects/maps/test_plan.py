"""The plan is what the runner does to an object, and the kernel then holds."""

import json
import os
import signal
import subprocess
import sys

import pytest

from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import Settings, read_settings
from linerate.measure.objects.plan import plan_file, plan_text
from linerate.measure.objects.traffic.frames import frames_by_weight
from linerate.measure.processes import built

NOTHING = Settings(lines=(), filled=(), maps_bytes=0)
XDP_PASS, XDP_TX = 2, 3
MAPS = """
[set]
limit = 100
fallback.ends = [{}, {port = 443}]
[maps.routes]
max_entries = 9
[[maps.routes.entries]]
key = "0.0.0.0/0"
value = {tag = 1}
[[maps.routes.entries]]
key = "10.1.0.0/16"
[maps.routes.entries.value]
tag = "0x0302"
mac = "02:00:00:00:00:05"
low = 5
high = 17
offset = -2
ends = [{}, {port = 80}]
[maps.ring]
fill = {count = 200000, value = "index"}
[maps.inner]
entries = [{key = 100, value = 77}]
[maps.outer]
entries = [{key = 1, map = "inner"}]
[maps.programs]
entries = [{key = 1, program = "last"}]
[maps.ids]
fill = {count = 2, first = 6, value = "index"}
"""
EVERY_KIND = """
[maps.programs]
entries = [{key = 0, program = "firewall"}]
[maps.outer]
entries = [{key = 1, map = "inner"}]
[maps.ports]
entries = [{key = 0, value = 1}]
[maps.cpus]
entries = [{key = 1, value = 2048}]
[maps.plain]
fill = {count = 8, key = "random", value = "random"}
[maps.ids]
entries = [{value = 5}]
[maps.sources]
entries = [{key = "2001:db8::1", value = 1}]
[maps.routes]
entries = [{key = "10.0.0.0/8", value = {ifindex = 1}}]
"""


def test_frames_come_once_each_and_then_as_mixed():
    frames = frames_by_weight([(b"a" * 60, 2), (b"b" * 60, 1)])
    lines = plan_text(NOTHING, frames).splitlines()
    assert lines[:2] == [f"frame {'61' * 60}", f"frame {'62' * 60}"]
    assert [line.split() for line in lines[2:]] == [
        ["order", str(place)] for place in (0, 1, *frames.order)
    ]


def test_a_plan_is_private_and_goes_away():
    with plan_file(Settings(lines=("max it 1",), filled=(), maps_bytes=0)) as path:
        assert path.read_text() == "max it 1\n"
        assert path.stat().st_mode & 0o077 == 0
    assert not path.exists()


KILLED = """
import os, signal
from linerate.measure.objects.maps.settings import Settings
from linerate.measure.objects.plan import plan_file
with plan_file(Settings(lines=("max it 1",), filled=(), maps_bytes=0)):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_who_is_killed_leaves_no_plan(tmp_path):
    there = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", KILLED], env=there, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not list(tmp_path.iterdir())


def verdicts(path, entry, settings, frames):
    """Test an object by its plan; the verdict of each frame."""
    with plan_file(settings, frames) as plan:
        done = subprocess.run(
            [built.runner("bpf_object"), "--do", "test", "--object", path, "--entry", entry,
             "--feed", built.program_object("feed"), "--plan", plan, "--rounds", "1"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["frame"]: one["verdict"] for one in answers if "verdict" in one}


@pytest.mark.root
@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [("read_back", MAPS, ("first", XDP_TX)), ("router", EVERY_KIND, ("route", XDP_PASS))],
)
def test_a_program_finds_what_the_maps_file_says(compiled, tmp_path, name, text, expected):
    entry, verdict = expected
    (tmp_path / "maps.toml").write_text(text)
    path = compiled(name)
    settings = read_settings(list_object(path), tmp_path / "maps.toml")
    frames = frames_by_weight([(b"a" * 60, 2), (b"b" * 600, 1)])
    assert verdicts(path, entry, settings, frames) == {0: verdict, 1: verdict}
