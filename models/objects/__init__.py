"""What a user's own program sustains: its time in test runs, on the base costs of a box."""

from linerate.models.objects.answer import ObjectAnswer, ObjectQuestion, answer_object

__all__ = ["ObjectAnswer", "ObjectQuestion", "answer_object"]
