"""A bundle gives the same numbers again, and says so where it does not."""

import io
import json
import tarfile

import numpy as np
import pytest

from linerate.cli import main
from linerate.errors import BadInputError
from linerate.measure.importers.logs import sources
from linerate.measure.importers.logs.sources import source_files
from linerate.reports.bundle.archive import SUFFIXES, archive_of
from linerate.reports.bundle.verified import verify_bundle
from linerate.reports.bundle.written import sums_of, write_bundle

from .conftest import quiet


@pytest.fixture(scope="module")
def bundled(tmp_path_factory, reference):
    """Give a bundle of the reference campaign, and the content of its files."""
    out = tmp_path_factory.mktemp("bundle") / "veth.tar.zst"
    return out, write_bundle(reference("veth"), out, None, quiet)


def verdicts(path):
    return {one.what: one.holds for one in verify_bundle(path, quiet)}


def altered(bundled, tmp_path, **changes):
    """Write a bundle with other contents, and hashes that fit unless they are given."""
    files = bundled[1] | changes.pop("files")
    if changes.pop("rehashed", True):
        del files["SHA256SUMS"]
        files["SHA256SUMS"] = sums_of(files)
    path = tmp_path / "altered.tar.gz"
    path.write_bytes(archive_of(files))
    return path


def test_what_was_bundled_holds(bundled):
    assert verdicts(bundled[0]) == {
        "hashes": True, "sources": True, "table of runs": True, "model": True
    }  # fmt: skip


def test_the_description_names_files_machine_and_programs(bundled):
    files = bundled[1]
    graph = {one["@id"]: one for one in json.loads(files["ro-crate-metadata.json"])["@graph"]}
    parts = {one["@id"] for one in graph["./"]["hasPart"]}
    assert parts == set(files) - {"SHA256SUMS", "ro-crate-metadata.json"}
    assert "AMD EPYC" in graph["./"]["description"]
    assert all(one["@id"] in graph for one in graph["./"]["mentions"])
    assert graph["./"]["datePublished"] == "2026-11-20"


def test_sources_of_programs_are_in_it_with_the_headers_that_they_include(bundled, repository):
    files = bundled[1]
    names = {name for name in files if name.startswith("sources/")}
    assert {"sources/bpf/map_lookup.bpf.c", "sources/bpf/map_lookup.h", "sources/bpf/Makefile",
            "sources/measure/datapaths/xdp/native/main.c",
            "sources/measure/native/common/runner.h"} <= names  # fmt: skip
    assert not any("nsh" in name or "swx" in name for name in names)
    for name in names:
        assert files[name] == (repository / name.removeprefix("sources/")).read_bytes()
    graph = {one["@id"]: one for one in json.loads(files["ro-crate-metadata.json"])["@graph"]}
    [program] = [one for one in graph.values() if one.get("name") == "map_lookup"]
    assert {"@id": "sources/bpf/map_lookup.h"} in program["isBasedOn"]
    assert "fddd2d5" in program["description"]


@pytest.mark.parametrize("name", ["sources/bpf/map_lookup.h", "sources/bpf/more.h"])
def test_a_source_that_was_changed_or_added_is_named_whatever_its_hash(bundled, tmp_path, name):
    files = {each: content for each, content in bundled[1].items()
             if each.startswith("sources/") or each == "ro-crate-metadata.json"}  # fmt: skip
    files[name] = files.get(name, b"") + b"\n"
    path = tmp_path / "changed.tar.gz"
    path.write_bytes(archive_of(files | {"SHA256SUMS": sums_of(files)}))
    found = {one.what: one for one in verify_bundle(path, quiet)}
    assert found["hashes"].holds
    assert not found["sources"].holds
    assert name in found["sources"].detail


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_files_make_the_same_archive(bundled, tmp_path, suffix):
    turned = dict(sorted(bundled[1].items(), reverse=True))
    first, again = (archive_of(files, f"veth{suffix}") for files in (bundled[1], turned))
    assert first == again
    path = tmp_path / f"veth{suffix}"
    path.write_bytes(first)
    assert {file.path: file.content for file in source_files(path)} == bundled[1]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(("begin", "end"), [(0, -9), (0, 400), (2, None)])
def test_a_damaged_archive_is_refused(tmp_path, suffix, begin, end):
    path = tmp_path / f"damaged{suffix}"
    content = np.random.default_rng(1).bytes(4000)
    path.write_bytes(archive_of({"SHA256SUMS": content}, path.name)[begin:end])
    with pytest.raises(BadInputError, match="the archive is damaged"):
        verify_bundle(path, quiet)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_small_archive_of_endless_zeros_is_refused_before_it_is_unpacked(
    tmp_path, suffix, monkeypatch
):  # fmt: skip
    monkeypatch.setattr(sources, "STUDY_BYTES_MAX", 8 * 1024**2)
    path = tmp_path / f"zeros{suffix}"
    path.write_bytes(archive_of({f"{n}": bytes(1024**2) for n in range(32)}, path.name))
    assert path.stat().st_size < 100_000
    with pytest.raises(BadInputError, match="8388608 bytes"):
        verify_bundle(path, quiet)


def test_a_changed_byte_is_named(bundled, tmp_path):
    box = bundled[1]["campaign/box.json"].replace(b"EPYC", b"EPYK")
    path = altered(bundled, tmp_path, files={"campaign/box.json": box}, rehashed=False)
    hashes = verify_bundle(path, quiet)[0]
    assert not hashes.holds
    assert "campaign/box.json" in hashes.detail


@pytest.mark.deep
def test_a_table_that_its_journal_does_not_give_is_named_whatever_its_hash(bundled, tmp_path):
    lines = bundled[1]["campaign/journal.jsonl"].splitlines(keepends=True)
    path = altered(bundled, tmp_path, files={"campaign/journal.jsonl": b"".join(lines[:-40])})
    found = {one.what: one for one in verify_bundle(path, quiet)}
    assert found["hashes"].holds
    assert not found["table of runs"].holds
    assert "720 rows" in found["table of runs"].detail


def test_a_model_with_another_number_is_named(bundled, tmp_path):
    model = bundled[1]["model.json"]
    other = model.replace(b'"base_ns": 2', b'"base_ns": 3')
    assert other != model
    path = altered(bundled, tmp_path, files={"model.json": other})
    found = {one.what: one for one in verify_bundle(path, quiet)}
    assert found["table of runs"].holds
    assert not found["model"].holds
    assert "base_ns" in found["model"].detail


@pytest.mark.parametrize(("name", "output"), [("../out", "leaves the archive"), ("/out", "leaves")])
def test_names_that_leave_the_archive_are_refused(bundled, tmp_path, name, output):
    with pytest.raises(BadInputError, match=output):
        verify_bundle(altered(bundled, tmp_path, files={f"campaign/../{name}": b"x"}), quiet)
    assert not (tmp_path / "out").exists()


def test_links_are_no_files_of_a_bundle(bundled, tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in bundled[1].items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            if name == "campaign/runs.csv":
                member.type, member.linkname, member.size = tarfile.SYMTYPE, "/etc/passwd", 0
            tar.addfile(member, io.BytesIO(content if member.size else b""))
    path = tmp_path / "links.tar.gz"
    path.write_bytes(packed.getvalue())
    hashes = verify_bundle(path, quiet)[0]
    assert not hashes.holds
    assert "campaign/runs.csv" in hashes.detail


@pytest.mark.parametrize(
    ("words", "output"),
    [(["bundle", "nowhere", "--out", "x.tar.gz"], "there is no such file or folder"),
     (["bundle", "{veth}", "--out", "x.zip"], "a name ending in .tar.zst or .tar.gz"),
     (["verify", "nowhere.tar.gz"], "it is neither a folder nor an archive"),
     (["verify", "{veth}"], "it holds no SHA256SUMS")],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(words, output, reference, capsys):
    with pytest.raises(SystemExit) as ended:
        main([word.format(veth=reference("veth")) for word in words])
    assert ended.value.code == 2
    assert output in capsys.readouterr().err


def test_the_command_ends_with_1_where_something_differs(bundled, tmp_path, capsys):
    path = altered(bundled, tmp_path, files={"campaign/box.json": b"{}"})
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(path), "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (ended.value.code, answer["holds"]) == (1, False)
    assert [one["holds"] for one in answer["checks"]] == [True, True, False, True]
