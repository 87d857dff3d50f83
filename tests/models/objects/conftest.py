"""A box with planted costs."""

import pytest

from .planted import planted_box


@pytest.fixture
def box():
    return planted_box()
