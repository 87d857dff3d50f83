"""A box file reads back as the same machine, or says what is wrong with it."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linerate.box import BOX_BYTES_MAX, Box, Cost, parse_toml, read_box, write_box
from linerate.errors import BadInputError
from linerate.measure.system.describe import this_box

from ..files.finished import BOX

FORM = re.compile(r"[^\n]+=[^\n]*: [^\n]+; allowed: [^\n]+; [^\n]+")
"""<field>=<got>: <why>; allowed: ...; <what to do>, in one line."""
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=30)


def box_file(tmp_path, old="", new="", text=None):
    path = tmp_path / "box.toml"
    write_box(BOX, path)
    written = path.read_text()
    assert old in written
    path.write_text(written.replace(old, new, 1) if text is None else text)
    return path


def refusal(path):
    with pytest.raises(BadInputError) as refused:
        read_box(path)
    message = str(refused.value)
    assert FORM.fullmatch(message), message
    assert str(path) in message
    return message


def test_a_box_reads_back_exactly(tmp_path):
    assert read_box(box_file(tmp_path)) == BOX


def test_this_machine_reads_back_exactly(tmp_path):
    write_box(this_box(nic="veth"), tmp_path / "box.toml")
    assert read_box(tmp_path / "box.toml") == this_box(nic="veth")


@given(
    name=WORDS, gib=st.floats(0.1, 1e5), flaws=st.dictionaries(WORDS, WORDS, max_size=4),
    costs=st.dictionaries(WORDS, st.floats(0.0, 1e9), max_size=4),
)  # fmt: skip
def test_any_box_reads_back_exactly(name, gib, flaws, costs, tmp_path_factory):
    box = Box(
        name=name, cpu_model=name, cores=3, threads_per_core=2, memory_gib=gib, kernel="6.1",
        mitigations=flaws, governor="none", hypervisor="none", nic="veth",
        costs={k: Cost(value_ns=ns, lower_ns=ns, upper_ns=ns) for k, ns in costs.items()},
    )  # fmt: skip
    path = tmp_path_factory.mktemp("box") / "box.toml"
    write_box(box, path)
    assert read_box(path) == box


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("cores = 2", "cores = 2\ncolour = 3", "colour=3: unknown key"),
        ("value_ns", "value_us", "costs.map_lookup.value_ns=nothing: "),
        ("lower_ns = 1.4", "lower_ns = 1.4\nunit = 'us'", "costs.map_lookup.unit=us: unknown key"),
        ("cores = 2", "", "cores=nothing: the key is missing"),
        ("cores = 2", "cores = 2.0", "cores=2.0: input should be a valid integer"),
        ("cores = 2", 'cores = "2"', "cores=2: input should be a valid integer"),
        ("cores = 2", "cores = 0", "cores=0: a machine has a core"),
        ("memory_gib = 7.8", 'memory_gib = "7.8 GiB"', "memory_gib=7.8 GiB: input should be"),
        ('nic = "veth"', "nic = 1", "nic=1: input should be a valid string"),
        ('nic = "veth"', 'nic = ["a", "b"]', "nic=['a', 'b']: input should be a valid string"),
    ],
)
def test_a_wrong_field_is_named(tmp_path, old, new, says):
    assert says in refusal(box_file(tmp_path, old, new))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "name=nothing: the key is missing"),
        ("cores = ", "it is not TOML"),
        ("cores = [" * 3000, "it is not TOML"),
        ("name = 'x'\n" + ".".join(["a"] * 20000) + " = 1", "line 2 has a key of over 32 parts"),
        ("[" + " . ".join(["'a b'", '"c"', "d-e"] * 5000) + "]", "line 1 has a key of over 32"),
        ("name = {" + "a." * 32 + "b = 1}", "key of over 32 parts; allowed: at most 32"),
        ("cores = 1" + "0" * 5000, "it is not TOML"),
        ("# " + "x" * BOX_BYTES_MAX, "it is too large"),
    ],
    ids=["empty", "cut", "nested", "dots", "quoted", "inline", "digits", "large"],
)
def test_what_is_no_box_file_is_refused(tmp_path, text, says):
    assert says in refusal(box_file(tmp_path, text=text))


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "box.toml"
    path.write_bytes(b"name = '\xff'\n")
    assert "it is not UTF-8" in refusal(path)


def test_a_missing_box_file_and_a_folder_are_refused(tmp_path):
    assert "No such file" in refusal(tmp_path / "none.toml")
    assert "Is a directory" in refusal(tmp_path)


def test_a_device_without_end_is_not_read_to_its_end():
    with pytest.raises(BadInputError, match="it is too large"):
        read_box(Path("/dev/zero"))


def test_a_long_value_is_not_repeated_in_full(tmp_path):
    path = box_file(tmp_path, "cores = 2", f'cores = "{"9" * 5000}"')
    assert len(refusal(path)) < 500 + len(str(path))


def test_hash_holds_what_must_be_equal_and_nothing_else():
    def with_(**changes):
        return Box(**({f: getattr(BOX, f) for f in Box.__dataclass_fields__} | changes))

    assert with_(name="x", costs={}).checked_hash == BOX.checked_hash
    others = {"kernel": "6.1", "cores": 3, "memory_gib": math.pi, "mitigations": {}, "nic": "eth"}
    hashes = {with_(**{field: value}).checked_hash for field, value in others.items()}
    assert len(hashes | {BOX.checked_hash}) == len(others) + 1


@pytest.mark.parametrize(
    "text", [".".join(["a"] * 32) + " = 1", f'a = "{"word " * 9000}..."', f"a = '{'a' * 900000}'"]
)
def test_keys_of_some_parts_and_long_words_are_toml(text):
    assert list(parse_toml(text, "a.toml")) == ["a"]


def test_a_path_that_is_none_is_refused(tmp_path):
    """A lab file may name it."""
    with pytest.raises(BadInputError, match=r"it cannot be read .it is not a path"):
        read_box(tmp_path / "a\0b")
