"""The table of runs: read as it stands, or refused with the reason."""

import gzip
import math
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.tables.columns import COLUMNS, KNOWN
from linerate.tables.runs import check_columns, check_runs, read_runs

ROW = {
    "campaign": "c", "source": "s", "repetition": 1, "box": "b", "datapath": "xdp_native",
    "program": "xdp_tx", "memory_accesses": 0, "queues": 1, "frame_bytes": 64.0,
    "link_gbps": 10.0, "offered_mpps": 14.88, "forwarded_mpps": 10.5, "forwarded_from": "sink",
    "cpu_busy_ratio": 1.0, "latency_mean_us": 12.5, "unstable": False,
}  # fmt: skip
HARDWARE_RUNS = Path(
    os.environ.get(
        "LINERATE_HARDWARE_RUNS",
        Path(__file__).resolve().parents[3] / "shared/data/capeletti/runs.csv",
    )
)


def runs(**changes):
    return pd.DataFrame([{**ROW, **changes}])


def written(tmp_path, text, name="runs.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def with_cell(tmp_path, column, text):
    """Write a good row with one cell written otherwise."""
    row = {**ROW, column: text}
    return written(tmp_path, f"{','.join(row)}\n{','.join(map(str, row.values()))}\n")


def test_csv_and_parquet_say_the_same(tmp_path):
    table = pd.concat([runs(), runs(link_gbps=np.inf, latency_mean_us=np.nan)], ignore_index=True)
    table.to_csv(tmp_path / "runs.csv", index=False)
    table.to_parquet(tmp_path / "runs.parquet")
    from_csv = read_runs([tmp_path / "runs.csv"])
    pd.testing.assert_frame_equal(from_csv, read_runs([tmp_path / "runs.parquet"]))


def test_a_folder_is_read_by_its_parquet_file(tmp_path):
    runs().to_parquet(tmp_path / "runs.parquet")
    assert len(read_runs([tmp_path])) == 1


def test_tables_are_joined_in_the_order_given(tmp_path):
    for name in ("b", "a"):
        runs(campaign=name).to_csv(tmp_path / f"{name}.csv", index=False)
    joined = read_runs([tmp_path / "b.csv", tmp_path / "a.csv"])
    assert list(joined["campaign"]) == ["b", "a"]


@given(
    rates=st.lists(st.floats(0.0, 1e3, allow_nan=False, allow_subnormal=False), min_size=1),
)
def test_rates_survive_csv_to_the_last_bit(rates, tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "runs.csv"
    pd.concat([runs(forwarded_mpps=rate) for rate in rates]).to_csv(path, index=False)
    assert list(read_runs([path])["forwarded_mpps"]) == rates


def test_a_name_that_looks_like_a_number_stays_a_name(tmp_path):
    assert read_runs([with_cell(tmp_path, "campaign", "007")])["campaign"][0] == "007"


def test_unknown_columns_are_kept(tmp_path):
    runs(weather="rain").to_csv(tmp_path / "runs.csv", index=False)
    assert read_runs([tmp_path / "runs.csv"])["weather"][0] == "rain"


@pytest.mark.parametrize("name", [column.name for column in COLUMNS if column.required])
def test_a_missing_column_is_named(name):
    with pytest.raises(BadInputError, match=f"missing {name};"):
        check_runs(runs().drop(columns=name))


@pytest.mark.parametrize(
    ("column", "text", "why"),
    [
        ("forwarded_mpps", '"972,899"', "it is not a number"),
        ("forwarded_mpps", "1_000", "it is not a number"),
        ("forwarded_mpps", "ten", "it is not a number"),
        ("forwarded_mpps", "-1", "it is too small"),
        ("forwarded_mpps", "", "a value is missing"),
        ("forwarded_mpps", "nan", "a value is missing"),
        ("forwarded_mpps", "inf", "it is endless"),
        ("memory_accesses", "-1", "it is too small"),
        ("memory_accesses", "1.5", "it is a fraction"),
        ("memory_accesses", "inf", "it is endless"),
        ("queues", "0", "it is too small"),
        ("queues", "", "a value is missing"),
        ("frame_bytes", "60", "it is too small"),
        ("frame_bytes", "1e6", "it is too large"),
        ("queues", "1000000", "it is too large"),
        ("memory_accesses", "1e12", "it is too large"),
        ("link_gbps", "10000", "it is too large"),
        ("forwarded_mpps", "14880952", "it is too large"),
        ("offered_mpps", "1e9", "it is too large"),
        ("frame_bytes", "inf", "it is endless"),
        ("forwarded_mpps", "9" * 400, "it is endless"),
        ("link_gbps", "0", "it is too small"),
        ("link_gbps", "-10", "it is too small"),
        ("link_gbps", "-inf", "it is too small"),
        ("offered_mpps", "-0.1", "it is too small"),
        ("cpu_busy_ratio", "-0.1", "it is too small"),
        ("latency_mean_us", "inf", "it is endless"),
        ("datapath", "x\x1b[31m", "it is not a name that can be printed"),
        ("datapath", "", "a value is missing"),
        ("campaign", "", "a value is missing"),
        ("program", "x\x1b[31m", "it is not a name that can be printed"),
        ("box", "b" * 300, "it is not a name that can be printed"),
        ("verdict", "good", "no such verdict; allowed: valid, suspect, invalid"),
        ("mode", "Serial", "no such mode; allowed: serial, split"),
    ],
)
def test_an_impossible_value_is_refused_with_its_column(tmp_path, column, text, why):
    path = with_cell(tmp_path, column, text)
    with pytest.raises(BadInputError) as refused:
        read_runs([path])
    message = str(refused.value)
    assert f"{column}=" in message
    assert why in message
    assert "allowed:" in message
    assert str(path) in message


def test_the_refused_row_is_counted_from_the_first_one_under_the_header():
    table = pd.concat([runs(), runs(), runs(queues=0)], ignore_index=True)
    with pytest.raises(BadInputError, match="data row 3"):
        check_runs(table)


@pytest.mark.parametrize("name", ["xdp_native", "swx", "of-others"])
def test_any_datapath_is_taken(name):
    assert check_runs(runs(datapath=name))["datapath"][0] == name


def test_a_point_is_a_decimal_point_never_a_thousands_separator(tmp_path):
    """972.899 meant as 972899 cannot be told from a number; only the comma gives itself away."""
    assert read_runs([with_cell(tmp_path, "forwarded_mpps", "972.899")])["forwarded_mpps"][
        0
    ] == pytest.approx(972.899)


@pytest.mark.parametrize(("column", "text"), [("link_gbps", "inf"), ("offered_mpps", "inf")])
def test_a_flood_and_a_lab_without_link_are_endless(tmp_path, column, text):
    assert np.isinf(read_runs([with_cell(tmp_path, column, text)])[column][0])


@pytest.mark.parametrize("column", [c.name for c in COLUMNS if c.required and c.nullable])
def test_what_a_lab_cannot_tell_may_be_left_empty(tmp_path, column):
    assert pd.isna(read_runs([with_cell(tmp_path, column, "")])[column][0])


def test_cells_to_predict_need_no_results():
    cells = check_columns(pd.DataFrame({"queues": [1, 2], "note": ["a", "b"]}))
    assert list(cells["queues"]) == [1, 2]


def test_checking_leaves_the_callers_table_alone():
    table = runs(queues="2")
    checked = check_runs(table)
    assert (table["queues"][0], checked["queues"][0]) == ("2", 2)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cannot be read as a table"),
        (",".join(ROW) + "\n", "it has no rows"),
        ('a,b\n"1,2\n', "cannot be read as a table"),
        ("a;b\n1;2\n", "divided by semicolons"),
        ("a\tb\n1\t2\n", "divided by tabs"),
        ("a,b\r1,2\r", "its lines end in CR alone"),
        ("a,b,a\n1,2,3\n", "the column 'a' is there twice"),
        ("a,b\n1,2,3\n", "its last row has 3 fields, the header 2"),
    ],
)
def test_a_file_without_a_table_is_refused(tmp_path, text, why):
    with pytest.raises(BadInputError, match=why):
        read_runs([written(tmp_path, text)])


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "runs.csv").write_bytes(b"campaign\n\xff\xfe\x00\n")
    with pytest.raises(BadInputError, match="cannot be read as a table"):
        read_runs([tmp_path / "runs.csv"])


@pytest.mark.parametrize(
    ("packed", "why"),
    [
        (gzip.compress, "it is compressed by gzip: unpack it first"),
        (lambda text: text.decode().encode("utf-16"), "it is UTF-16: save it as UTF-8"),
        (lambda text: b"PK\x03\x04" + text, "an archive or a spreadsheet"),
    ],
)
def test_what_a_file_is_instead_of_csv_is_said(tmp_path, packed, why):
    path = written(tmp_path, runs().to_csv(index=False))
    path.write_bytes(packed(path.read_bytes()))
    with pytest.raises(BadInputError, match=why):
        read_runs([path])


@pytest.mark.parametrize("changed", [lambda text: text.replace("\n", "\r\n"), "\ufeff{}".format])
def test_a_spreadsheets_line_ends_and_byte_order_mark_are_taken(tmp_path, changed):
    text = runs().to_csv(index=False)
    (tmp_path / "other.csv").write_bytes(changed(text).encode())
    assert read_runs([tmp_path / "other.csv"]).equals(read_runs([written(tmp_path, text)]))


def test_a_folder_without_parquet_is_read_by_its_csv_file(tmp_path):
    runs(queues=3).to_csv(tmp_path / "runs.csv", index=False)
    assert read_runs([tmp_path])["queues"][0] == 3


def test_a_stopped_campaign_without_its_table_says_how_to_go_on(tmp_path):
    (tmp_path / "journal.jsonl").touch()
    with pytest.raises(BadInputError, match="go on with it: linerate measure"):
        read_runs([tmp_path])


@pytest.mark.parametrize("fields", range(1, len(ROW)))
def test_a_csv_row_cut_short_is_refused(tmp_path, fields):
    """Cut within the throughput, ``10.5`` reads as a plausible ``1``; the lacking fields tell."""
    row = ",".join(map(str, ROW.values()))
    cut = ",".join(map(str, list(ROW.values())[:fields]))
    with pytest.raises(BadInputError, match=f"has {fields} fields of {len(ROW)}: it was cut"):
        read_runs([written(tmp_path, f"{','.join(ROW)}\n{row}\n{cut}")])


def test_a_last_line_without_its_newline_is_whole(tmp_path):
    row = ",".join(map(str, ROW.values()))
    assert len(read_runs([written(tmp_path, f"{','.join(ROW)}\n{row}")])) == 1


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BadInputError, match="there is no such file"):
        read_runs([tmp_path / "none.csv"])


def test_a_folder_without_runs_is_refused(tmp_path):
    with pytest.raises(BadInputError, match="no campaign was measured into this folder"):
        read_runs([tmp_path])


def test_a_column_is_listed_once():
    assert len(KNOWN) == len(COLUMNS)


@pytest.mark.skipif(not HARDWARE_RUNS.is_file(), reason=f"no table at {HARDWARE_RUNS}")
def test_a_table_from_real_hardware_is_taken_as_it_stands():
    table = read_runs([HARDWARE_RUNS])
    assert len(table) == len(pd.read_csv(HARDWARE_RUNS))


def test_endless_is_no_count():
    assert not KNOWN["queues"].holds(math.inf)


def test_a_count_beyond_64_bits_is_refused_before_it_is_stored(tmp_path):
    with pytest.raises(BadInputError, match=r"trials=1e\+30: it is too large.*below 92233720"):
        read_runs([with_cell(tmp_path, "trials", "1e30")])
