"""What a page says of line rate where there is none, and which command it names."""

import json

import pytest

from linerate.reports import Words, fit_section, read_source
from linerate.reports.page.capacity import answer_sentences, scores_sentence
from linerate.tables.runs import read_runs


def test_a_campaign_below_saturation_has_no_verdict_and_none_that_was_right(repository):
    """What is forwarded there is what was offered, whatever a model says."""
    runs = read_runs([repository / "data/reference-veth-split"])
    few = runs[(runs["queues"] == 1) & (runs["datapath"] == "xdp_native")]
    section = fit_section(few, "capacity")
    output = " ".join(answer_sentences(section, Words()))
    assert "No verdict" in output
    assert "latency and CPU is below" in output
    scores = scores_sentence(section, Words())
    assert "all that was offered was forwarded" in scores
    assert "verdict" not in scores


@pytest.mark.parametrize(
    ("provenance", "command"),
    [
        ({"argv": ["linerate", "measure", "my plan.toml"]}, "linerate measure 'my plan.toml'"),
        ({"argv": ["linerate", "\x1b[31mred"]}, "linerate '?[31mred'"),
        ({"argv": "linerate measure plan.toml"}, ""),
        (None, ""),
    ],
)
def test_the_command_that_measured_is_that_of_the_provenance(
    tmp_path, repository, provenance, command
):
    lines = (repository / "data/reference-veth/runs.csv").read_text().splitlines()[:3]
    (tmp_path / "runs.csv").write_text("\n".join(lines))
    if provenance:
        (tmp_path / "provenance.json").write_text(json.dumps(provenance))
    assert read_source(tmp_path).measured_by == command
