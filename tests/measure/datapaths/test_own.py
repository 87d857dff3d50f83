"""The user's own programs: which files a datapath takes, and where they must lie."""

import pytest

from linerate.errors import BadInputError
from linerate.measure.datapaths.own import check_own_path, own_program, read_own_files
from linerate.measure.datapaths.registry import datapaths
from linerate.measure.datapaths.swx.settings import PipelineSettings
from linerate.settings import columns_of


@pytest.fixture
def pipeline(cell_of):
    settings = PipelineSettings(port="ring", tables=(("kinds", "tables/kinds.txt"),))
    return cell_of(datapath="swx", program="mine.spec", settings=columns_of(settings))


def test_program_by_name_is_no_file(cell_of, tmp_path):
    assert own_program(cell_of(program="map_lookup"), tmp_path) is None


def test_path_is_found_beside_the_campaign(pipeline, tmp_path):
    (tmp_path / "mine.spec").touch()
    assert own_program(pipeline, tmp_path) == tmp_path / "mine.spec"


@pytest.mark.parametrize(
    ("datapath", "program", "says"),
    [
        ("swx", "mine.bpf.o", "swx takes no such file; allowed: a path that ends in .spec or .p4"),
        ("xdp_native", "mine.spec", "xdp_native takes no such file; .* ends in .bpf.o"),
        ("tc", "mine.o", "tc takes no such file; .* ends in .bpf.o"),
        ("af_xdp", "mine.bpf.o", r"af_xdp takes no such file; allowed: a path that ends in \.so"),
        ("swx", "../mine.spec", "a path beside or below the campaign file, with .spec or .p4"),
        ("swx", "/mine.spec", "a path beside or below the campaign file"),
        ("swx", "none.spec", "none.spec: there is no such file in"),
    ],
)
def test_file_that_cannot_be_a_program_is_refused(cell_of, tmp_path, datapath, program, says):
    with pytest.raises(BadInputError, match=says):
        own_program(cell_of(datapath=datapath, program=program), tmp_path)


def test_copies_are_kept_of_all_that_a_cell_names(pipeline, tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "mine.spec").write_text("a")
    with pytest.raises(BadInputError, match=r"tables\.kinds=tables/kinds\.txt: there is no"):
        read_own_files([pipeline], tmp_path)
    (tmp_path / "tables/kinds.txt").write_text("b")
    kept = read_own_files([pipeline, pipeline], tmp_path)
    assert kept == {"mine.spec": b"a", "tables/kinds.txt": b"b"}


@pytest.mark.parametrize("name", datapaths())
def test_suffixes_are_taken_as_the_record_says(name):
    for suffix in datapaths()[name].own:
        check_own_path("program", f"mine{suffix}", datapaths()[name].own, name)
