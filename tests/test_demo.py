"""The demo tells the whole story, with packets where they can be sent and without."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from linerate.measure.system import lab_obstacles
from linerate.tables.runs import read_runs

pytestmark = pytest.mark.long

MAIN = "from linerate.cli import main; main()"
SMALLER = {
    "trial_seconds = 0.2": "trial_seconds = 0.02",
    "warm_up_seconds = 0.08": "warm_up_seconds = 0.01",
    "repetitions = 2": "repetitions = 1",
    "memory_accesses = [0, 100, 400, 1600, 6400]": "memory_accesses = [0, 400, 1600]",
    "frame_bytes = [64, 512, 1500]": "frame_bytes = [64, 1500]",
    "[0.1, 0.3, 0.5, 0.7, 0.9, 1.2, 1.6, 2.0]": "[0.1, 0.5, 0.9, 1.6]",
}
"""What the demo's plan says, and what is enough here."""
EMPTY_PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
trailer<</Root 1 0 R/Size 4>>
%%EOF
"""
"""A page with nothing on it, which a report can be set with."""


def demo(*flags, **options):
    return subprocess.run(
        [sys.executable, "-c", MAIN, "demo", *flags],
        capture_output=True, text=True, check=False, **options,
    )  # fmt: skip


def answer_of(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.deep
def test_without_a_lab_the_demo_runs_on_the_reference_and_says_so(tmp_path):
    no_objects = os.environ | {"LINERATE_BUILD": str(tmp_path / "nothing")}
    done = demo("--out", str(tmp_path / "out"), "--json", env=no_objects)
    answer = answer_of(done)
    assert "No packets are sent" in done.stderr
    assert answer["here"] is False
    assert len(answer["answers"]) == 2
    for one in answer["answers"]:
        assert 0 < one["lower_mpps"] < one["predicted_mpps"] <= one["upper_mpps"]
        assert one["measured_mpps"] > 0
    assert (tmp_path / "out" / "report" / "report.html").stat().st_size > 100_000
    assert answer["report"] == str(tmp_path / "out" / "report" / "report.html")


@pytest.mark.deep
@pytest.mark.root
def test_demo_measures_here_and_then_checks_what_it_predicted(tmp_path, repository):
    """The shipped demo with a smaller plan, its figures drawn and not rendered: the flow counts."""
    assert not lab_obstacles("veth")
    data = tmp_path / "data"
    shutil.copytree(repository / "data", data)
    plan = data / "campaigns" / "quick.toml"
    text = plan.read_text()
    for whole, smaller in SMALLER.items():
        assert whole in text
        text = text.replace(whole, smaller)
    plan.write_text(text)
    script = (
        "import linerate.cli.demo as d, linerate.reports.page.pictures as r, pathlib\n"
        f"d.DATA = pathlib.Path({str(data)!r})\n"
        "d.CHECK_SECONDS, d.CHECK_WARM_UP_SECONDS = 0.03, 0.01\n"
        f"pdf = {EMPTY_PDF!r}\n"
        "r.rendered = lambda figure, form, *_: pdf if form == 'pdf' else form.encode()\n" + MAIN
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "demo", "--out", str(tmp_path / "out"), "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    answer = answer_of(done)
    assert answer["here"] is True
    assert {row["measured_loads"] for row in answer["answers"]} == {5}
    checked = read_runs([tmp_path / "out" / "check"])
    assert set(checked["memory_accesses"]) == {200, 800}
