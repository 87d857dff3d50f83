"""What text of a ruleset is refused before a tool sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from linerate.errors import BadInputError
from linerate.measure.rulesets.source import BYTES_MAX, LINES_MAX, parse_source, read_source

CHAIN = "table ip t { chain c {\n type filter hook input priority 0;\n}\n}\n"
NFT, SAVED = Path("a.nft"), Path("a.rules")


def refusal(path: Path, text: str) -> str:
    with pytest.raises(BadInputError) as caught:
        parse_source(path, text)
    return str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        'include "/etc/shadow"\n',
        'table ip t { include "other.nft"; }',
        'include\\\n"/etc/shadow"',
        '"a\n#" include "x"',
        'define x = "#"; include "x"',
        'INCLUDE "x"',
    ],
)
def test_including_another_file_is_refused_with_its_line(text: str) -> None:
    output = refusal(NFT, CHAIN + text)
    assert "it includes another file" in output
    assert (
        f"a.nft:{CHAIN.count(chr(10)) + 1 + text.lower().split('include')[0].count(chr(10))}"
        in output
    )


def test_the_word_include_may_stand_in_a_comment() -> None:
    text = f'# include "x"\n{CHAIN}'
    assert parse_source(NFT, text).text == text


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "   \t\n# x"])
def test_an_empty_ruleset_is_refused(text: str) -> None:
    assert "it holds no rule" in refusal(NFT, text)
    assert "it holds no rule" in refusal(SAVED, text)


def test_what_is_not_utf_8_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.nft"
    path.write_bytes(b"table ip t {\n \xff }\n")
    with pytest.raises(BadInputError, match=r"a\.nft:2: it is not UTF-8"):
        read_source(path)


def test_control_characters_are_refused_outside_of_comments() -> None:
    assert "a.nft:2: '\\x1b' is not a character of a rule" in refusal(NFT, "table ip t {\n\x1b}")
    assert parse_source(NFT, f"# caf\u00e9\n{CHAIN}").datapath == "nftables"


def test_too_many_lines_are_refused() -> None:
    text = CHAIN + "add rule ip t c drop\n" * 100_000
    assert f"allowed: up to {LINES_MAX}" in refusal(NFT, text)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.nft"
    path.write_bytes(b"#" * (BYTES_MAX + 1))
    with pytest.raises(BadInputError, match="more than 8 MiB"):
        read_source(path)


@pytest.mark.parametrize("line", ["-I INPUT -j DROP", "iptables -A INPUT", "$(reboot)", "*evil"])
def test_what_iptables_save_does_not_write_is_refused_with_its_line(line: str) -> None:
    output = refusal(SAVED, f"*filter\n:INPUT ACCEPT [0:0]\n{line}\nCOMMIT\n")
    assert "a.rules:3: no line of iptables-save" in output
