"""What a user's own program sustains: its time in test runs, on the base costs of a box."""

from linerate.models.objects.accounts.explanation import Explanation, explain
from linerate.models.objects.answer import answer_object
from linerate.models.objects.comparison import Comparison, compare
from linerate.models.objects.gate import Gate, failures_of
from linerate.models.objects.object_answer import ObjectAnswer, ObjectQuestion

__all__ = [
    "Comparison", "Explanation", "Gate", "ObjectAnswer", "ObjectQuestion", "answer_object",
    "compare", "explain", "failures_of",
]  # fmt: skip
