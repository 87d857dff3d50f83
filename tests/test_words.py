"""One word for each thing, the field's own: words that were replaced do not come back."""

import re

import pytest

from .test_layout import ROOT, name, tracked_files

BANNED = {
    "luck": "residual, or random effect of a load",
    "lucky": "by chance",
    "train": "burst",
    "trains": "bursts",
    "told": "given, reported, or predicted",
    "tells of": "shows, or measures",
    "foretold": "predicted",
    "dearest": "most expensive",
    "nowhere": "generated on the lcore, or the case itself",
    "of old": "legacy",
    "speaks of": "refers to",
    "speak of": "refer to",
    "spoken of": "named",
    "said of": "predicted for",
}
"""Word -> what stands for it."""
NO_PROSE = re.compile(r"\btold (apart|from)\b|\]\([^)]*\)")
"""Where ``told`` is to distinguish, and targets of links."""
EXCEPTIONS = {
    "bpf/traffic.bpf.c": {"nowhere"},  # a program attached to no hook
    "measure/datapaths/swx/native/compile/spec.c": {"nowhere"},  # at no other place in a word
}
TEXTS = (".py", ".c", ".h", ".lua", ".md", ".j2", ".ipynb", ".po", ".toml")
FOLDERS = ("benchmarks", "bpf", "docs", "measure", "models", "notebooks", "reports", "src")
PATTERN = re.compile(rf"\b({'|'.join(BANNED)})\b", re.IGNORECASE)
DECISIONS = ROOT / "docs/decisions"
"""Records of their day, as written."""


def prose_files():
    return [
        path for path in tracked_files()
        if path.suffix in TEXTS and path.relative_to(ROOT).parts[0] in FOLDERS
        and not path.is_relative_to(DECISIONS)
    ]  # fmt: skip


def banned_in(text):
    return {found.lower() for found in PATTERN.findall(NO_PROSE.sub("", text))}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a train of packets", {"train"}),
        ("training runs, constraint", set()),
        ("Cells share their luck", {"luck"}),
        ("two loads cannot be told apart", set()),
        ("what a reader is told", {"told"}),
    ],
)
def test_a_banned_word_is_found_and_a_longer_one_is_not(text, found):
    assert banned_in(text) == found


def test_replaced_words_do_not_come_back():
    offenders = {
        f"{name(path)}: {word}": BANNED[word]
        for path in prose_files()
        for word in banned_in(path.read_text()) - EXCEPTIONS.get(name(path), set())
    }
    assert offenders == {}
