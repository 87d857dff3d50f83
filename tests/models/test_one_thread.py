"""Small matrices are worked on by one thread, and only while that is asked."""

import numpy as np
from threadpoolctl import threadpool_info

from linerate.models.one_thread import one_thread


def threads():
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


def test_linear_algebra_works_alone_and_then_as_before():
    np.linalg.inv(np.eye(2))
    with one_thread():
        before = threads()
        with one_thread():
            assert set(threads()) == {1}
        assert threads() == before
    assert threads()
