"""The parts of MoonGen's script that know nothing of MoonGen, run by luajit as they are."""

import json
import shutil
import subprocess
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.measure.generators.buckets import bucket_lower_ns
from linerate.measure.generators.external.moongen.generator import SCRIPT

LUAJIT = shutil.which("luajit") or ""
GOOD = ("--frame-bytes", "64", "--rate-mpps", "1", "--seconds", "1")

pytestmark = pytest.mark.skipif(not LUAJIT, reason="luajit is not installed")


def lua(code, *arguments):
    """Run code that finds the script's modules; what it printed."""
    path = f'package.path = "{SCRIPT.parent}/?.lua;" .. package.path\n'
    done = subprocess.run(
        [LUAJIT, "-e", path + code, "-", *arguments], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=True, timeout=20,
    )  # fmt: skip
    return done.stdout


def parse(*arguments):
    words = ", ".join(json.dumps(argument) for argument in arguments)
    return lua(
        f'local load, words = require("linerate_load").parse({{ {words} }})\n'
        'print(load and "good" or words)'
    ).strip()


@settings(deadline=None, max_examples=10)  # no clock
@given(st.lists(st.integers(1, 2**50), min_size=1, max_size=200))
def test_buckets_are_those_of_linerates_own_sink(latencies_ns):
    listed = ", ".join(map(str, latencies_ns))
    output = lua(
        'local report = require "linerate_report"\n'
        f"for _, ns in ipairs {{ {listed} }} do\n"
        '  print(("%.0f"):format(report.bucket_lower_ns(ns)))\nend'
    )
    assert [int(line) for line in output.split()] == [bucket_lower_ns(ns) for ns in latencies_ns]


def test_a_line_is_json_whatever_is_in_it():
    output = lua(
        'local report = require "linerate_report"\n'
        'io.write(report.line { name = "a\\"b\\\\c\\n\\195", counts = {}, ok = true,'
        " big = 2 ^ 52 + 1, part = 0.25, rows = { { 1, 2 } } })"
    )
    mark, _, rest = output.partition(" ")
    assert (mark, output.count("\n")) == ("LINERATE", 1)
    assert json.loads(rest) == {
        "name": 'a"b\\c\n\u00c3', "counts": [], "ok": True, "big": 2**52 + 1, "part": 0.25,
        "rows": [[1, 2]],
    }  # fmt: skip


def test_moongens_own_option_among_the_arguments_is_passed_over():
    assert parse("--dpdk-config=/x/dpdk-conf.lua", *GOOD) == "good"


def test_numbers_that_moongen_made_of_words_are_taken():
    code = 'print(require("linerate_load").parse({ "--frame-bytes", 64, "--rate-mpps", 0.5, '
    assert lua(code + '"--seconds", 2 }).rate_mpps)').strip() == "0.5"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--frame-bytes"),
        (("--frame-bytes",), "a value is missing"),
        ((*GOOD, "--frame-bytes", "63"), "--frame-bytes 63: allowed are"),
        ((*GOOD, "--frame-bytes", "64,"), "good"),
        ((*GOOD, "--frame-bytes", "64;65"), "--frame-bytes 64;65"),
        ((*GOOD, "--frame-bytes", ",".join(["64"] * 1025)), "1025 sizes"),
        ((*GOOD, "--rate-mpps", "0"), "--rate-mpps 0: allowed are 1e-06..1000"),
        ((*GOOD, "--rate-mpps", "nan"), "--rate-mpps nan"),
        ((*GOOD, "--seconds", "3601"), "--seconds 3601: allowed are 0.001..3600"),
        ((*GOOD, "--flows", "1.5"), "--flows 1.5: allowed are whole numbers 1..60000"),
        ((*GOOD, "--pattern", "burst"), "--pattern burst: allowed are flood, cbr, poisson"),
        ((*GOOD, "--pattern", "flood"), "flood goes without a rate"),
        ((*GOOD, "--nosuch", "1"), "--nosuch: unknown"),
        (("64", *GOOD), "64: a value is missing, or it is not an option"),
    ],
)
def test_arguments_are_checked_and_refused_with_what_is_allowed(arguments, words):
    assert words in parse(*arguments)


def test_tasks_that_share_an_even_load_take_turns():
    output = lua(
        'local Load = require "linerate_load"\n'
        'local load = Load.parse({ "--frame-bytes", "64", "--rate-mpps", "1", "--seconds", "1",\n'
        '  "--threads", "4" })\n'
        "for index = 1, 4 do\n"
        "  local gap, due = load:gaps(), load:first_s(index)\n"
        "  for _ = 1, 100 do print(due) due = due + gap() end\n"
        "end"
    )
    due_s = sorted(map(float, output.split()))
    gaps_s = [late - early for early, late in pairwise(due_s)]
    assert len(due_s) == 400
    assert gaps_s == pytest.approx([1 / 999_000] * 399, rel=1e-6)  # 1000 a second are probes
