"""Text that LaTeX sets as it stands, whatever signs it has."""

from __future__ import annotations

import re

ASCII = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": "{[}", "]": "{]}", "*": "{*}",  # what follows the end of a row would be its option
}  # fmt: skip
OTHERS = {
    "µ": r"\textmu{}", "μ": r"\textmu{}", "\N{MULTIPLICATION SIGN}": r"\texttimes{}",
    "÷": r"\textdiv{}", "±": r"\textpm{}", "·": r"\textperiodcentered{}", "°": r"\textdegree{}",
    "½": r"\textonehalf{}", "²": r"\texttwosuperior{}", "³": r"\textthreesuperior{}",
    "¹": r"\textonesuperior{}", "≤": r"\ensuremath{\leq}", "≥": r"\ensuremath{\geq}",
    "≠": r"\ensuremath{\neq}", "≈": r"\ensuremath{\approx}", "∞": r"\ensuremath{\infty}",
    "\N{MINUS SIGN}": r"\ensuremath{-}", "√": r"\ensuremath{\surd}",
    "\N{GREEK SMALL LETTER SIGMA}": r"\ensuremath{\sigma}", "λ": r"\ensuremath{\lambda}",
    "\N{GREEK SMALL LETTER RHO}": r"\ensuremath{\rho}", "Δ": r"\ensuremath{\Delta}",
    "→": r"\textrightarrow{}", "\N{EN DASH}": r"\textendash{}", "—": r"\textemdash{}",
    "…": r"\textellipsis{}", "“": r"\textquotedblleft{}", "”": r"\textquotedblright{}",
    "\N{LEFT SINGLE QUOTATION MARK}": r"\textquoteleft{}",
    "\N{RIGHT SINGLE QUOTATION MARK}": r"\textquoteright{}", "€": r"\texteuro{}", "§": r"\S{}",
    "\N{NO-BREAK SPACE}": "~",
}  # fmt: skip
LETTERS = re.compile(r"[À-ÖØ-öø-ÿĂăĄąĆćČčĎďĐđĘęĚěĞğĹĺĽľŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž]")
"""Those that the encoding T1 has; LaTeX reads them as UTF-8."""
LIGATURES = re.compile(r"([-,'])(?=\1)")
"""Two of these become another sign."""
LONG = 15
"""Letters of a word, a path say, from which it may be broken across lines."""
BREAK = r"\allowbreak{}"


def escaped(text: str) -> str:
    r"""Write a text for LaTeX; a sign that no font of T1 has is named by its code point.

    >>> print(escaped("50 % of a_b & 3 µs ≤ {x}"))
    50 \% of a\_b \& 3 \textmu{}s \ensuremath{\leq} \{x\}
    """
    return " ".join(_word(word) for word in text.split(" "))


def code(text: str) -> str:
    r"""Write what is typed, or a formula, in fixed width; its spaces stay.

    >>> print(code("ls  -l 'a'"))
    \texttt{ls\ \ -l \textquotesingle{}a\textquotesingle{}}
    """
    quoted = escaped(text).replace("'", r"\textquotesingle{}")
    spaced = re.sub(" (?= )|(?<= ) |^ ", r"\\ ", quoted)
    return rf"\texttt{{{spaced}}}"


def _word(word: str) -> str:
    written = LIGATURES.sub(r"\1{}", "".join(map(_sign, word)))
    if len(word) < LONG:
        return written
    return re.sub(r"(/|\\_)", lambda found: found.group() + BREAK, written)


def _sign(sign: str) -> str:
    known = ASCII.get(sign) or OTHERS.get(sign)
    if known is not None:
        return known
    if (sign.isascii() and sign.isprintable()) or LETTERS.match(sign):
        return sign
    return "?" if sign.isascii() else f"(U+{ord(sign):04X})"
