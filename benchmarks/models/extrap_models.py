"""Extra-P's answers: ``PYTHON extrap_models.py < jobs.json``, PYTHON being one that has it.

Extra-P needs an older numpy than linerate, so that it lives in an environment of its own::

    python3 -m venv extrap && extrap/bin/pip install extrap

Each job has ``coordinates`` (one list of numbers a measurement), ``values`` and ``ask``
(coordinates again); the answer has one list of numbers a job.
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib import import_module
from typing import Any


def answer(job: dict[str, Any]) -> list[float]:
    """Model one job's values as a function of its coordinates, and ask it."""
    coordinate = import_module("extrap.entities.coordinate").Coordinate
    measurement = import_module("extrap.entities.measurement").Measurement
    callpath = import_module("extrap.entities.callpath").Callpath("packet")
    metric = import_module("extrap.entities.metric").Metric("time")
    several = len(job["coordinates"][0]) > 1
    kind = "multi_parameter" if several else "single_parameter"
    modeler = import_module(f"extrap.modelers.{kind}").Default()
    seen = [
        measurement(coordinate(*place), callpath, metric, [value])
        for place, value in zip(job["coordinates"], job["values"], strict=True)
    ]
    function = modeler.create_model(seen).hypothesis.function
    return [float(function.evaluate(place if several else place[0])) for place in job["ask"]]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump([answer(job) for job in json.load(sys.stdin)], sys.stdout)
