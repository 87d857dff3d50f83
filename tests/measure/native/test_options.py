"""Command lines of the runners: one table each, read by one parser."""

import re
import subprocess

import pytest

from linerate.measure.processes import built

pytestmark = pytest.mark.root
"""What the build made is needed; rights are not, but machines without them may lack the build."""

DATAPATHS = "measure/datapaths"
TABLES = {
    "traffic": "measure/native/traffic/options.c",
    "xdp_dut": f"{DATAPATHS}/xdp/native/options.c",
    "filter_dut": f"{DATAPATHS}/filters/native/main.c",
    "xsk_forward": f"{DATAPATHS}/af_xdp/native/options.c",
    "nsh_stage": f"{DATAPATHS}/chain/native/stage/main.c",
    "nsh_rules": f"{DATAPATHS}/chain/native/rules/options.c",
    "chain_function_raw": f"{DATAPATHS}/chain/native/function/main.c",
    "chain_function_xsk": f"{DATAPATHS}/chain/native/function/main.c",
    "stall_probe": "measure/collectors/native/stalls/main.c",
    "sharing_probe": "measure/collectors/native/sharing/main.c",
}
PIPELINES = {
    "swx_run": f"{DATAPATHS}/swx/native/options.c",
    "swx_build": f"{DATAPATHS}/swx/native/compile/main.c",
    "dpdk_traffic": "measure/generators/dpdk/native/options.c",
}
"""Built only where DPDK is."""
RUNNERS = [
    *TABLES,
    *(pytest.param(name, marks=pytest.mark.dpdk) for name in PIPELINES),
]
TRAFFIC = ("traffic", "--dev", "x", "--dut-dev", "y", "--cores", "0")


def run(name, *flags):
    return subprocess.run(
        [built.runner(name), *flags], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, timeout=30,
    )  # fmt: skip


def refused(name, *flags):
    """Return the one line by which a runner refuses its flags."""
    done = run(name, *flags)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("name", RUNNERS)
def test_help_lists_every_option_of_the_table(name, repository):
    source = (repository / (TABLES | PIPELINES)[name]).read_text()
    options = re.findall(r'\{ "([a-z0-9-]+)", OPTION_', source)
    done = run(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: ")
    assert options
    assert re.findall(r"^  --([a-z0-9-]+)", done.stdout, re.MULTILINE) == options


@pytest.mark.parametrize("name", RUNNERS)
def test_what_is_no_option_is_named_with_those_that_are(name):
    first = ("list",) if name == "nsh_rules" else ()
    for word in ("--dve", "--", "-h", "stray", "--flow"):
        line = refused(name, *first, word)
        assert line.startswith(f"option={word}: unknown; allowed: --")
        assert line.endswith("--help; correct it")


@pytest.mark.parametrize("name", RUNNERS)
def test_options_that_are_needed_are_asked_for(name):
    first = ("list",) if name == "nsh_rules" else ()
    assert re.match(r"[a-z-]+=: it is needed; allowed: .*; name it", refused(name, *first))


@pytest.mark.parametrize(
    "count", ["1.5", "1e3", "0x10", "+1", " 1", "1 ", "nan", "-", "", "--seed"]
)
def test_counts_are_whole_numbers(count):
    line = refused(*TRAFFIC, "--flows", count)
    assert line == f"flows={count}: not a whole number; allowed: 1..60000; correct it"


@pytest.mark.parametrize("count", ["0", "-1", "60001", "18446744073709551617", "9" * 40])
def test_counts_stay_in_their_range(count):
    line = refused(*TRAFFIC, "--flows", count)
    assert line == f"flows={count}: out of range; allowed: 1..60000; correct it"


@pytest.mark.parametrize(
    ("number", "why"),
    [
        *((text, "not a number") for text in ("nan", "inf", "0x1", "1s", " 1", "", "1,5")),
        *((text, "out of range") for text in ("0", "-1", "3601", "1e9")),
    ],
)
def test_numbers_are_finite_and_in_their_range(number, why):
    line = refused(*TRAFFIC, "--seconds", number)
    assert line == f"seconds={number}: {why}; allowed: 0.001..3600; correct it"


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ("", "not a whole number"),
        ("64,", "not a whole number"),
        ("64,,65", "not a whole number"),
        ("64,65.5", "not a whole number"),
        ("64,63", "out of range"),
        (",".join(["64"] * 17), "too many values"),
    ],
)
def test_lists_hold_counts_and_have_an_end(values, why):
    line = refused(*TRAFFIC, "--frame-bytes", values)
    assert line.startswith(f"frame-bytes={values}: {why}; allowed: 64..3500, comma between, at mo")


@pytest.mark.parametrize("mac", ["", "02:00:00:00:00", "02:00:00:00:00:0g", "2:0:0:0:0:2", "02-00"])
def test_addresses_are_six_bytes(mac):
    assert refused(*TRAFFIC, "--destination-mac", mac).startswith(
        f"destination-mac={mac}: not a MAC address; allowed: six bytes"
    )


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        (("--arrivals", "even"), "arrivals=even: unknown; allowed: flood, constant or poisson; "),
        (("--flows",), "flows=: its value is missing; allowed: 1..60000; add it"),
        (("--stamp=1",), "stamp=1: it takes no value; allowed: the option alone; "),
        (("--flow", "1"), "option=--flow: unknown; allowed: --dev, "),
    ],
)
def test_refusals_have_one_form(flags, line):
    assert refused(*TRAFFIC, *flags).startswith(line)


def test_a_value_may_follow_an_equals_sign():
    assert refused(*TRAFFIC, "--flows=1.5") == refused(*TRAFFIC, "--flows", "1.5")
