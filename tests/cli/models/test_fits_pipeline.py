"""``linerate fits MY.spec``: answers by the costs that are shipped, and refusals."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from linerate.cli.app import app_for
from linerate.face.fits.carrying import Where
from linerate.face.fits.pipelines import SHIPPED, fits_pipeline

from ...measure.datapaths.swx.spec.pipelines import ENTRIES, ROUTER, frame


def run(*words):
    """Ask by the costs as they are shipped: this machine's are asked for in test_carrying."""
    words = [*map(str, words), "--static"]
    return CliRunner().invoke(app_for(words), words)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("pipeline")
    (made / "router.spec").write_text(ROUTER)
    (made / "routes.txt").write_text(ENTRIES)
    (made / "frames.json").write_text(json.dumps([
        {"hex": frame(0xC6130001).hex(), "weight": 3}, {"hex": frame(0x0A000001).hex()},
    ]))  # fmt: skip
    return made


def test_a_pipeline_is_answered_in_three_cases(folder):
    result = run("fits", folder / "router.spec", "--frame-bytes", 64, "--explain")
    assert result.exit_code == 0, result.output
    for words in ("best ", "expected ", "worst ", "Where the worst", "1 table_lpm", "Note: ",
                  "each way of several as likely"):  # fmt: skip
        assert words in result.output


def test_waits_are_explained_by_line(folder):
    (folder / "waits.spec").write_text(
        ROUTER.replace("\ttable routes\n", "\tmov m.port 0\n\tmov m.hop h.ipv4.dst_addr\n")
    )
    asked = ("fits", folder / "waits.spec", "--frame-bytes", 64)
    explained = run(*asked, "--explain").stdout
    line = ROUTER[: ROUTER.index("\ttable routes\n")].count("\n") + 1
    assert f"line {line + 1} for line {line}: mov m.hop h.ipv4.dst_addr" in explained
    assert "without them a packet would take" in explained
    assert "With m.hop declared so the worst case would take" in explained
    said = json.loads(run(*asked, "--explain", "--json").stdout)
    worst = said["answers"][0]["cases"][2]
    assert [wait["line"] for wait in worst["waits"]] == [line + 1]
    assert worst["unwaited_ns"] < worst["packet_ns"]
    assert said["wider"]["fields"] == ["hop"]
    assert said["wider"]["worst"]["packet_ns"] < worst["packet_ns"]
    assert "wider" not in json.loads(run(*asked, "--json").stdout)


def test_entries_and_frames_say_which_way_packets_go(folder):
    result = run("fits", folder / "router.spec", "--table", f"routes={folder / 'routes.txt'}",
                 "--traffic", folder / "frames.json", "--queues", 1, "--link-gbps", 100,
                 "--json")  # fmt: skip
    assert result.exit_code == 0, result.output
    (answer,) = json.loads(result.stdout)["answers"]
    best, expected, worst = answer["cases"]
    assert (worst["choices"], best["choices"]) == (["routes:route"], ["routes:miss"])
    assert expected["sends_ratio"] == 0.75
    assert expected["packet_ns"] == pytest.approx(
        0.75 * worst["packet_ns"] + 0.25 * best["packet_ns"]
    )
    assert expected["lower_mpps"] < expected["predicted_mpps"] < expected["upper_mpps"]
    assert "table_lpm" in expected["operations"]


def test_check_exits_with_1_where_line_rate_is_not_sustained(folder):
    asked = ("fits", folder / "router.spec", "--queues", 1, "--check")
    assert run(*asked, "--frame-bytes", 64, "--link-gbps", 100).exit_code == 1
    assert run(*asked, "--frame-bytes", 1518, "--link-gbps", 1).exit_code == 0


def test_more_work_takes_longer(folder):
    (folder / "longer.spec").write_text(
        ROUTER.replace("table routes\n\tjmpeq", "table routes\n\ttable routes\n\tjmpeq")
    )
    where = Where(static=True)
    times = [
        fits_pipeline(folder / name, frame_bytes=64, where=where).answers[0].cases[2].packet_ns
        for name in ("router.spec", "longer.spec")
    ]
    assert times[1] > times[0] + 10.0


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("--maps", "maps.toml"), "--maps=maps.toml: it has no meaning here"),
        (("--table", "routes"), "table=routes: no table and its file"),
        (("--table", "hops=hops.txt"), "router.spec has no such table"),
        (("--queues", "0"), "queues=0: no pipeline runs on so many lcores"),
        (("--traffic", "12"), "traffic=12"),
        (("--model", "nowhere.json"), "nowhere.json"),
    ],
)
def test_what_cannot_be_asked_is_refused(folder, words, printed):
    result = run("fits", folder / "router.spec", *words)
    assert result.exit_code != 0
    assert printed in str(result.exception)


def test_a_table_option_is_of_pipelines_alone():
    assert "--table" in str(run("fits", "map_lookup", "--table", "a=b").exception)


def test_a_model_without_costs_of_pipelines_is_refused(folder):
    other = json.loads(SHIPPED.read_text())
    text = json.dumps(other).replace('"bare"', '"other"')
    (folder / "other.json").write_text(text)
    result = run("fits", folder / "router.spec", "--model", folder / "other.json")
    assert "it has no costs of what pipelines are made of" in str(result.exception)


def test_of_a_p4_source_lines_are_those_that_the_compiler_makes(folder, monkeypatch):
    """A stand-in for p4c-dpdk, which Debian 12 lacks: it puts a .spec where it is told."""
    (folder / "p4c-dpdk").write_text(f'#!/bin/sh\ncp {folder}/router.spec "$4"\n')
    (folder / "p4c-dpdk").chmod(0o755)
    (folder / "mine.p4").write_text("")
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    done = run("fits", folder / "mine.p4", "--frame-bytes", 64)
    assert "Note: lines are those of what the compiler makes of it: p4c-dpdk" in done.stdout
    assert "-o mine.spec mine.p4" in done.stdout


@pytest.mark.skipif(bool(shutil.which("p4c-dpdk")), reason="p4c-dpdk is there")
def test_p4_without_a_compiler_says_what_to_do(folder):
    (folder / "router.p4").write_text("")
    result = run("fits", folder / "router.p4")
    assert result.exit_code != 0
    assert "install p4c with its DPDK backend" in str(result.exception)
