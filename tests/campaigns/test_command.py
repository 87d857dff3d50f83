"""``linerate store``: what it prints, and how it ends."""

import json

import pandas as pd
import pytest

from linerate.cli import main

from .planted import ROWS, campaign


@pytest.fixture
def output(tmp_path, monkeypatch, capsys):
    """Run a command in a folder that holds two tables of runs; give code, answer, words."""
    monkeypatch.chdir(tmp_path)
    for number in range(2):
        campaign(number).to_parquet(f"{number}.parquet")

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main(["store", *words])
        captured = capsys.readouterr()
        return ended.value.code, captured.out, captured.err

    return run


def test_add_list_query_verify(output):
    code, out, _ = output("add", "lab", "0.parquet", "1.parquet", "--commit", "4f2a9c1")
    assert code == 0
    assert out.splitlines() == [f"added: nightly-{n} of alpha, {ROWS} runs" for n in range(2)]
    code, out, _ = output("list", "lab", "--json")
    assert [one["commit"] for one in json.loads(out)["campaigns"]] == ["4f2a9c1"] * 2
    assert f"2 campaigns, {2 * ROWS} runs, 1 box\n" in output("list", "lab")[1]
    code, out, _ = output("query", "lab", "select max(queues) as q from runs", "--json")
    assert json.loads(out)["rows"] == [{"q": 2}]
    assert output("query", "lab", "from runs", "--out", "all.csv")[0] == 0
    assert len(pd.read_csv("all.csv")) == 2 * ROWS
    code, out, _ = output("verify", "lab")
    assert (code, out.split(",")[0]) == (0, "2 campaigns as they were written")


def test_one_campaign_is_no_campaigns(output):
    output("add", "lab", "0.parquet")
    assert f"1 campaign, {ROWS} runs, 1 box\n" in output("list", "lab")[1]
    assert output("verify", "lab")[1].startswith("1 campaign as it was written, ")


def test_what_is_broken_is_named_and_ends_with_1(output, tmp_path):
    output("add", "lab", "0.parquet", "1.parquet")
    part = next((tmp_path / "lab/runs").rglob("*.parquet"))
    part.write_bytes(b"PAR1")
    code, out, err = output("verify", "lab", "--quiet")
    assert (code, out.split()[0]) == (1, "1")
    assert "broken: " in err
    assert "it has 4 of" in err
    code, out, err = output("query", "lab", "select count(*) as n from runs", "--json")
    assert (code, json.loads(out)["rows"]) == (0, [{"n": ROWS}])
    assert "left out: " in err


@pytest.mark.parametrize(
    ("words", "why"),
    [(["ad", "lab"], "did you mean add?"), (["add", "lab"], "nothing is named"),
     (["query", "lab"], "0 words where one"), (["list", "lab", "x"], "list takes the store alone"),
     (["list", "lab", "--replace"], "it does not know --replace"),
     (["verify", "nowhere"], "there is no store"),
     (["query", "lab", "select 1", "--out", "x.txt"], "not a name of a table")],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(output, words, why):
    code, _, err = output(*words)
    assert code == 2
    assert why in err
