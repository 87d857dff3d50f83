"""``lr.trend`` and ``linerate trend``: planted steps over stored campaigns."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest

import linerate as lr
from linerate.campaigns.manifest import Origin
from linerate.cli import main
from linerate.errors import BadInputError
from linerate.reports.trends.picture import trend_table

STEP_AT, CAMPAIGNS = 9, 16


@pytest.fixture(scope="module")
def lab(tmp_path_factory, repository):
    """Give a store of nightly campaigns of two cells that lose 3 % with a new kernel."""
    store = lr.store(tmp_path_factory.mktemp("trends") / "lab.store")
    store.add()
    runs = (
        lr.read(repository / "data/reference-veth")
        .filter(memory_accesses=[400, 800], frame_bytes=64, queues=1, datapath="xdp_native")
        .table
    )
    rng = np.random.default_rng(3)
    level = runs.groupby("memory_accesses")["forwarded_mpps"].transform("median")
    for night in range(CAMPAIGNS):
        slower = 0.97 if night >= STEP_AT else 1.0
        table = runs.assign(
            campaign=f"night-{night}", box=f"lab-6.{night // STEP_AT}",
            started_at=f"2026-11-{night + 1:02}T01:00:00+00:00", git_revision=f"c{night // 3}",
            forwarded_mpps=level * slower * rng.normal(1.0, 0.004, len(runs)),
        ).reset_index(drop=True)  # fmt: skip
        store.put(table, Origin(kernel=f"6.{night // STEP_AT}", cpu_model="EPYC"))
    return store.place.name


def test_a_step_is_named_with_its_size_its_place_and_how_sure_it_is(lab):
    found = lr.trend(lab, cell={"memory_accesses": 400})
    [change] = found.changes
    assert (change.kind, change.at, change.label) == ("regression", STEP_AT, "2026-11-10")
    assert change.lower < 0.97 < change.upper
    assert change.probability > 0.99
    assert (found.unit, found.cells, found.regressed) == ("Mpps", 1, True)
    assert list(found.samples["loads"].unique()) == [3]
    assert "boxes lab-6.0, lab-6.1 are taken as one" in found.notes[0]


def test_cells_together_are_relative_to_their_own_medians(lab):
    found = lr.trend(lab)
    assert (found.unit, found.cells) == ("ratio", 2)
    assert found.samples["value"].between(0.95, 1.05).all()
    assert found.changes[0].lower < 0.97 < found.changes[0].upper


@pytest.mark.parametrize(("by", "label"), [("kernel", "6.1"), ("commit", "c3")])
def test_levels_step_with_kernels_and_commits(lab, by, label):
    [change] = lr.trend(lab, by=by).changes
    assert (change.label, change.at) == (label, STEP_AT)


def test_campaigns_without_a_store_do_as_well_but_few_say_nothing(lab, tmp_path):
    paths = []
    for night in (0, 5):
        paths.append(tmp_path / f"{night}.parquet")
        lr.store(lab).runs(campaign=f"night-{night}").table.to_parquet(paths[-1])
    found = lr.trend(*paths, cell={"memory_accesses": 400})
    assert (len(found.samples), found.changes) == (2, ())
    assert "2 campaigns: steps are sought from 10 on" in found.notes


def test_what_cannot_be_ordered_or_paired_is_refused(lab, tmp_path):
    with pytest.raises(BadInputError, match=r"by=dat: .*did you mean date"):
        lr.trend(lab, by="dat")
    runs = lr.store(lab).runs().table
    apart = runs[(runs["campaign"] == "night-0") == (runs["memory_accesses"] == 400)]
    apart.to_parquet(tmp_path / "apart.parquet")
    with pytest.raises(BadInputError, match="none was measured in all 16 campaigns"):
        lr.trend(tmp_path / "apart.parquet")
    with pytest.raises(BadInputError, match="by=kernel: 16 campaigns do not say theirs"):
        lr.trend(tmp_path / "apart.parquet", by="kernel")


def test_the_command_says_it_draws_it_and_ends_with_1_when_asked(lab, tmp_path, capsys):
    picture = tmp_path / "trend.png"
    words = ["trend", lab, "--cell", "memory_accesses=400,queues=1", "--figure", str(picture)]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--check"])
    assert ended.value.code == 1
    assert "regression of" in capsys.readouterr().out
    drawn = pd.read_csv(picture.with_suffix(".csv"))
    assert list(drawn["reached"].fillna("")) == [""] * STEP_AT + ["regression"] * 7
    assert drawn.shape == trend_table(lr.trend(lab, cell={"memory_accesses": 400})).shape
    with pytest.raises(SystemExit) as ended:
        main(["trend", lab, "--cell", "memory_accesses=400", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (ended.value.code, answer["regressed"], len(answer["samples"])) == (0, True, CAMPAIGNS)


@pytest.mark.parametrize("cell", ["queues", "=1", "queues=1,,"])
def test_a_cell_that_is_none_is_refused(lab, cell, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["trend", lab, "--cell", cell])
    assert ended.value.code == 2
    assert "it is not a column and value" in capsys.readouterr().err


def test_the_page_has_the_step_the_picture_and_every_campaign(lab, tmp_path, capsys):
    page = tmp_path / "trend.html"
    with pytest.raises(SystemExit) as ended:
        main(["trend", lab, "--cell", "memory_accesses=400", "--page", str(page)])
    assert ended.value.code == 0
    html = page.read_text()
    assert "regression of" in html
    assert html.count("data:image/png;base64,") == 1
    assert all(f"<td>night-{night}</td>" in html for night in range(CAMPAIGNS))
    assert re.findall(r"(?:src|href)\s*=\s*[\"']?\s*(?:https?:)?//", html) == []


def test_the_commit_that_changed_the_rate_is_found_among_those_that_were_measured(lab, tmp_path):
    found = lr.bisect(lab, commits=[f"c{number}" for number in range(6)])
    assert (found.likeliest, found.next_commit) == ("c3", "")
    assert found.ratio == pytest.approx(0.97, abs=0.01)
    more = lr.bisect(lab, commits=["c0", "c1", "c2", "aaaaaaa", "bbbbbbb", "ccccccc", "c3", "c4"])
    assert more.next_commit == "bbbbbbb"
    with pytest.raises(BadInputError, match="no campaign measured any"):
        lr.bisect(lab, commits=["fffffff"])
    with pytest.raises(BadInputError, match="measure each of the two twice"):
        lr.bisect(lab, commits=["c0"])


def test_the_command_says_which_commit_to_measure_next(lab, tmp_path, capsys, monkeypatch):
    commits = tmp_path / "commits"
    commits.write_text("c0 begin\nc2\nbbbbbbb between\nc3\nc4\n")
    with pytest.raises(SystemExit) as ended:
        main(["trend", lab, "--between", str(commits)])
    assert ended.value.code == 0
    assert "measure next: bbbbbbb" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO(commits.read_text()))
    with pytest.raises(SystemExit):
        main(["trend", lab, "--between", "-", "--json"])
    assert json.loads(capsys.readouterr().out)["next_commit"] == "bbbbbbb"
    for words, output in [(["--check"], "--between asks for the next commit alone"),
                        (["--page", "x.html"], "--between asks")]:  # fmt: skip
        with pytest.raises(SystemExit) as ended:
            main(["trend", lab, "--between", str(commits), *words])
        assert ended.value.code == 2
        assert output in capsys.readouterr().err
    commits.write_text("\n")
    with pytest.raises(SystemExit):
        main(["trend", lab, "--between", str(commits)])
    assert "it names no commits" in capsys.readouterr().err
