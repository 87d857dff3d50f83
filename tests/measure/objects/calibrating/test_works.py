"""Times of packets that carry shipped costs over: of the machine, not of who else runs on it."""

import numpy as np
import pandas as pd

from linerate.measure.objects.calibrating.works import packet_ns


def test_a_time_is_with_the_core_to_itself_where_that_is_known_and_else_less_what_others_held():
    runs = pd.DataFrame({
        "forwarded_mpps": [4.0, 4.0, 4.0], "unshared_mpps": [5.0, np.nan, 4.0],
        "contended_ratio": [0.3, 0.25, 0.0],
    })  # fmt: skip
    assert packet_ns(runs).round(6).tolist() == [200.0, 187.5, 250.0]
