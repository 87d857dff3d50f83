"""Generators that are other people's tools."""
