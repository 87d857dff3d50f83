"""Some changed files for each reader; ``make fuzz-readers`` has many more."""

import pytest

from .kinds import READERS
from .readers import attack


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_spoiled_file_is_taken_or_refused_in_words(reader):
    counts, failures = attack(reader, reader.seeds(), seconds=60.0, files=reader.files)
    assert counts.total() == reader.files
    assert failures == set()
    assert counts["refused"] > 0
