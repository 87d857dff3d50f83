"""A caption says where, how and when its own marks were measured: nothing else of the table."""

import numpy as np
import pandas as pd
import pytest

from linerate.reports import FIGURES, Words, figure_named
from linerate.reports.figures.captions import caption, programs_of
from linerate.reports.figures.lab import lab_sentences
from linerate.reports.section import fitted_section
from linerate.reports.tables.behind import runs_behind


def table_of(kind, section):
    table = kind.table(section)
    assert isinstance(table, pd.DataFrame), table
    return table


def caption_of(name, section, lang="en"):
    kind = figure_named(name, FIGURES)
    return caption(kind, section, table_of(kind, section), Words(lang=lang), "c")


def row(**columns):
    return {"datapath": "xdp_native", "lab": "veth", "mode": "serial", "link_gbps": 10.0} | columns


def output(*rows, rates=True):
    return " ".join(lab_sentences(pd.DataFrame(rows), Words(), rates=rates))


@pytest.mark.parametrize(
    ("name", "mode", "other"),
    [
        ("throughput-by-accesses", "serial mode", "split mode"),
        ("latency-by-load", "split mode", "serial mode"),
    ],
)
def test_a_caption_names_the_mode_of_its_own_runs(name, mode, other, section):
    text = caption_of(name, section)
    assert "Lab veth, no NIC; " + mode in text
    assert other not in text
    assert "link imitated, 10 Gbit/s" in text


def test_runs_behind_a_figure_are_those_that_it_counts(section):
    for name in ("throughput-by-accesses", "latency-by-load", "cpu-by-accesses"):
        kind = figure_named(name, FIGURES)
        table = table_of(kind, section)
        own = table[table["series"] == "measured"]
        own = own[own["statistic"] == "mean"] if "statistic" in own.columns else own
        assert len(runs_behind(table, section, kind.studies)) == own["runs"].sum()


def test_the_date_is_that_of_the_runs_drawn(section):
    runs = section.runs.copy()
    runs.loc[runs["mode"] == "split", "started_at"] = "2026-04-09T10:00:00+00:00"
    moved = fitted_section(runs, section.file)
    assert "2026-04-09" not in caption_of("throughput-by-accesses", moved)
    assert "measured 2026-04-09." in caption_of("latency-by-load", moved)


def test_only_a_serial_rate_is_of_three_together():
    together = "that of all three together"
    assert together in output(row())
    assert together not in output(row(), rates=False)
    assert together not in output(row(mode="split"))


def test_packets_of_net_null_come_from_no_wire():
    text = output(row(lab="dpdk", datapath="swx", pipeline_port="net_null", link_gbps=np.inf))
    assert "none comes from a wire" in text
    assert "Gbit/s" not in text


def test_the_link_of_a_nic_is_not_imitated():
    assert output(row(lab="nic", mode="split", link_gbps=25.0)) == (
        "Lab of a NIC; split mode; link 25 Gbit/s."
    )


def test_modes_that_are_mixed_are_named_apart():
    text = output(row(), row(mode="split", link_gbps=1.0))
    assert text.count("Lab veth") == 2
    assert text.index("10 Gbit/s") < text.index("1 Gbit/s.")


def test_a_table_without_a_lab_says_so():
    assert output({"datapath": "xdp_native", "link_gbps": 10.0}) == "Lab not recorded."


def test_a_program_is_named_with_what_its_packets_take():
    table = pd.DataFrame({
        "program": ["forward", "l2l3"],
        "operations": ['{"register_read_32": 10, "register_write_32": 10}', "{}"],
    })  # fmt: skip
    assert programs_of(table, Words()) == "forward with 10 read_32 + 10 write_32 per packet, l2l3"


def test_the_lab_is_said_in_portuguese(section):
    text = caption_of("throughput-by-accesses", section, "pt")
    assert "Laboratório veth, sem NIC; modo serial" in text


def test_of_programs_too_many_to_read_the_first_is_named_and_the_others_are_counted():
    table = pd.DataFrame({"program": [f"rules_{number}.nft" for number in range(40)] * 2})
    assert programs_of(table, Words()) == "rules_0.nft and 39 others, which the CSV names"
    assert programs_of(table.head(3), Words()) == "rules_0.nft, rules_1.nft, rules_2.nft"
