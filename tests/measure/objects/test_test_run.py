"""Test runs of real objects in the kernel: every packet comes as it was sent."""

import json
import subprocess
from pathlib import Path
from statistics import median

import pytest

from linerate.errors import BadInputError
from linerate.measure.objects.listing import list_object
from linerate.measure.objects.maps.settings import read_settings
from linerate.measure.objects.test_run import NOTHING, UnderTest, time_programs
from linerate.measure.objects.traffic.frames import Frames
from linerate.measure.objects.traffic.udp_frames import of_size
from linerate.units import packet_bytes

pytestmark = pytest.mark.root


def silent(part, done, of):
    pass


def run(path, entry, frames=None, settings=NOTHING):
    tested = UnderTest(path=path, entry=entry, settings=settings)
    return time_programs((tested,), frames or of_size(64), silent, loads=2)[0]


def test_a_program_that_changes_its_packet_never_meets_its_own_change(compiled):
    """On a packet that it changed before, it would take microseconds."""
    times = run(compiled("rewriter"), "rewrite")
    assert max(times.program_ns) < 300
    assert times.verdict_shares() == {"tx": 1.0}


def test_a_program_takes_no_less_on_frames_that_no_cache_holds(compiled):
    """As long as the empty program met each frame first, and the tested one found it warm."""
    one, many = (run(compiled("counting"), "remember", of_size(64, flows=n)) for n in (1, 4096))
    assert min(many.program_ns) > 0.8 * median(one.program_ns)


@pytest.mark.parametrize("entry", ["push", "pop", "cut"])
def test_what_a_program_adds_or_takes_away_is_undone(compiled, entry):
    assert run(compiled("resizer"), entry).verdict_shares() == {"tx": 1.0}


def test_verdicts_are_those_of_each_frame_by_its_share(compiled):
    first, second = of_size(64).packets[0], of_size(128).packets[0]
    frames = Frames(packets=(first, second), order=(0, 1, 1, 1), packets_total=4)
    times = run(compiled("sorter"), "sort", frames)
    assert times.verdict_shares() == {"drop": 0.25, "pass": 0.75}
    assert [frame.frame_bytes for frame in times.frames] == [64, 128]


def test_more_work_takes_longer_and_the_yardstick_does_not(compiled):
    short, long = (run(compiled("looper"), name) for name in ("few", "many"))
    assert min(long.program_ns) > 3 * max(short.program_ns)
    assert median(long.yardstick_ns) < 2 * median(short.yardstick_ns)


def test_the_yardstick_is_taken_on_the_frames_of_a_calibration(compiled, monkeypatch):
    """On longer frames it would go on beside the feeding, and seem a faster machine."""
    asked, speeds_ns = [], iter([98.0, 102.0])

    def planted(frames):
        asked.append(len(frames.packets[0]))
        return next(speeds_ns)

    monkeypatch.setattr("linerate.measure.objects.test_run.time_once", planted)
    times = run(compiled("looper"), "few", of_size(1500))
    assert asked == [packet_bytes(64)] * 2
    assert times.yardstick_ns == (100.0, 100.0)


def test_programs_of_two_objects_take_turns_and_each_has_its_own_times(compiled):
    path = compiled("looper")
    programs = [UnderTest(path=path, entry=entry, settings=NOTHING) for entry in ("many", "few")]
    turns = []
    many, few = time_programs(programs, of_size(64), lambda *turn: turns.append(turn), loads=3)
    assert (many.program, few.program) == ("many", "few")
    assert len(many.program_ns) == len(few.program_ns) == 3
    assert min(many.program_ns) > 3 * max(few.program_ns)
    assert [turn[1:] for turn in turns] == [(place, 6) for place in range(6)]


def test_variables_and_entries_decide_the_path(compiled, tmp_path):
    path = compiled("looked_up")
    found = tmp_path / "maps.toml"
    found.write_text("[set]\nwanted = 7\n[maps.known]\nentries = [{key = 7, value = 1}]\n")
    listing = list_object(path)
    assert run(path, "look").verdict_shares() == {"drop": 1.0}
    assert run(path, "look", settings=read_settings(listing, found)).verdict_shares() == {"tx": 1.0}


def test_a_program_in_a_section_of_any_name_runs_and_others_are_not_loaded(compiled):
    """Beside it lies a program that the verifier refuses."""
    assert run(compiled("mixed"), "good").verdict_shares() == {"pass": 1.0}


def test_what_the_verifier_refuses_is_told_in_its_own_words(compiled):
    with pytest.raises(BadInputError, match="invalid access to packet"):
        run(compiled("mixed"), "bad")


def test_nothing_stays_in_the_kernel(compiled):
    def programs():
        output = subprocess.run(["bpftool", "-j", "prog"], capture_output=True, check=True).stdout
        return {one.get("name") for one in json.loads(output)}

    run(compiled("resizer"), "push")
    assert not {"push", "feed", "yardstick"} & programs()
    assert not list(Path("/sys/fs/bpf").glob("known*"))
