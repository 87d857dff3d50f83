"""Texts of rulesets that are measured and predicted."""
