"""Where the time of a BPF object goes: what its packets take, else what its code calls."""

from __future__ import annotations

from linerate.box import Box
from linerate.errors import BadInputError
from linerate.measure.objects.code.code import read_code
from linerate.measure.objects.counting.count import count_program
from linerate.measure.objects.listing import ObjectListing
from linerate.measure.objects.test_run import UnderTest
from linerate.measure.objects.traffic.frames import Frames
from linerate.messages import Note
from linerate.models.objects import Explanation, ObjectAnswer, explain
from linerate.models.objects.accounts.account import Account, account
from linerate.models.objects.counted.estimate import Estimate, estimate


def explained(
    tested: UnderTest, listing: ObjectListing, frames: Frames, answer: ObjectAnswer, box: Box
) -> Account | Explanation:
    """Account for a program's measured time.

    Parameters
    ----------
    tested, listing
        The program, and what its object holds.
    frames, answer
        A traffic, and the answer for it.
    box
        With costs of operations.

    Returns
    -------
    What the packets take; the calls of the listing where they cannot be followed.
    """
    code = read_code(tested.path, tested.entry, listing)
    try:
        counts = count_program(tested.path, tested.entry, listing, tested.settings, [frames],
                               tested.datapath)  # fmt: skip
        return account(code, estimate(counts[0], box), answer)
    except BadInputError as refused:
        return explain(code, answer, box, _why(refused))


def _why(refused: BadInputError) -> str:
    return str(refused.note.values["why"]) if isinstance(refused.note, Note) else refused.note


def explained_count(
    tested: UnderTest, listing: ObjectListing, counted: Estimate, answer: ObjectAnswer
) -> Account:
    """Account for the time of a program that was counted and not run."""
    code = read_code(tested.path, tested.entry, listing)
    return account(code, counted, answer, measured=False)
