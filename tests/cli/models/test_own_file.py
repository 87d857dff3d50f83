"""Files that are asked about by what they are, whatever their name ends in."""

import pytest

from linerate.cli.models.own_file import FUNCTION, OBJECT, kind_of
from linerate.errors import BadInputError

from ...shared_object import compile_shared, function_of
from .test_fits_object import compile_to

SOURCE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int drop(struct xdp_md *ctx) { return XDP_DROP; }
"""


def test_a_name_of_any_kind_is_that_of_what_the_file_holds(tmp_path):
    compile_to(tmp_path / "filter", SOURCE)
    compile_shared(tmp_path / "function.v2", function_of("return LINERATE_DROP;"))
    assert kind_of("gone.bpf.o", named=False) == OBJECT, "its reader says that it is gone"
    assert kind_of(str(tmp_path / "filter"), named=False) == OBJECT
    assert kind_of(str(tmp_path / "function.v2"), named=False) == FUNCTION


def test_a_name_with_a_model_or_without_a_file_is_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "map_lookup").write_text("a file of that name")
    assert kind_of("map_lookup", named=True) is None
    assert kind_of("other", named=False) is None


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [("filter.bpf.c", b"int x;", "it is source, not what a compiler made of it"),
     ("junk", bytes(64), "it is not a file that can be asked about; allowed: a BPF object"),
     ("empty", b"", "it is not a file that can be asked about"),
     ("gone", None, "it cannot be read .No such file")],
)  # fmt: skip
def test_what_is_no_program_is_refused_with_what_is_allowed(tmp_path, name, content, says):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInputError, match=says):
        kind_of(str(path), named=False)
