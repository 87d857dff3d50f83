"""An importer is one new file: the one that docs/extending.md shows."""

import pytest
from tests.worked import worked_example

from linerate.errors import BadInputError
from linerate.measure.importers import formats, importers
from linerate.measure.importers.importer import LogFormat
from linerate.measure.importers.importing import import_logs
from linerate.measure.importers.registry import importer_named

LOG = """Dropping packets on interface eth0 (ifindex 2; driver mlx5_core)
Summary                  9,000,000 rx/s                  0 err/s
Summary                 21,023,321 rx/s                  7 err/s
Summary                 21,000,321 rx/s                  0 err/s
"""
MAPPING = """[run]
campaign = "theirs"
box = "their-box"
datapath = "xdp_native"
program = "drop"
memory_accesses = 0
queues = 1
frame_bytes = 64.0
link_gbps = 100.0
offered_mpps = "line"
[xdp_bench]
skip_seconds = 1
"""


@pytest.fixture
def with_example(tmp_path, monkeypatch):
    """Formats, and the one of the documentation in a file beside them."""
    folder = tmp_path / "formats"
    folder.mkdir()
    (folder / "xdp_bench.py").write_text(worked_example("An importer"))
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(folder)])
    (tmp_path / "log.txt").write_text(LOG)
    (tmp_path / "map.toml").write_text(MAPPING)
    return tmp_path


def test_a_new_file_is_a_new_format(with_example):
    assert importers()["xdp_bench"] == "Output of xdp-bench drop: one summary a second."
    importer = importer_named("xdp_bench")
    assert isinstance(importer, LogFormat)
    assert importer.table.__name__ == "XdpBenchTable"


def test_a_new_format_is_imported_with_its_own_defect(with_example):
    found = import_logs("xdp_bench", with_example / "log.txt", with_example / "map.toml")
    row = found.runs.iloc[0]
    assert row["forwarded_mpps"] == pytest.approx(21.011821)
    assert (row["duration_s"], row["defects"]) == (2.0, "xdp_errors")
    assert found.defect_counts() == {"xdp_errors": 1}
    assert found.findings_table()["meaning"].tolist() == ["the program failed; not corrected"]


def test_a_log_of_another_format_is_refused_by_the_new_one(with_example):
    (with_example / "log.txt").write_text("nothing of the kind\n")
    with pytest.raises(
        BadInputError, match=r"it is not a log of xdp_bench.*0 summaries leave none"
    ):
        import_logs("xdp_bench", with_example / "log.txt", with_example / "map.toml")


@pytest.mark.parametrize("name", importers())
def test_every_format_has_an_importer_and_a_line_of_help(name):
    assert importers()[name].endswith(".")
    assert importer_named(name).read


def test_an_unknown_format_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(BadInputError, match="no such importer; allowed: capeletti, csv, moongen"):
        import_logs("capelleti", tmp_path)
