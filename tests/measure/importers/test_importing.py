"""Single logs are read as their mapping says, or refused with the reason."""

import tomllib

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.measure.importers.formats.csv.rows import number_of
from linerate.measure.importers.formats.csv.table import CsvTable
from linerate.measure.importers.importing import import_logs
from linerate.measure.importers.logs.moongen import parse_moongen
from linerate.measure.importers.logs.perf import parse_perf
from linerate.measure.importers.logs.sar import parse_sar

from .external_logs import moongen, perf, sar

RUN = """
[run]
campaign = "theirs"
box = "their-box"
datapath = "xdp_native"
program = "map_lookup"
memory_accesses = 100
queues = 1
frame_bytes = 64.0
link_gbps = 10.0
offered_mpps = "line"
"""
CSV = """
[csv]
decimal = ","
thousands = "."
delimiter = ";"
[csv.columns.forwarded_mpps]
from = "rate"
unit = "pps"
[csv.columns.frame_bytes]
from = "size"
offset = 4
[csv.columns.datapath]
from = "mode"
values = { drv = "xdp_native", skb = "xdp_generic" }
"""


def read(tmp_path, kind, text, mapping):
    (tmp_path / "log").write_text(text)
    (tmp_path / "map.toml").write_text(mapping)
    return import_logs(kind, tmp_path / "log", tmp_path / "map.toml")


def test_units_separators_words_and_offsets_are_the_mappings(tmp_path):
    text = "mode;size;rate\ndrv;60;972.899\nskb;1496;812.743,5\n"
    runs = read(tmp_path, "csv", text, RUN + CSV).runs
    assert runs["forwarded_mpps"].tolist() == pytest.approx([0.972899, 0.8127435])
    assert runs["frame_bytes"].tolist() == [64.0, 1500.0]
    assert runs["datapath"].tolist() == ["xdp_native", "xdp_generic"]
    assert runs["offered_mpps"].tolist() == pytest.approx([14.880952, 0.822368], abs=1e-6)


def test_a_point_that_may_separate_thousands_is_named(tmp_path):
    mapping = RUN + CSV.replace('decimal = ","\nthousands = "."', 'decimal = "."')
    found = read(tmp_path, "csv", "mode;size;rate\ndrv;60;972.899\n", mapping).findings
    assert [one.defect.name for one in found] == ["separators_ambiguous"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mode;size;rate\ndrv;60\n", "it has 2 of 3 fields"),
        ("mode;size;rate\n", "no row under a header"),
        ("mode;size\ndrv;60\n", "has 0 columns of that name"),
        ("mode;size;rate\ntc;60;1\n", "the mapping does not say what it is"),
        ("mode;size;rate\ndrv;60;1.5\n", "it is not a number in the separators"),
        ("mode;size;rate\ndrv;60;\n", "a value is missing"),
    ],
)
def test_a_row_that_cannot_be_read_is_refused_by_its_number(tmp_path, text, why):
    with pytest.raises(BadInputError, match=why):
        read(tmp_path, "csv", text, RUN + CSV)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"run": {"box": 3}}, "valid string"),
        ({"runs": {}}, "unknown key"),
        ({"csv": {"columns": {"x": {"from": "a"}}, "decimal": "."}}, "no such column"),
        ({"csv": {"columns": {"queues": {"from": "a"}}}}, "the key is missing"),
        ({"csv": {"columns": {"queues": {"from": "a", "unit": "s"}}, "decimal": "."}}, "no unit"),
        (
            {"csv": {"columns": {"queues": {"from": "a"}}, "decimal": ".", "thousands": "."}},
            "it is the decimal mark too",
        ),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(tmp_path, change, why):
    with pytest.raises(BadInputError, match=why):
        read(tmp_path, "csv", "a\n1\n", tomli_w.dumps(change))


@given(number=st.integers(0, 10**12), cents=st.integers(0, 99))
def test_a_number_reads_back_in_pt_br(number, cents):
    table = CsvTable.model_validate(tomllib.loads(CSV)["csv"])
    text = f"{number:,}".replace(",", ".") + f",{cents:02d}"
    assert number_of(text, "x", table) == pytest.approx(number + cents / 100)


@pytest.mark.parametrize("clock", ["24h", "12h"])
@pytest.mark.parametrize("comma", [True, False])
def test_sar_of_any_clock_and_separator_gives_the_same_rate(tmp_path, clock, comma):
    mapping = RUN + '[sar]\ninterface = "ens2np0"\n'
    row = read(tmp_path, "sar", sar(2.5, clock=clock, comma=comma), mapping).runs.iloc[0]
    assert row["forwarded_mpps"] == pytest.approx(2.5)
    assert row["duration_s"] == 12.0


def test_after_a_restart_only_the_last_stretch_counts(tmp_path):
    begun = sar(9.0, samples=4).replace("Average:", "12:00:00")
    text = begun + "12:00:10  LINUX RESTART (2 CPU)\n\n" + sar(2.5).split("\n", 1)[1]
    log = parse_sar(text, "ens2np0")
    steady = log.sent()
    assert steady is not None
    assert (log.stretches, steady.mpps) == (2, pytest.approx(2.5))


def test_an_interface_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BadInputError, match="there is no sample of interface eth7"):
        read(tmp_path, "sar", sar(), RUN + '[sar]\ninterface = "eth7"\n')


def test_moongens_clock_and_warm_up_are_the_mappings(tmp_path):
    mapping = RUN + "[moongen]\nskip_seconds = 5.0\nclock_ratio = 1.00188\n"
    row = read(tmp_path, "moongen", moongen(rx_mpps=3.0), mapping).runs.iloc[0]
    assert row["forwarded_mpps"] == pytest.approx(3.0, rel=1e-6)


def test_perf_of_the_machine_gives_events_a_packet_and_of_a_command_none(tmp_path):
    mapping = RUN.replace("[run]", "[run]\nforwarded_mpps = 2.0")
    log = perf("system wide", cycles=10**9, instructions=2 * 10**9)
    row = read(tmp_path, "perf", log, mapping).runs.iloc[0]
    assert row["cycles_per_packet"] == pytest.approx(1e9 / (2e6 * 5.001237289))
    command = read(tmp_path, "perf", perf(), mapping)
    assert "cycles_per_packet" not in command.runs
    assert "perf_counts_command" in {found.defect.name for found in command.findings}


@pytest.mark.parametrize("comma", [True, False])
def test_perf_reads_both_kinds_of_separators(comma):
    log = parse_perf(perf(comma=comma))
    assert (log.counts["instructions"], log.elapsed_s) == (1_023_365, 5.001237289)
    assert log.not_counted == ("LLC-loads",)


@pytest.mark.parametrize("kind", ["moongen", "sar", "perf"])
@pytest.mark.parametrize("text", ["", "\x00\x01", "a,b\n1,2\n", "Linux \n12:00:00\n"])
def test_what_is_no_such_log_is_refused(tmp_path, kind, text):
    mapping = RUN.replace("[run]", "[run]\nforwarded_mpps = 2.0") + '[sar]\ninterface = "e"\n'
    with pytest.raises(BadInputError, match=f"it is not a log of {kind}"):
        read(tmp_path, kind, text, mapping)


@given(
    kind=st.sampled_from([0, 1, 2]), at=st.integers(0, 10**4), length=st.integers(0, 60),
    instead=st.text(alphabet="0123456789,.:-\n\t <>'eNaM", max_size=12),
)  # fmt: skip
def test_a_spoiled_log_is_read_or_refused_with_a_reason(kind, at, length, instead):
    whole, parse = ((moongen(), parse_moongen), (sar(), lambda text: parse_sar(text, "ens2np0")),
                    (perf(), parse_perf))[kind]  # fmt: skip
    at %= len(whole)
    try:
        log = parse(whole[:at] + instead + whole[at + length :])
    except ValueError as error:
        assert str(error)
    else:
        assert log is not None


def test_facts_that_nothing_says_are_asked_for(tmp_path):
    with pytest.raises(BadInputError, match="campaign="):
        read(tmp_path, "moongen", moongen(), "")


def test_a_format_that_needs_its_table_asks_for_it(tmp_path):
    with pytest.raises(BadInputError, match=r"table \[sar\] is missing; allowed: \[sar\] with i"):
        read(tmp_path, "sar", sar(), RUN)


def test_one_mapping_serves_logs_of_several_formats(tmp_path):
    mapping = RUN + CSV + '[sar]\ninterface = "ens2np0"\n'
    assert len(read(tmp_path, "moongen", moongen(), mapping).runs) == 1
    assert len(read(tmp_path, "sar", sar(), mapping).runs) == 1
