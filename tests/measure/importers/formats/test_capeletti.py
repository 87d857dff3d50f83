"""Each defect that the study's logs have is found and named, and the rate is the right one."""

import io
import tarfile

import pytest

from linerate.errors import BadInputError
from linerate.measure.importers.formats.capeletti import import_capeletti

from ..external_logs import moongen, perf, sar, study_paths, write_run

BOTH = {"csv": moongen(), "txt": moongen(), "sar": sar(), "perf": perf()}
GENERATOR = {"csv": moongen(), "txt": moongen()}


def imported(root, logs, folder="resultados2", **names):
    write_run(root, logs, folder=folder, **names)
    return import_capeletti(root)


def named(outcome):
    return {found.defect.name for found in outcome.findings}


def test_rate_is_that_of_sars_steady_samples(tmp_path):
    row = imported(tmp_path, BOTH).runs.iloc[0]
    assert row["forwarded_mpps"] == pytest.approx(1.0, rel=1e-4)
    assert (row["forwarded_from"], row["cpu_busy_ratio"]) == ("sar_tx", 1.0)
    assert (row["datapath"], row["program"]) == ("xdp_native", "map_lookup")
    assert row["offered_mpps"] == pytest.approx(4.528986)


def test_without_sar_it_is_the_receive_counters_by_the_right_clock(tmp_path):
    row = imported(tmp_path, GENERATOR).runs.iloc[0]
    assert row["forwarded_mpps"] == pytest.approx(1.0, rel=1e-5)
    assert row["forwarded_from"] == "moongen_rx"
    assert row["latency_mean_us"] == pytest.approx(4000.0, rel=1e-3)


def test_every_run_of_the_study_shows_its_common_defects(tmp_path):
    assert named(imported(tmp_path, BOTH)) >= {
        "header_shifted", "tx_above_line", "clock_fast", "decimal_comma", "idle_averaged",
        "perf_counts_command", "events_not_counted",
    }  # fmt: skip


def test_a_sound_log_has_no_defect(tmp_path):
    log = moongen(rx_mpps=1.0 / 1.00188, tx_mpps=4.5, shifted=False)
    sound = {
        "csv": log, "txt": log, "sar": sar(comma=False, idle=0, samples=60),
        "perf": perf("system wide", comma=False).replace("<not counted>", "12"),
    }  # fmt: skip
    assert named(imported(tmp_path, sound)) == set()


@pytest.mark.parametrize(
    ("logs", "defect"),
    [
        ({"sar": sar(0.05), "csv": moongen(rx_mpps=0)}, "rx_zero"),
        ({"csv": moongen(), "txt": moongen()}, "sar_missing"),
        ({"csv": moongen(), "txt": moongen()}, "perf_missing"),
        ({"sar": sar()}, "generator_missing"),
        ({"txt": moongen()}, "csv_missing"),
        ({"csv": moongen(), "txt": moongen(rx_mpps=2)}, "logs_differ"),
        ({"csv": moongen(decimals=2)}, "latency_coarse"),
        ({"csv": moongen(latency_s=-0.1)}, "latency_negative"),
        ({"csv": moongen(latency=False)}, "latency_missing"),
        ({"csv": moongen(wobble=0.1)}, "rate_unsteady"),
        ({"csv": moongen() + moongen(rx_mpps=2)}, "log_appended"),
        ({"csv": moongen().rstrip()[:-30]}, "cut_short"),
        ({"csv": moongen(), "sar": sar()[:-9]}, "cut_short"),
        ({"csv": moongen(), "sar": sar(idle=99)}, "window_misses_traffic"),
        ({"csv": moongen(), "sar": "no such thing\n"}, "unreadable"),
        ({"csv": moongen(), "perf": "Performance\n"}, "unreadable"),
        ({"sar": sar(0.2, busy=0.2)}, "cpu_undersampled"),
    ],
)  # fmt: skip
def test_a_defect_is_named(tmp_path, logs, defect):
    outcome = imported(tmp_path, logs)
    assert defect in named(outcome)
    assert defect in outcome.runs.iloc[0]["defects"].split("+")


def test_of_an_appended_log_the_last_run_is_kept(tmp_path):
    row = imported(tmp_path, {"csv": moongen(rx_mpps=1) + moongen(rx_mpps=2)}).runs.iloc[0]
    assert row["forwarded_mpps"] == pytest.approx(2.0, rel=1e-5)


def test_the_receivers_cap_is_no_rate_of_the_device(tmp_path):
    capped = {"csv": moongen(rx_mpps=12.4)}
    write_run(tmp_path, capped | {"sar": sar(14.87)}, folder="resultados1", frame_bytes=64)
    write_run(tmp_path, capped, folder="resultados5", frame_bytes=64)
    outcome = import_capeletti(tmp_path)
    assert outcome.runs["forwarded_mpps"].tolist() == [pytest.approx(14.87)]
    assert [left.run.split()[0] for left in outcome.left_out] == ["resultados5"]
    assert outcome.defect_counts()["rx_capped"] == 2


def test_a_receive_counter_at_zero_without_sar_leaves_the_run_out_and_says_so(tmp_path):
    write_run(tmp_path, BOTH, folder="resultados1")
    write_run(tmp_path, {"csv": moongen(rx_mpps=0)}, folder="resultados4")
    outcome = import_capeletti(tmp_path)
    assert len(outcome.runs) == 1
    assert "receive counter stood at 0" in outcome.left_out[0].why
    assert "left_out" in set(outcome.findings_table()["defect"])


def test_loads_of_one_program_that_differ_are_named(tmp_path):
    for folder, mpps in (("resultados1", 1.0), ("resultados2", 1.01), ("resultados4", 1.2)):
        write_run(tmp_path, {"csv": moongen(rx_mpps=mpps)}, folder=folder)
    outcome = import_capeletti(tmp_path)
    apart = [f.run for f in outcome.findings if f.defect.name == "program_loads_differ"]
    assert [run.split()[0] for run in apart] == ["resultados4"]


def test_af_xdps_two_programs_are_told_apart(tmp_path):
    for folder in ("resultados_af_xdp1", "resultados_af_xdp3"):
        write_run(tmp_path, GENERATOR, folder=folder, hook="xdpgeneric")
    programs = import_capeletti(tmp_path).runs["program"].tolist()
    assert programs == ["af_xdp_loop_v1", "af_xdp_memcpy"]


def test_unknown_files_and_links_are_named_never_followed(tmp_path):
    (tmp_path / "summary.csv").write_text("cell,pps\na,972.899\n")
    (tmp_path / "loop").symlink_to(tmp_path)
    outcome = imported(tmp_path, BOTH)
    unknown = {f.path: f.defect.detail for f in outcome.findings if f.defect.name == "unknown_file"}
    assert "pt_BR" in unknown["summary.csv"]
    assert unknown["loop"] == "it is a link"


def test_a_misfiled_log_is_named(tmp_path):
    paths = study_paths("resultados1", accesses=100)
    path = tmp_path / paths["csv"].replace("gerador/for_0_a_100", "gerador/for_0_a_200")
    path.parent.mkdir(parents=True)
    path.write_text(moongen())
    outcome = import_capeletti(tmp_path)
    assert "misfiled" in named(outcome)
    assert outcome.runs["memory_accesses"].tolist() == [100]


def archive(path, members):
    with tarfile.open(path, "w:gz") as tar:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return path


def test_an_archive_gives_the_same_table_as_its_folder(tmp_path):
    paths = study_paths("resultados2")
    packed = archive(tmp_path / "s.tar.gz", {paths[kind]: text for kind, text in BOTH.items()})
    from_folder = imported(tmp_path / "folder", BOTH).runs
    assert import_capeletti(packed).runs.equals(from_folder)


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "/etc/passwd", "a/../../b"])
def test_an_archive_that_leaves_its_folder_is_refused(tmp_path, name):
    with pytest.raises(BadInputError, match="leaves the archive"):
        import_capeletti(archive(tmp_path / "evil.tar.gz", {name: "x"}))


def test_links_in_an_archive_are_named(tmp_path):
    path = tmp_path / "s.tar"
    logs = imported(tmp_path / "folder", BOTH)
    with tarfile.open(path, "w") as tar:
        tar.add(tmp_path / "folder", ".")
        info = tarfile.TarInfo("passwords")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(info)
    outcome = import_capeletti(path)
    assert outcome.runs.equals(logs.runs)
    assert ("passwords", "it is a link") in {(f.path, f.defect.detail) for f in outcome.findings}


def test_an_archive_that_ends_early_is_refused(tmp_path):
    members = {study_paths("resultados2")[kind]: text for kind, text in BOTH.items()}
    whole = archive(tmp_path / "s.tar.gz", members).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[:-20])
    with pytest.raises(BadInputError, match="damaged"):
        import_capeletti(tmp_path / "cut.tar.gz")


def test_a_folder_without_the_study_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(BadInputError, match="none of its 1 files is a log of the study"):
        import_capeletti(tmp_path)


def test_a_log_that_is_too_large_is_named_and_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("linerate.measure.importers.logs.sources.LOG_BYTES_MAX", 4000)
    write_run(tmp_path, BOTH | {"sar": sar() + " " * 4000}, folder="resultados1")
    with pytest.raises(BadInputError, match="none of its 1 runs gives a rate"):
        monkeypatch.setattr("linerate.measure.importers.logs.sources.LOG_BYTES_MAX", 1)
        import_capeletti(tmp_path)
