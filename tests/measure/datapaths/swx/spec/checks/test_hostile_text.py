"""Text from outside never becomes code: each shape that once did, with a harmless payload."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linerate.errors import BadInputError
from linerate.measure.datapaths.swx.spec.entries import read_entries
from linerate.measure.datapaths.swx.spec.file import parse_spec, read_spec
from linerate.measure.datapaths.swx.spec.generated.program import SwxProgram
from linerate.measure.datapaths.swx.spec.generated.text import spec_text
from linerate.measure.datapaths.swx.spec.printed import print_spec
from linerate.measure.datapaths.swx.spec.text_file import LINE_BYTES_MAX
from linerate.measure.processes import built

TEXT = spec_text(SwxProgram(base="l2l3", operations=(("table_lpm", 1), ("hash_crc32", 2))))
SPEC = parse_spec(TEXT)
UNSEEN = b"metarray unseen size 64\n"
"""What nobody checked; a worse statement would be read in the same way."""
CLOSES_AN_ARRAY = (
    b'metarray a"}};int/**/unseen;struct/**/metarray_spec/**/zz[]={{.name="b size 64\n'
)

HOSTILE = {
    "a comment twice as long in another encoding": b"// " + b"\xe9" * 1022 + UNSEEN,
    "a comment that is doubled already": b"//" + "\u00e9".encode() * 1022 + b"x" + UNSEEN,
    "a comment that DPDK cuts": b"//" + b"x" * 2045 + UNSEEN,
    "a quote in a name": CLOSES_AN_ARRAY,
    "a quote behind a comment's character": CLOSES_AN_ARRAY.replace(b'a"', b'a#"'),
    "a quote behind two strokes": CLOSES_AN_ARRAY.replace(b'a"', b'a//"'),
    "a quote behind a semicolon": CLOSES_AN_ARRAY.replace(b'a"', b'a;"'),
    "a return of the carriage": b"// all of it\r" + UNSEEN,
    "a page": b"// all of it\f" + UNSEEN,
    "a zero": b"// all of it\0" + UNSEEN,
    "an instruction beyond its buffer": b"action long args none {\n"
    + b" ".join([b"x" * 63] * 8) + b"\nreturn\n}\n",
    "an instruction beyond its buffer behind half a brace": b"action long args none {\n} "
    + b" ".join([b"x" * 63] * 8) + b"\nreturn\n}\n",
}  # fmt: skip
"""Lines that stand before a pipeline."""


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_are_refused_with_their_line(name, tmp_path):
    (tmp_path / "a.spec").write_bytes(HOSTILE[name] + TEXT.encode())
    with pytest.raises(BadInputError, match=r"a\.spec:[1-3]=.*; allowed: "):
        read_spec(tmp_path / "a.spec")


@pytest.mark.dpdk
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_are_refused_by_the_compiler_alone(name, tmp_path):
    (tmp_path / "a.spec").write_bytes(HOSTILE[name] + TEXT.encode())
    done = subprocess.run(
        [built.runner("swx_build"), "--spec", tmp_path / "a.spec", "--library",
         tmp_path / "a.so", "--include", built.build_folder() / "dpdk/include"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == BadInputError.exit_code
    assert "; allowed: " in done.stderr
    assert not (tmp_path / "a.so").exists()


def test_dos_line_ends_are_named(tmp_path):
    (tmp_path / "a.spec").write_bytes(TEXT.replace("\n", "\r\n").encode())
    with pytest.raises(BadInputError, match=r"a\.spec:1=byte 0x0d: .*dos2unix"):
        read_spec(tmp_path / "a.spec")


ENTRY = b"match 0x0a000000/0xff000000 action route dst_addr 0x1 src_addr 0x2 port_out 0"


@pytest.mark.parametrize(
    "data",
    [
        b"// checked\r" + ENTRY, ENTRY + b" // \xe9", b"// " + b"x" * LINE_BYTES_MAX + ENTRY,
        ENTRY + b"\0", ENTRY + b' # "}};\x7f',
    ],
)  # fmt: skip
def test_hostile_entries_are_refused(data, tmp_path):
    (tmp_path / "a.txt").write_bytes(data + b"\n")
    with pytest.raises(BadInputError, match=r"a\.txt:1="):
        read_entries(SPEC, "routes", tmp_path / "a.txt")


def test_entries_are_written_anew(tmp_path):
    (tmp_path / "a.txt").write_bytes(
        b"# all of it\n\t" + ENTRY.replace(b"0x2", b"0X02") + b" ;\n\n"
    )
    assert read_entries(SPEC, "routes", tmp_path / "a.txt") == (
        "match 0xa000000/0xff000000 action route dst_addr 0x1 src_addr 0x2 port_out 0\n"
    )


def test_no_byte_of_a_file_reaches_dpdk_but_names_and_numbers():
    noisy = TEXT.replace("\n", " // '\"`$(a)\n; another\n").replace("\t", "\t\t")
    assert print_spec(parse_spec(noisy)) == print_spec(SPEC)


@settings(deadline=None)
@given(st.binary(max_size=200), st.integers(0, len(TEXT)))
def test_any_bytes_in_a_pipeline_are_read_or_refused(tmp_path_factory, data, place):
    path = tmp_path_factory.mktemp("bytes") / "a.spec"
    path.write_bytes(TEXT[:place].encode() + data + TEXT[place:].encode())
    try:
        spec = read_spec(path)
    except BadInputError as refused:
        assert "; allowed: " in str(refused)
    else:
        assert parse_spec(print_spec(spec)) == spec
