"""Published numbers can be made again: the page names them all, and their data are those here."""

import hashlib
import re
import subprocess
import tomllib

import pytest
from benchmarks import gallery
from benchmarks.gallery_table import read_kept

from .test_layout import ROOT, name, tracked_files

SUMS = ROOT / "data/SHA256SUMS"
PAGE = ROOT / "docs/artifact-evaluation.md"
RENEW = "(cd data && git ls-files -z reference-* boxes | xargs -0 sha256sum > SHA256SUMS)"


def test_sums_are_those_of_the_data():
    """Renew them by ``RENEW`` once data have changed."""
    lines = (line.split("  ", 1) for line in SUMS.read_text().splitlines())
    kept = {path: digest for digest, path in lines}
    here = {
        str(path.relative_to(ROOT / "data")): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in tracked_files()
        if re.match(r"data/(reference-|boxes/)", name(path))
    }
    assert kept == here, RENEW


def test_the_command_of_the_page_checks_them():
    [command] = re.findall(r"^    \((cd data && sha256sum .*)\)$", PAGE.read_text(), re.MULTILINE)
    subprocess.run(["sh", "-c", command], cwd=ROOT, check=True)


def test_every_picture_of_the_documents_is_on_the_page():
    pictures = [name(path) for path in tracked_files() if path.suffix == ".png"]
    assert [path for path in pictures if f"`{path}`" not in PAGE.read_text()] == []


@pytest.mark.parametrize("pattern", [r"(?:benchmarks|tests)/[\w/]+\.py", r"data/reference-[\w-]+"])
def test_what_the_page_names_is_there(pattern):
    named = set(re.findall(pattern, PAGE.read_text()))
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_a_benchmark_that_is_called_by_its_path_needs_no_other():
    """Python finds the folder of a file that it is given, and not the one above it."""
    texts = [path.read_text() for path in tracked_files() if path.suffix in (".md", ".py")]
    called = {
        path for text in texts for path in re.findall(r"python (benchmarks/[\w/]+\.py)", text)
    }
    assert called
    bare = re.compile(r"^from (benchmarks|tests)\b", re.MULTILINE)
    assert [path for path in called if bare.search((ROOT / path).read_text())] == []


def test_every_reference_campaign_says_how_it_was_measured():
    folders = sorted((ROOT / "data").glob("reference-*"))
    assert [f.name for f in folders if not (f / "provenance.json").is_file()] == []


def test_the_citation_has_the_version_and_licence_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = (ROOT / "CITATION.cff").read_text()
    assert f"version: {project['version']}\n" in cited
    assert f"license: {project['license']}\n" in cited


@pytest.mark.parametrize(
    ("words", "why"),
    [(["--kept", "--out", "."], "measure first: sudo "),
     (["--only", "sampler"], "docs/gallery.* are of all programs"),
     (["--out", "nowhere"], "there is no such folder")],
)  # fmt: skip
def test_a_gallery_that_would_be_no_gallery_is_refused(words, why, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert gallery.main(words) == 2
    assert why in capsys.readouterr().err


def test_the_gallery_says_how_it_was_measured():
    facts = {"rounds": 3, "queues": 2, "only": ["sampler"]}
    assert gallery.command(facts).endswith(" --rounds 3 --queues 2 --out FOLDER --only sampler")
    assert gallery.command({"rounds": 5, "queues": 1}).endswith(" --rounds 5")


KEPT = (ROOT / "docs/gallery.csv").read_text()
NS = KEPT.splitlines()[2].split(",")[3]
"""The first that was predicted."""


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [("# {", "# [{", "its first line"), ('"rounds": 3', '"rounds": "3"', "rounds"),
     ('"minutes": ', '"minutes": NaN, "m": ', "first line"), ("predicted_ns", "a", "no column"),
     ("icmp_echo", "*", "no program of bpf/examples is called '[*]'"),
     ("xdp_native", "tc", "not each program"), (NS, "soon", "predicted_ns is not a number"),
     (NS, "inf", "none, or too large"), (NS, "0", "a time of nothing")],
)  # fmt: skip
def test_a_kept_table_that_is_none_is_refused_in_words(old, new, why, tmp_path, capsys):
    (tmp_path / "gallery.csv").write_text(KEPT.replace(old, new, 1))
    assert gallery.main(["--kept", "--out", str(tmp_path)]) == 2
    assert re.search(rf"^gallery: --kept=.*{why}", capsys.readouterr().err)


def test_the_page_is_that_of_its_kept_table():
    facts, found = read_kept(ROOT / "docs/gallery.csv", gallery.examples(), gallery.HOOKS)
    assert gallery.page(found, facts) == (ROOT / "docs/gallery.md").read_text()
